//! Names the formats that are not read, and the program that converts each.

/// Converts any file that Wireshark reads.
const EDITCAP: &str = "`editcap -F pcapng FILE NEW` of Wireshark converts it";

/// First bytes of formats, their names, and what helps.
const FORMATS: [(&[u8], &str, &str); 21] = [
    (b"BZh", "compressed with bzip2", "`bunzip2` decompresses it"),
    (b"\xfd7zXZ\0", "compressed with xz", "`unxz` decompresses it"),
    (b"PK\x03\x04", "a ZIP archive", "`unzip` extracts its files"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "`7z x` extracts its files"),
    (b"Rar!", "a RAR archive", "`unrar x` extracts its files"),
    (b"\x1f\x9d", "compressed with compress", "`gunzip` decompresses it"),
    (b"LZIP", "compressed with lzip", "`lzip -d` decompresses it"),
    (b"btsnoop\0", "a Bluetooth capture (btsnoop)", "it has no IP packets"),
    (b"GMBU", "a capture of Microsoft Network Monitor 2", EDITCAP),
    (b"RTSS", "a capture of Microsoft Network Monitor 1", EDITCAP),
    (b"TRSNIFF data    \x1a", "a capture of Sniffer for DOS", EDITCAP),
    (b"XCP\0", "a capture of NetXRay or Sniffer for Windows", EDITCAP),
    (b"\x7fver", "a capture of Savvius OmniPeek", EDITCAP),
    (b"iptrace 1.0", "a capture of AIX iptrace", EDITCAP),
    (b"iptrace 2.0", "a capture of AIX iptrace", EDITCAP),
    (b"\x05VNF", "a capture of Visual Networks", EDITCAP),
    (b"\x54\x52\x00\x64\x00", "a capture of HP-UX nettl", EDITCAP),
    (b"ObserverPktBuffe", "a capture of Network Instruments Observer", EDITCAP),
    (b"+---------+---------------+----------+", "a K12 text file", EDITCAP),
    (b"\xaa\xaa\xaa\xaa", "a capture of 5View", EDITCAP),
    (b"0000  ", "a dump in hexadecimal text", "`text2pcap` of Wireshark converts it"),
];

/// The problem of a file that is no capture: the format if it is known, and what helps.
pub(super) fn problem(head: &[u8]) -> String {
    if let Some((_, name, help)) = FORMATS.iter().find(|(magic, ..)| head.starts_with(magic)) {
        return format!("it is {name}, which is not read; {help}");
    }
    let bytes: Vec<String> = head.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("not a capture (pcap, pcapng or snoop): its first bytes are {}", bytes.join(" "))
}

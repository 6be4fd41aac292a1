//! Anonymises addresses and preserves prefixes: two anonymised addresses share a prefix of the same length as the two
//! original addresses.
//!
//! Crypto-PAn: J. Xu, J. Fan, M. Ammar, S. Moon, "Prefix-preserving IP address anonymization: measurement-based
//! security evaluation and a new cryptography-based scheme", ICNP 2002, section 4. Bit i is XORed with the first bit of
//! the AES encryption of the preceding bits, which are padded with a secret pad. IPv6 addresses are processed in the
//! same way, with 128 bits.

use std::fmt;
use std::net::IpAddr;

use aes::Aes128;
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit};

/// Length of a key in bytes: the AES key, then the bytes from which the pad is derived.
pub const KEY_BYTES: usize = 32;

/// Anonymises addresses. Under one key, an address is always replaced by the same address.
///
/// ```
/// use ackclock_capture::anonymise::Anonymiser;
///
/// let other = Anonymiser::new(&[7; 32]);
/// let (a, b) = (other.address("10.1.2.3".parse()?), other.address("10.1.2.77".parse()?));
/// assert_ne!(a, b);
/// assert_eq!(a.to_string().rsplit_once('.').unwrap().0, b.to_string().rsplit_once('.').unwrap().0);
/// # Ok::<(), std::net::AddrParseError>(())
/// ```
pub struct Anonymiser {
    cipher: Aes128,
    pad: u128,
}

impl Anonymiser {
    /// Creates an anonymiser from a key, which must be kept as secret as the addresses.
    pub fn new(key: &[u8; KEY_BYTES]) -> Self {
        let (cipher, pad) = key.split_at(KEY_BYTES / 2);
        let mut halves = [[0; KEY_BYTES / 2]; 2];
        halves[0].copy_from_slice(cipher);
        halves[1].copy_from_slice(pad);
        let cipher = Aes128::new(&Array::from(halves[0]));
        let pad = encrypt(&cipher, u128::from_be_bytes(halves[1]));
        Self { cipher, pad }
    }

    /// The anonymised address, of the same family.
    pub fn address(&self, address: IpAddr) -> IpAddr {
        match address {
            IpAddr::V4(address) => {
                let turned = self.turned(u128::from(address.to_bits()) << 96, 32);
                IpAddr::V4(((turned >> 96) as u32).into())
            }
            IpAddr::V6(address) => IpAddr::V6(self.turned(address.to_bits(), 128).into()),
        }
    }

    /// Anonymises the first `bits` bits of a left-aligned address.
    fn turned(&self, address: u128, bits: u32) -> u128 {
        let flips = (0..bits).fold(0, |flips, place| {
            let known = u128::MAX.checked_shl(128 - place).unwrap_or(0);
            let word = encrypt(&self.cipher, (address & known) | (self.pad & !known));
            flips | ((word >> 127) << (127 - place))
        });
        address ^ flips
    }
}

impl fmt::Debug for Anonymiser {
    /// Does not reveal the key.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Anonymiser")
    }
}

fn encrypt(cipher: &Aes128, word: u128) -> u128 {
    let mut block = Array::from(word.to_be_bytes());
    cipher.encrypt_block(&mut block);
    u128::from_be_bytes(block.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key and some addresses of the sample distributed with the authors' program.
    const KEY: [u8; KEY_BYTES] = [
        21, 34, 23, 141, 51, 164, 207, 128, 19, 10, 91, 22, 73, 144, 125, 16, 216, 152, 143, 131, 121, 121, 101, 39,
        98, 87, 76, 45, 42, 132, 34, 2,
    ];

    #[test]
    fn the_authors_sample() {
        let other = Anonymiser::new(&KEY);
        for (before, after) in [
            ("128.11.68.132", "135.242.180.132"),
            ("129.118.74.4", "134.136.186.123"),
            ("130.132.252.244", "133.68.164.234"),
        ] {
            assert_eq!(other.address(before.parse().unwrap()).to_string(), after);
        }
    }

    #[test]
    fn common_prefixes_stay_as_long_as_they_are() {
        let other = Anonymiser::new(&KEY);
        let common = |a: u128, b: u128| (a ^ b).leading_zeros();
        let base: std::net::Ipv6Addr = "2001:db8:1:2:3:4:5:6".parse().unwrap();
        for bit in 0..128 {
            let near = std::net::Ipv6Addr::from_bits(base.to_bits() ^ (1 << bit));
            let after: Vec<u128> = [base, near]
                .map(|address| match other.address(IpAddr::V6(address)) {
                    IpAddr::V6(address) => address.to_bits(),
                    IpAddr::V4(address) => panic!("{address} has another address family"),
                })
                .to_vec();
            assert_eq!(common(after[0], after[1]), 127 - bit);
        }
    }
}

//! Sets the engine's revision: a hash of all its sources, so that a store knows which runs this engine made.

use std::env;
use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

/// The hashed sources, relative to the workspace root: files, and directories with all files in them.
const SOURCES: [&str; 14] = [
    "Cargo.lock",
    "Cargo.toml",
    "crates/capture/Cargo.toml",
    "crates/capture/src",
    "crates/net/Cargo.toml",
    "crates/net/src",
    "crates/notices/Cargo.toml",
    "crates/notices/src",
    "crates/python/Cargo.toml",
    "crates/python/src",
    "crates/tcp/Cargo.toml",
    "crates/tcp/src",
    "crates/units/Cargo.toml",
    "crates/units/src",
];

// FNV-1a of 128 bits, by Fowler, Noll and Vo.
const OFFSET_BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0100_0000_0000_0000_0000_013b;

fn main() -> Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("Cargo sets it")).join("../..");
    let mut files = Vec::new();
    for source in SOURCES {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
        collect(&root, Path::new(source), &mut files)?;
    }
    files.sort();
    let mut hash = OFFSET_BASIS;
    for file in files {
        let mut content = fs::read(root.join(&file))?;
        let name = file.to_string_lossy().replace('\\', "/");
        if name == "Cargo.toml" {
            content = without_members(&content);
        }
        for part in [name.as_bytes(), &(content.len() as u64).to_le_bytes(), &content] {
            hash = part.iter().fold(hash, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
        }
    }
    println!("cargo::rustc-env=ENGINE_REVISION={hash:032x}");
    Ok(())
}

/// Removes the list of the workspace's members, which is shorter in a source distribution.
fn without_members(manifest: &[u8]) -> Vec<u8> {
    manifest
        .split_inclusive(|&byte| byte == b'\n')
        .filter(|line| !line.starts_with(b"members = "))
        .flatten()
        .copied()
        .collect()
}

/// Lists a file, or all files below a directory.
fn collect(root: &Path, path: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    if root.join(path).is_dir() {
        for entry in fs::read_dir(root.join(path))? {
            collect(root, &path.join(entry?.file_name()), files)?;
        }
    } else {
        files.push(path.to_owned());
    }
    Ok(())
}

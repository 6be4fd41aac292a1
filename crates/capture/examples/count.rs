//! Counts the contents of a capture, to measure the reader's speed: `cargo run --release --example count FILE`.

use std::env;
use std::error::Error;
use std::fs::File;

use ackclock_capture::read::Capture;

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).ok_or("usage: count FILE")?;
    let mut capture = Capture::new(File::open(path)?, 10_000_000)?;
    let mut conversations = 0;
    while capture.read(1 << 17).is_some() {
        conversations += capture.flows().len();
    }
    println!("{} packets, {} bytes, {conversations} conversations", capture.packets(), capture.bytes());
    for (_, name, count) in capture.protocols() {
        println!("{name} {} {}", count.packets, count.bytes);
    }
    Ok(())
}

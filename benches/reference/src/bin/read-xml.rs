//! Reads XML to its last event and discards it: XML files below folders, and XML in archives.
//!
//! Usage: read-xml THREADS FOLDER...

use anyhow::{Result, anyhow};
use hullmark_settings::limits::Limits;
use hullmark_source::{
    gzip::GzipStream,
    tar::{EntryType, TarReader},
};
use quick_xml::{Reader, events::Event};
use std::{
    fs::{self, File},
    io::BufReader,
    path::Path,
};

/// The same buffer size as in hullmark.
const BUFFER: usize = 256 << 10;

fn main() -> Result<()> {
    let [events, bytes] = hullmark_reference::sum_over_files(read_file)?;
    println!("{events} events, {bytes} bytes");
    Ok(())
}

/// Returns the number of XML events of a file, and the bytes of its XML.
fn read_file(path: &Path) -> Result<[u64; 2]> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("xml") => read_document(&fs::read(path)?),
        Some("oar") => read_archive(path),
        _ => Ok([0; 2]),
    }
}

fn read_archive(path: &Path) -> Result<[u64; 2]> {
    let file = BufReader::with_capacity(BUFFER, File::open(path)?);
    let stream = BufReader::with_capacity(BUFFER, GzipStream::new(file));
    let mut tar = TarReader::new(stream, &Limits::default());
    let (mut buffer, mut sum) = (Vec::new(), [0; 2]);
    while let Some(header) = tar.next_header().map_err(|error| anyhow!("{error:?}"))? {
        if header.what == EntryType::File && header.name.ends_with(".xml") {
            tar.read_data(&mut buffer).map_err(|error| anyhow!("{error:?}"))?;
            let [events, bytes] = read_document(&buffer)?;
            sum = [sum[0] + events, sum[1] + bytes];
        }
    }
    Ok(sum)
}

fn read_document(bytes: &[u8]) -> Result<[u64; 2]> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    let mut events = 0;
    while !matches!(reader.read_event()?, Event::Eof) {
        events += 1;
    }
    Ok([events, bytes.len() as u64])
}

use super::drip::Drip;
use flate2::read::MultiGzDecoder;
use hullmark_settings::limits::Limits;
use hullmark_source::{
    gzip::GzipStream,
    tar::{Header, Oddities, TarError, TarReader},
};
use std::io::{self, BufRead, BufReader, Read};
use xxhash_rust::xxh3::xxh3_128;

/// Bytes that a stream returns at once.
const PIECES: [usize; 2] = [1, 7];

/// Limit of unpacked bytes of a stream. The rest would test nothing new.
const UNPACKED: u64 = 16 << 20;

/// Ways to read the data of a member.
#[derive(Debug, Clone, Copy)]
enum By {
    Whole,
    Pieces,
    Skipping,
}

/// The result of reading a tar: its members with hashes of their data, its end, and its anomalies.
#[derive(Debug, PartialEq)]
struct Told {
    members: Vec<(Header, u128)>,
    end: String,
    pax_names: Vec<String>,
    oddities: Oddities,
}

/// A tar is read the same in pieces of any size, and its data whole, piece by piece, or not at all.
pub fn tar(bytes: &[u8]) {
    let (whole, _) = read(bytes, By::Whole);
    assert_eq!(read(bytes, By::Pieces).0, whole, "whole, and piece by piece");
    for most in PIECES {
        assert_eq!(read(Drip::buffered(bytes, most), By::Whole).0, whole, "{most} bytes at once");
        assert_eq!(read(Drip::buffered(bytes, most), By::Pieces).0, whole, "pieces of {most} bytes");
    }
    let (skipped, _) = read(bytes, By::Skipping);
    let heads =
        |reported: &Told| reported.members.iter().map(|(header, _)| header.clone()).collect::<Vec<_>>();
    assert_eq!((heads(&skipped), skipped.oddities), (heads(&whole), whole.oddities), "skipped");
}

/// A compressed tar is read the same in pieces of any size. A stream that another reader finds whole is whole here too.
pub fn gzip_tar(bytes: &[u8]) {
    let whole = unpack(bytes);
    for most in PIECES {
        let dripped = unpack(Drip::buffered(bytes, most));
        assert!(dripped == whole, "{most} bytes at once: {dripped:?}\nall: {whole:?}");
    }
    let mut expected = Vec::new();
    if MultiGzDecoder::new(bytes).take(UNPACKED).read_to_end(&mut expected).is_ok() {
        let mut ours = Vec::new();
        GzipStream::new(bytes).take(UNPACKED).read_to_end(&mut ours).unwrap();
        assert!(ours == expected, "{} bytes, and {} by the other reader", ours.len(), expected.len());
    }
}

/// Reads a compressed tar to its end. Returns the tar's content, the end of the stream, its number of gzip members, and
/// whether other bytes follow them.
fn unpack(reader: impl BufRead) -> (Told, Result<(), String>, u64, bool) {
    let (reported, stream) = read(BufReader::new(GzipStream::new(reader).take(UNPACKED)), By::Whole);
    let mut stream = stream.into_inner();
    let end = io::copy(&mut stream, &mut io::sink()).map(drop).map_err(|error| error.to_string());
    let gzip = stream.into_inner();
    (reported, end, gzip.members, gzip.trailing)
}

/// Reads all members.
fn read<R: BufRead>(reader: R, by: By) -> (Told, R) {
    let mut tar = TarReader::new(reader, &Limits::default());
    let (mut members, mut pax_names) = (Vec::new(), Vec::new());
    let end = loop {
        let header = tar.next_header();
        pax_names.extend(tar.take_pax_names());
        let header = match header {
            Ok(Some(header)) => header,
            Ok(None) => break "the end".to_owned(),
            Err(error) => break error_text(&error),
        };
        let mut data = Vec::new();
        let read = match by {
            By::Whole => tar.read_data(&mut data),
            By::Pieces => tar.pass_data(|piece| data.extend(piece)),
            By::Skipping => Ok(()),
        };
        members.push((header, xxh3_128(&data)));
        if let Err(error) = read {
            break error_text(&error);
        }
    };
    (Told { members, end, pax_names, oddities: tar.oddities }, tar.into_inner())
}

fn error_text(error: &TarError) -> String {
    format!("{error:?}")
}

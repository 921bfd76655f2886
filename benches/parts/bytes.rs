//! From the disk to members: inflating, gzip, tar. Throughput is of what comes out.

use super::material::{self, Material};
use divan::{Bencher, counter::BytesCount};
use flate2::{Compression, write::GzEncoder};
use hullmark::{
    format::inflate,
    source::{gzip::GzipStream, tar::TarReader},
};
use std::io::{self, Read, Write};

#[divan::bench(args = material::blocks())]
fn inflate_block(bencher: Bencher<'_, '_>, block: &Material) {
    let inflate = || inflate::with(|inflater| inflater.inflate(&block.bytes, u64::MAX).bytes.len());
    bencher.counter(BytesCount::new(inflate())).bench(inflate);
}

#[divan::bench]
fn gzip_stream(bencher: Bencher<'_, '_>) {
    let tar = material::tar();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&tar).unwrap();
    let gzip = encoder.finish().unwrap();
    let mut buffer = vec![0; 256 << 10];
    bencher.counter(BytesCount::new(tar.len())).bench_local(|| {
        let mut stream = GzipStream::new(gzip.as_slice());
        while stream.read(&mut buffer).unwrap() > 0 {}
    });
}

#[divan::bench]
fn tar_whole_members(bencher: Bencher<'_, '_>) {
    let tar = material::tar();
    let mut bytes = Vec::new();
    bencher.counter(BytesCount::new(tar.len())).bench_local(|| {
        let mut reader = TarReader::new(tar.as_slice(), 4_096);
        while reader.next_header().unwrap().is_some() {
            reader.read_data(&mut bytes).unwrap();
        }
    });
}

#[divan::bench]
fn tar_headers_only(bencher: Bencher<'_, '_>) {
    let tar = material::tar();
    bencher.counter(BytesCount::new(tar.len())).bench(|| {
        let mut reader = TarReader::new(io::Cursor::new(&tar), 4_096);
        while reader.next_header().unwrap().is_some() {}
    });
}

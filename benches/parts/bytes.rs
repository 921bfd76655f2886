//! From the disk to members: inflate, gzip, tar. Throughput counts the output.

use super::material::{self, Material};
use divan::{Bencher, counter::BytesCount};
use hullmark_format::inflate;
use hullmark_source::{gzip::GzipStream, tar::TarReader};
use std::io::Read;

#[divan::bench(args = material::blocks())]
fn inflate_block(bencher: Bencher<'_, '_>, block: &Material) {
    let inflate = || inflate::with(|inflater| inflater.inflate(&block.bytes, u64::MAX).bytes.len());
    bencher.counter(BytesCount::new(inflate())).bench(inflate);
}

#[divan::bench(args = material::gzips())]
fn gzip_stream(bencher: Bencher<'_, '_>, gzip: &Material) {
    let mut buffer = vec![0; 256 << 10];
    let mut inflate = || {
        let mut stream = GzipStream::new(gzip.bytes.as_slice());
        std::iter::from_fn(|| Some(stream.read(&mut buffer).unwrap()).filter(|&read| read > 0)).sum::<usize>()
    };
    bencher.counter(BytesCount::new(inflate())).bench_local(inflate);
}

#[divan::bench(args = material::tars())]
fn tar_whole_members(bencher: Bencher<'_, '_>, tar: &Material) {
    let mut bytes = Vec::new();
    bencher.counter(BytesCount::of_slice(&tar.bytes)).bench_local(|| {
        let mut reader = TarReader::new(tar.bytes.as_slice(), &hullmark_settings::limits::Limits::default());
        while reader.next_header().unwrap().is_some() {
            reader.read_data(&mut bytes).unwrap();
        }
    });
}

#[divan::bench(args = material::tars())]
fn tar_headers_only(bencher: Bencher<'_, '_>, tar: &Material) {
    bencher.counter(BytesCount::of_slice(&tar.bytes)).bench(|| {
        let mut reader = TarReader::new(tar.bytes.as_slice(), &hullmark_settings::limits::Limits::default());
        while reader.next_header().unwrap().is_some() {}
    });
}

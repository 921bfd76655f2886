//! From bytes to plain data. Throughput counts the input.

use super::material::{self, Material};
use divan::{Bencher, counter::BytesCount};
use hullmark_format::{llsd, mesh, object};
use hullmark_settings::limits::Limits;

#[divan::bench(args = material::values())]
fn llsd_of_block(bencher: Bencher<'_, '_>, value: &Material) {
    let depth = Limits::default().llsd_depth;
    bencher.counter(BytesCount::of_slice(&value.bytes)).bench(|| llsd::parse(&value.bytes, depth).unwrap());
}

#[divan::bench(args = material::meshes())]
fn whole_mesh(bencher: Bencher<'_, '_>, asset: &Material) {
    let limits = Limits::default();
    bencher.counter(BytesCount::of_slice(&asset.bytes)).bench(|| mesh::decode(&asset.bytes, &limits));
}

#[divan::bench(args = material::objects())]
fn object_xml(bencher: Bencher<'_, '_>, document: &Material) {
    let limits = Limits::default();
    bencher.counter(BytesCount::of_slice(&document.bytes)).bench(|| object::decode(&document.bytes, &limits));
}

//! Damaged bytes: budgets, cuts and changes.

use super::*;

#[test]
fn a_damaged_block_loses_only_itself() {
    let mut streams: Vec<_> = blocks().into_iter().map(|(name, value)| (name, zlib(&value))).collect();
    streams[1].1 = b"\x1f\x8bgzip".to_vec();
    let half = streams[2].1.len() / 2;
    streams[2].1.truncate(half);
    let last = streams[3].1.len() - 1;
    streams[3].1[last] ^= 1;
    streams[4].1.extend(b"tail");
    streams[5].1 = zlib(b"[\0\0\0\x01?]");
    let (mesh, defects) = decoded(&asset_of_streams(&streams, &[]));
    let told: Vec<_> = defects.iter().map(|defect| (defect.name(), &*defect.place.within)).collect();
    assert_eq!(
        told,
        [
            ("truncated-stream".into(), "lowest_lod"),
            ("flawed-stream".into(), "low_lod"),
            ("llsd".into(), "high_lod"),
            ("corrupt-stream".into(), "physics_convex"),
        ],
        "{defects:#?}"
    );
    assert!(matches!(defects[3].kind, DefectKind::Mesh(MeshDefect::CorruptStream { gzip: true, .. })));
    assert_eq!(defects[2].place.offset, Some(5));
    assert_eq!(mesh.oddities, ["trailing-block-bytes", "wrong-adler32"]);
    assert_eq!(mesh.lods.each_ref().map(Option::is_some), [false, true, true, false]);
    assert!(mesh.physics_mesh.is_some() && mesh.joints.is_some() && mesh.convex.is_none());
    let inflated: Vec<_> = mesh.blocks.iter().map(|block| block.inflated.is_some()).collect();
    assert_eq!(inflated, [true, false, false, true, true, true, true]);
}

#[test]
fn budgets_stop_bombs() {
    let tight = Limits { block_bytes: 1000, ..limits() };
    let (_, defects) = decode(&asset(&blocks_with("high_lod", binary(vec![0; 1000]))), &tight);
    let defect = only(&defects, "inflates-too-far");
    assert_eq!((defect.measured, defect.limit), (Some(1001.0), Some(1000.0)));

    // Each of them is allowed, all of them are not.
    let face = map(&[("NoGeometry", b"1".to_vec()), ("pad", binary([0; 700]))]);
    let all: Vec<Field<'_>> =
        LODS.into_iter().map(|name| (name, array(std::slice::from_ref(&face)))).collect();
    let (mesh, defects) = decode(&asset(&all), &tight);
    assert_eq!(names(&defects), ["inflates-too-far", "inflates-too-far", "convex-missing"]);
    assert_eq!(defects[0].kind, MeshDefect::InflatesTooFar { together: true }.into());
    assert_eq!(mesh.lods.each_ref().map(Option::is_some), [true, true, false, false]);

    let deep = [b"[\0\0\0\x01".repeat(97), b"!".to_vec(), b"]".repeat(97)].concat();
    assert_eq!(only(&with_block("skin", deep).1, "llsd").limit, Some(96.0));
    let many = array(&vec![b"!".to_vec(); MAX_VALUES]);
    assert_eq!(only(&with_block("skin", many).1, "llsd").limit, Some(MAX_VALUES as f64));
    let hulls = with_convex(|fields| fields[2].1 = binary(vec![0; 100_000])).0;
    assert_eq!(hulls.convex.and_then(|convex| convex.hull_sizes).map(|sizes| sizes.len()), Some(1024));
    let faces = with_block("physics_mesh", array(&vec![map(&[]); 5000]));
    assert_eq!(faces.0.physics_mesh.map(|faces| faces.len()), Some(4096));
    let mut found = names(&faces.1);
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, ["submesh-domain-missing", "submesh-list-missing", "too-many-submeshes"]);
    assert!(faces.1.len() < 1000, "{}", faces.1.len());
}

#[test]
fn budgets_of_counts_are_those_of_the_settings() {
    let spent = |limits: &Limits, bytes: &[u8]| {
        let (_, defects) = decode(bytes, limits);
        let defect = defects.into_iter().find(|defect| defect.limit.is_some());
        defect.map(|defect| (defect.place.within.to_string(), defect.measured, defect.limit))
    };
    let whole = asset(&blocks());
    assert_eq!(spent(&limits(), &whole), None);
    let of = |within: &str, measured, limit| Some((within.to_owned(), Some(measured), Some(limit)));
    let mut fields = convex_fields();
    fields[2].1 = binary([4, 4, 4]);
    let hulls = asset(&blocks_with("physics_convex", map(&fields)));
    assert_eq!(spent(&Limits { hulls: 2, ..limits() }, &hulls), of("physics_convex", 3.0, 2.0));
    let faces = asset(&blocks_with("physics_mesh", array(&vec![map(&[]); 3])));
    assert_eq!(spent(&Limits { submeshes: 2, ..limits() }, &faces), of("physics_mesh", 3.0, 2.0));
    let values = asset(&blocks_with("skin", array(&vec![b"!".to_vec(); 300])));
    assert_eq!(spent(&Limits { llsd_values: 300, ..limits() }, &values), of("skin", 301.0, 300.0));
    let deep =
        asset(&blocks_with("skin", [b"[\0\0\0\x01".repeat(9), b"!".to_vec(), b"]".repeat(9)].concat()));
    assert_eq!(spent(&Limits { llsd_depth: 8, ..limits() }, &deep), of("skin", 9.0, 8.0));
}

/// Numbers that look random and are the same every time (xorshift64).
struct Noise(u64);

impl Noise {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn damage(&mut self, bytes: &mut Vec<u8>) {
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => bytes[at] = self.below(256) as u8,
                1 => bytes[at] ^= 1 << self.below(8),
                2 => bytes.insert(at, b"!10iruslbd[]{}k'\\\xff\0"[self.below(19)]),
                _ => drop(bytes.remove(at)),
            }
        }
    }
}

fn survive(bytes: &[u8]) {
    let (mesh, defects) = decoded(bytes);
    assert!(defects.len() < 1000);
    let facts = crate::ledger::facts::MeshFacts::new(
        String::new(),
        None,
        bytes,
        &mesh,
        &mut crate::util::work::Work::unlimited(),
    );
    // What is remembered can be written and read again.
    let text = serde_json::to_string(&facts).expect("facts can be written");
    serde_json::from_str::<crate::ledger::facts::MeshFacts>(&text).expect("facts can be read");
    decode_scene(bytes, &limits());
}

#[test]
fn no_cut_and_no_damage_makes_it_panic() {
    let good = asset(&blocks());
    for end in 0..good.len() {
        survive(&good[..end]);
    }
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2000 {
        let mut bytes = good.clone();
        noise.damage(&mut bytes);
        survive(&bytes);
    }
    // Behind the checksums.
    for _ in 0..2000 {
        let mut all = blocks();
        let block = noise.below(all.len());
        noise.damage(&mut all[block].1);
        survive(&asset(&all));
    }
}

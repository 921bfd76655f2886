//! Damaged blocks and budgets. Cuts and changes of all kinds are in `tests/hostile/`.

use super::*;

#[test]
fn a_damaged_block_affects_no_other() {
    let mut streams: Vec<_> = blocks().into_iter().map(|(name, value)| (name, zlib(&value))).collect();
    streams[1].1 = b"\x1f\x8bgzip".to_vec();
    let half = streams[2].1.len() / 2;
    streams[2].1.truncate(half);
    let last = streams[3].1.len() - 1;
    streams[3].1[last] ^= 1;
    streams[4].1.extend(b"tail");
    streams[5].1 = zlib(b"[\0\0\0\x01?]");
    let (mesh, defects) = decoded(&asset_of_streams(&streams, &[]));
    let reported: Vec<_> = defects.iter().map(|defect| (defect.name(), &*defect.place.within)).collect();
    assert_eq!(
        reported,
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
    assert_eq!((defect.measured, defect.limit), (Some(Number(1001.0)), Some(Number(1000.0))));

    // Each block alone is within the limit; together they exceed it.
    let face = map(&[("NoGeometry", b"1".to_vec()), ("pad", binary([0; 700]))]);
    let all: Vec<Field<'_>> =
        LODS.into_iter().map(|name| (name, array(std::slice::from_ref(&face)))).collect();
    let (mesh, defects) = decode(&asset(&all), &tight);
    assert_eq!(names(&defects), ["inflates-too-far", "inflates-too-far", "convex-missing"]);
    assert_eq!(defects[0].kind, MeshDefect::InflatesTooFar { together: true }.into());
    assert_eq!(mesh.lods.each_ref().map(Option::is_some), [true, true, false, false]);

    let deep = [b"[\0\0\0\x01".repeat(97), b"!".to_vec(), b"]".repeat(97)].concat();
    assert_eq!(only(&with_block("skin", deep).1, "llsd").limit, Some(Number(96.0)));
    let many = array(&vec![b"!".to_vec(); MAX_VALUES]);
    assert_eq!(only(&with_block("skin", many).1, "llsd").limit, Some(Number(MAX_VALUES as f64)));
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

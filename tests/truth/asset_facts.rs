//! Facts about the assets of an archive, regardless of its container.

use crate::support::{
    archive::{Archive, control},
    mesh::MeshFile,
    object::{Prim, uuid, xml1, xml2},
    scan_one,
};
use hullmark_analysis::Measured;
use hullmark_finding::Code;
use hullmark_ledger::{
    Ledger,
    facts::{AssetFacts, Content, Status},
};
use hullmark_media::image::media::Image;
use hullmark_rules::{self as rules, SkipReason};
use hullmark_settings::{limits::Limits, profile::Profile};
use hullmark_util::json_number::Number;
use std::fs;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_128;

const REGION: &str = "4e4e4e4e-0000-4000-8000-000000000001";
const MAP: &[u8] = include_bytes!("../support/sculpt_maps/sphere.j2c");

fn name(number: u32, suffix: &str) -> String {
    format!("assets/{}{suffix}", uuid(0xa55e_7000, number))
}

fn id(number: u32) -> Uuid {
    Uuid::try_parse(&uuid(0xa55e_7000, number)).unwrap()
}

/// Returns a texture that is too large to be kept for a sculpt map, so it is read in pieces.
fn large_texture() -> Vec<u8> {
    [MAP, &[1; 200_000]].concat()
}

/// Returns 64 by 32 black pixels in packets of 128.
fn packed_texture() -> Vec<u8> {
    let header = [0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 0, 32, 0, 24, 0];
    [&header[..], &[0xff, 0, 0, 0].repeat(16)].concat()
}

/// Returns one asset of each sort, with its name.
fn assets() -> Vec<(String, Vec<u8>)> {
    let script = format!("default {{ state_entry() {{ osKickAvatar(\"{}\"); }} }}", id(99));
    let wearable = format!("LLWearable version 22\nShirt\n\ntextures 1\n1 {}\n", id(98));
    vec![
        (name(1, "_texture.jp2"), MAP.to_vec()),
        (name(2, "_texture.jp2"), large_texture()),
        (name(3, "_texture.jp2"), b"<html>404</html>".to_vec()),
        (name(4, "_texture.tga"), packed_texture()),
        (name(5, "_sound.ogg"), [&b"OggS\0\x06"[..], &[0; 20], &[1, 4], b"rain"].concat()),
        (name(6, "_animation.bvh"), [&[1, 0, 0, 0][..], &[0; 41]].concat()),
        (name(7, "_script.lsl"), script.into_bytes()),
        (name(8, "_script.lsl"), b"\xff\xfe no text".to_vec()),
        (name(9, "_clothing.txt"), wearable.into_bytes()),
        (name(10, "_mesh.llmesh"), MeshFile::cube().encode()),
        (name(11, "_object.xml"), xml1(&[Prim::new("Box", 1)]).into_bytes()),
        (name(12, "_callingcard.txt"), b"Callingcard".to_vec()),
        (name(13, "_sound.ogg"), Vec::new()),
        (name(14, "_mesh.llmesh"), vec![0; 5000]),
        ("assets/no-uuid_sound.mp3".into(), b"ID3".to_vec()),
        // The same UUID and the same name, with other bytes.
        (name(5, "_sound.wav"), b"RIFF\0\0\0\0WAVE".to_vec()),
        (name(1, "_texture.jp2"), MAP[..30].to_vec()),
    ]
}

fn archive() -> Archive {
    let archive = Archive::new(&control(REGION, "256,256"));
    assets().into_iter().fold(archive, |archive, (name, bytes)| archive.add(&name, bytes))
}

fn scan_bytes(bytes: &[u8], limits: &Limits) -> Ledger {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("assets.oar");
    fs::write(&path, bytes).unwrap();
    scan_one(&path, limits)
}

/// Returns a short name of the asset's content.
fn sort(asset: &AssetFacts) -> &str {
    match &asset.content {
        Content::Empty => "empty",
        Content::Zeros => "zeros",
        Content::Damaged(_) => "damaged",
        Content::NotEvaluated(_) => "not evaluated",
        Content::Opaque => "opaque",
        Content::Image(_) => "image",
        Content::CutShort(_) => "cut short",
        Content::Sound => "sound",
        Content::Animation(_) => "animation",
        Content::Text(_) => "text",
    }
}

#[test]
fn every_asset_has_a_fact_in_the_order_of_the_archive() {
    let ledger = scan_bytes(&archive().gzip(), &Limits::default());
    let expected = assets();
    assert_eq!(ledger.assets.len(), expected.len());
    for (asset, (name, bytes)) in ledger.assets.iter().zip(&expected) {
        assert_eq!((&asset.entry.to_string(), asset.bytes), (name, bytes.len() as u64));
        assert_eq!(asset.content_hash, Some(xxh3_128(bytes).into()), "{name}");
    }
    let sorts: Vec<_> = ledger.assets.iter().map(sort).collect();
    assert_eq!(
        sorts,
        [
            "image",
            "image",
            "damaged",
            "image",
            "sound",
            "animation",
            "text",
            "damaged",
            "text",
            "opaque",
            "opaque",
            "opaque",
            "empty",
            "zeros",
            "opaque",
            "sound",
            "damaged"
        ]
    );
    let image = |width, height| Content::Image(Image { width, height, components: 3 });
    assert_eq!(ledger.assets[1].content, image(64, 64));
    assert_eq!(ledger.assets[3].content, image(64, 32));
    let Content::Text(script) = &ledger.assets[6].content else { unreachable!() };
    let calls = &script.script.as_ref().unwrap().code.as_ref().unwrap().calls;
    assert_eq!((calls.get("osKickAvatar"), &script.mentions), (Some(&1), &vec![id(99)]));
    let Content::Text(shirt) = &ledger.assets[8].content else { unreachable!() };
    assert_eq!(shirt.references, [id(98)]);
    let mp3 = &ledger.assets[14];
    assert_eq!((mp3.uuid(), mp3.suffix()), (None, None));
    assert_eq!(ledger.assets[15].suffix(), Some("_sound.wav"));
    let hashes = |uuid| {
        ledger
            .assets
            .iter()
            .filter(|asset| asset.uuid() == Some(uuid))
            .map(|a| a.content_hash)
            .collect::<Vec<_>>()
    };
    assert!(hashes(id(1)).len() == 2 && hashes(id(1))[0] != hashes(id(1))[1]);
}

#[test]
fn archives_and_trees_give_the_same_facts() {
    let packed = scan_bytes(&archive().gzip(), &Limits::default());
    assert_eq!(scan_bytes(&archive().tar(), &Limits::default()).assets, packed.assets);
    // Nothing is kept for sculpt maps, so every texture is read in pieces.
    let pieces = Limits { kept_textures_bytes: 0, ..Limits::default() };
    assert_eq!(scan_bytes(&archive().gzip(), &pieces).assets, packed.assets);

    let tree = tempfile::tempdir().unwrap();
    let mut members = archive().members;
    members.pop();
    for (name, content) in &members {
        let path = tree.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let mut expected = packed.assets[..packed.assets.len() - 1].to_vec();
    expected.sort_by_key(|asset| asset.entry.to_string());
    assert_eq!(scan_one(tree.path(), &Limits::default()).assets, expected);
}

#[test]
fn loose_files_are_assets_where_a_uuid_names_them() {
    let folder = tempfile::tempdir().unwrap();
    let files = [
        (format!("{}.j2c", id(1)), MAP),
        (format!("{}", id(2)), &b"anything"[..]),
        (format!("{}_script.lsl", id(3)), b"default {}"),
        ("notes.txt".into(), b"no asset"),
    ];
    for (name, bytes) in &files {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let ledger = scan_one(folder.path(), &Limits::default());
    let reported: Vec<_> = ledger.assets.iter().map(|asset| (asset.uuid(), sort(asset))).collect();
    assert_eq!(reported, [(Some(id(1)), "image"), (Some(id(2)), "opaque"), (Some(id(3)), "text")]);
    assert_eq!(ledger.unknown.len(), 1);
}

#[test]
fn unread_assets_are_not_evaluated() {
    let reason = |asset: &AssetFacts| match &asset.content {
        Content::NotEvaluated(why) => why.to_string(),
        other => panic!("{other:?}"),
    };
    let short = Limits { text_bytes: 40, ..Limits::default() };
    let script = &scan_bytes(&archive().gzip(), &short).assets[6];
    assert_eq!(reason(script), "it is larger than the limit `text_bytes`");
    assert!(script.content_hash.is_some());

    let small = Limits { entry_bytes: 600, ..Limits::default() };
    let ledger = scan_bytes(&archive().gzip(), &small);
    let mesh = &ledger.assets[9];
    assert_eq!((ledger.status, reason(mesh)), (Status::Incomplete, "it could not be read to its end".into()));
    assert_eq!((ledger.assets.len(), mesh.content_hash), (assets().len(), None));

    // The cut is within the second texture, which is read in pieces, or within the mesh, which is held in memory.
    let tar = archive().tar();
    let place = |bytes: &[u8]| tar.windows(40).position(|window| window == &bytes[..40]).unwrap();
    for (cut, last) in [(place(&large_texture()) + 100_000, 1), (place(&MeshFile::cube().encode()) + 60, 9)] {
        let ledger = scan_bytes(&tar[..cut], &Limits::default());
        assert_eq!((ledger.assets.len(), ledger.status), (last + 1, Status::Incomplete));
        let cut = &ledger.assets[last];
        assert_eq!((cut.content_hash, cut.bytes), (None, assets()[last].1.len() as u64));
        assert_eq!(reason(cut), "it could not be read to its end");
    }
}

#[test]
fn terrain_is_measured_while_it_is_read() {
    let mut heights = vec![21.0_f32; 256 * 256];
    (heights[7], heights[9], heights[10_000]) = (-2.5, f32::NAN, 80.25);
    let bytes: Vec<u8> = heights.iter().flat_map(|height| height.to_le_bytes()).collect();
    let archive =
        Archive::new(&control(REGION, "256,256")).add("terrains/Hill.r32", &bytes).add("assets/", "");
    let ledger = scan_bytes(&archive.gzip(), &Limits::default());
    let terrain = ledger.regions[0].terrain.as_ref().unwrap();
    let heights = terrain.heights.unwrap();
    assert_eq!((ledger.regions[0].name.as_str(), terrain.bytes), ("Hill", 262_144));
    assert_eq!((heights.samples, heights.not_finite), (65_536, 1));
    assert_eq!((heights.min, heights.max), (Some(Number(-2.5)), Some(Number(80.25))));
    let cut = scan_bytes(&archive.tar()[..100_000], &Limits::default());
    assert_eq!(cut.regions[0].terrain.as_ref().map(|terrain| terrain.heights), Some(None));
}

/// A missing asset is not a finding if nothing proves that it should exist, and it is not a pass either.
#[test]
fn unproven_losses_are_not_evaluated() {
    let chest = Prim { contains: Some(uuid(0xa55e_7000, 50)), ..Prim::new("Chest", 1) };
    // One script that exists, and a sound that is missing.
    let items = item(10, &uuid(0xa55e_7000, 7)) + &item(1, &uuid(0xa55e_7000, 51));
    let object = xml2(&[chest]).replace("</TaskInventory>", &(items + "</TaskInventory>"));
    let bare = Archive::new(&control(REGION, "256,256")).add("objects/chest.xml", &object);
    let with_assets =
        assets().into_iter().fold(bare.clone(), |archive, (name, bytes)| archive.add(&name, bytes));
    let evaluated = |bytes: &[u8]| {
        let (ledger, profile) = (scan_bytes(bytes, &Limits::default()), Profile::default());
        rules::evaluate(&Measured::new(&ledger, &profile), &rules::RuleContext::default())
    };

    let whole = evaluated(&with_assets.gzip());
    let found = |code| whole.findings.iter().filter(|finding| finding.code == code).count();
    assert_eq!(
        (found(Code::OBJ009), whole.not_evaluated.get(&(Code::OBJ009, SkipReason::NoAssets))),
        (1, None)
    );
    let without = evaluated(&bare.gzip());
    let tar = with_assets.tar();
    // Half of the archive ends within the second texture.
    let cut = evaluated(&tar[..tar.len() / 2]);
    for (verdicts, reason) in [(without, SkipReason::NoAssets), (cut, SkipReason::Incomplete)] {
        for code in [Code::OBJ009, Code::OBJ012, Code::AST001, Code::AST002] {
            assert!(verdicts.findings.iter().all(|finding| finding.code != code), "{code}: {reason:?}");
            assert!(
                verdicts.not_evaluated.get(&(code, reason)).is_some_and(|count| *count > 0),
                "{code}: {reason:?}"
            );
        }
    }
}

/// Returns an item of a part's contents.
fn item(kind: u8, asset: &str) -> String {
    format!(
        "<TaskInventoryItem><AssetID><UUID>{asset}</UUID></AssetID><InvType>{kind}</InvType><Name>it</Name>\
         <Type>{kind}</Type></TaskInventoryItem>"
    )
}

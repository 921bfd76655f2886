//! A copy of an archive that a loader takes.

use crate::support::{
    archive::{Archive, control, gzip, parcel, settings},
    desk::{DONE, Desk, INCOMPLETE, USAGE},
    object::{Face, OWNER, Prim, uuid, xml1, xml2},
    repository,
};
use flate2::read::GzDecoder;
use std::{
    collections::BTreeSet,
    fs,
    io::{Cursor, Read, Write},
    path::Path,
};
use zip::write::SimpleFileOptions;

type Members = Vec<(String, Vec<u8>)>;

/// Returns the members of a tar with gzip in their order.
fn members(path: &Path) -> Members {
    let mut tar = tar::Archive::new(GzDecoder::new(fs::File::open(path).unwrap()));
    let mut members = Vec::new();
    let mut long_name = None;
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        match name == "././@LongLink" {
            true => long_name = Some(String::from_utf8(bytes).unwrap().trim_end_matches('\0').to_owned()),
            false => members.push((long_name.take().unwrap_or(name), bytes)),
        }
    }
    members
}

/// Returns the number of blockers that an audit finds.
fn blockers(desk: &Desk, archive: &str) -> usize {
    desk.run_to(DONE, &format!("audit {archive} --out report -q --profile opensim-ubode"));
    desk.column("report", "findings", "severity").iter().filter(|severity| *severity == "blocker").count()
}

/// Returns a column of the table of changes. Empty without changes.
fn changes(desk: &Desk, column: &str) -> Vec<String> {
    let Ok(mut table) = csv::Reader::from_path(desk.at("out.oar.repairs.csv")) else { return Vec::new() };
    let at = table.headers().unwrap().iter().position(|name| name == column).unwrap();
    table.records().map(|row| row.unwrap()[at].to_owned()).collect()
}

fn region() -> Archive {
    Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/Chest.xml", xml2(&[Prim::new("Chest", 1), Prim::new("Lid", 2)]))
        .add("objects/Stool.xml", xml2(&[Prim::new("Stool", 10)]))
        .add(&format!("assets/{}_notecard.txt", uuid(3, 1)), "Linden text version 2")
        .flat_ground("terrains/Harbour.r32", 256)
        .add("landdata/All.xml", parcel(&uuid(7, 1), "All", OWNER, 64, |_, _| true))
        .add("settings/Harbour.xml", settings("1"))
}

/// Returns the region with a text of one member replaced.
fn with(member: &str, old: &str, new: &str) -> Archive {
    let mut archive = region();
    let (_, bytes) = archive.members.iter_mut().find(|(name, _)| name == member).unwrap();
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.contains(old), "{member} lacks {old}");
    *bytes = text.replacen(old, new, 1).into_bytes();
    archive
}

#[test]
fn samples_with_blockers_load_and_other_members_stay() {
    let desk = Desk::with(&[]);
    let mut mended = 0;
    let mut folders = vec![repository().join("sample_data")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
                continue;
            }
            let is_archive = entry.extension().is_some_and(|ending| ending == "oar" || ending == "iar");
            // Nothing is in these.
            if !is_archive || entry.ends_with("no-bytes.oar") || entry.ends_with("zip.oar") {
                continue;
            }
            fs::copy(&entry, desk.at("in.oar")).unwrap();
            let _ = fs::remove_file(desk.at("out.oar.repairs.csv"));
            let before = blockers(&desk, "in.oar");
            desk.run_to(DONE, "repair in.oar --out out.oar --overwrite -q --target opensim-ubode");
            assert_eq!(blockers(&desk, "out.oar"), 0, "{}", entry.display());
            mended += usize::from(before > 0);
            let named: BTreeSet<String> = changes(&desk, "member").into_iter().collect();
            if entry.ends_with("plain-tar.oar")
                || named.iter().any(|name| name.contains("archive.xml") || name.is_empty())
            {
                continue;
            }
            let [old, new] = [members(&desk.at("in.oar")), members(&desk.at("out.oar"))];
            let named = |name: &str| named.contains(name);
            let kept = |all: Members| all.into_iter().filter(|(name, _)| !named(name)).collect::<Members>();
            let names = |all: &Members| all.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
            let [old, new] = [kept(old), kept(new)];
            assert_eq!(names(&old), names(&new), "{}", entry.display());
            assert!(old == new, "{}", entry.display());
        }
    }
    assert!(mended >= 10, "{mended} samples have blockers");
}

#[test]
fn a_good_archive_is_copied_member_by_member() {
    let archive = region();
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    let run = desk.run_to(DONE, "repair region.oar --out out.oar");
    assert!(run.stdout.contains("0 blockers before, 0 after"), "{}", run.stdout);
    assert!(run.stdout.contains("7 of 7 members unchanged; 0 changes."), "{}", run.stdout);
    assert_eq!(members(&desk.at("out.oar")), archive.members);
    assert!(!desk.at("out.oar.repairs.csv").exists() && !desk.at("out.oar.left-out").exists());
    // What an earlier copy left is gone.
    let other = region().add("README.md", "of the owner");
    fs::write(desk.at("region.oar"), other.clone().add("objects/Empty.xml", "<SceneObjectGroup/>").gzip())
        .unwrap();
    desk.run_to(DONE, "repair region.oar --out out.oar --overwrite");
    assert!(desk.at("out.oar.repairs.csv").exists() && desk.at("out.oar.left-out").exists());
    fs::write(desk.at("region.oar"), other.gzip()).unwrap();
    desk.run_to(DONE, "repair region.oar --out out.oar --overwrite");
    assert!(!desk.at("out.oar.repairs.csv").exists() && !desk.at("out.oar.left-out").exists());
    assert_eq!(members(&desk.at("out.oar")), other.members);
}

#[test]
fn one_field_is_mended_and_all_else_stays() {
    let zero = "00000000-0000-0000-0000-000000000000";
    for (member, old, new, code, mended) in [
        (
            "objects/Chest.xml",
            "<CreationDate>1500000000</CreationDate>",
            "<CreationDate>soon</CreationDate>",
            "OBJ014",
            "",
        ),
        (
            "objects/Chest.xml",
            "<LinkNum>1</LinkNum>",
            "<LinkNum>1.0</LinkNum>",
            "OBJ014",
            "<LinkNum>1</LinkNum>",
        ),
        (
            "objects/Chest.xml",
            "<Name>Chest</Name>",
            "<Name>Chest<br/></Name>",
            "OBJ014",
            "<Name>Chest</Name>",
        ),
        (
            "objects/Chest.xml",
            "<Name>Chest</Name>",
            "<Name>Chest\u{1}</Name>",
            "OBJ002",
            "<Name>Chest</Name>",
        ),
        (
            "objects/Chest.xml",
            "<Name>Chest</Name>",
            "<Name>Chest & lid</Name>",
            "OBJ001",
            "<Name>Chest &amp; lid</Name>",
        ),
        (
            "objects/Stool.xml",
            "<SceneObjectGroup>",
            "\u{feff}<SceneObjectGroup>",
            "OBJ002",
            "<SceneObjectGroup>",
        ),
        ("settings/Harbour.xml", "<AllowDamage>False", "<AllowDamage>No", "REG005", ""),
        (
            "settings/Harbour.xml",
            "</GroundTextures>",
            &format!("<New>1</New>\n<PBR1>{zero}</PBR1>\n</GroundTextures>"),
            "REG005",
            "",
        ),
        (
            "landdata/All.xml",
            "<Name>All</Name>",
            "<Name>All & more</Name>",
            "REG006",
            "<Name>All &amp; more</Name>",
        ),
        ("archive.xml", "major_version=\"0\"", "major_version=\"2\"", "ARC006", "major_version=\"0\""),
        ("archive.xml", "<datetime>1500000000", "<datetime><a/>1500000000", "ARC006", "<datetime>1500000000"),
    ] {
        let archive = with(member, old, new);
        let desk = Desk::with(&[("region.oar", &archive.gzip())]);
        desk.run_to(DONE, "repair region.oar --out out.oar -q");
        assert_eq!(blockers(&desk, "out.oar"), 0, "{new}");
        assert!(changes(&desk, "code").contains(&code.to_owned()), "{new}: {:?}", changes(&desk, "code"));
        assert_eq!(changes(&desk, "member").iter().collect::<BTreeSet<_>>().len(), 1, "{new}");
        let copy = members(&desk.at("out.oar"));
        for ((name, is), (_, was)) in copy.iter().zip(&archive.members) {
            match name == member {
                false => assert_eq!(is, was, "{new}: {name}"),
                true if mended.is_empty() => {}
                true => {
                    let was = std::str::from_utf8(was).unwrap().replacen(new, mended, 1);
                    assert_eq!(std::str::from_utf8(is).unwrap(), was, "{new}");
                }
            }
        }
        // Nothing is left to mend.
        let again = desk.run_to(DONE, "repair out.oar --out again.oar");
        assert!(again.stdout.contains("0 changes"), "{new}: {}", again.stdout);
        assert_eq!(members(&desk.at("again.oar")), copy, "{new}");
    }
}

#[test]
fn settings_lose_only_what_the_target_does_not_know() {
    let archive = with("settings/Harbour.xml", "</GroundTextures>", "<New>1</New>\n</GroundTextures>");
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "repair region.oar --out out.oar -q");
    let text = String::from_utf8(members(&desk.at("out.oar")).pop().unwrap().1).unwrap();
    assert_eq!(text, settings("1").replace("</GroundTextures>", "\n</GroundTextures>"));
}

/// Returns a zip of the members.
fn zip(archive: &Archive) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in &archive.members {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_container_that_no_loader_takes_becomes_an_archive() {
    let archive = region();
    let below: Archive = Archive {
        members: archive
            .members
            .iter()
            .map(|(name, bytes)| (format!("Harbour/{name}"), bytes.clone()))
            .collect(),
    };
    let dotted: Archive = Archive {
        members: archive.members.iter().map(|(name, bytes)| (format!("./{name}"), bytes.clone())).collect(),
    };
    let mut last = archive.clone();
    last.members.rotate_left(1);
    let marked = with("archive.xml", "<?xml", "\u{feff}<?xml");
    let mut without = archive.clone();
    without.members.remove(0);
    for (bytes, code) in [
        (archive.tar(), "ARC015"),
        (zip(&archive), "ARC008"),
        (below.gzip(), "ARC004"),
        (dotted.gzip(), "ARC004"),
        (last.gzip(), "ARC005"),
        (marked.gzip(), "ARC006"),
        (without.gzip(), "ARC003"),
        (archive.tar()[..archive.tar().len() - 1024].to_vec(), "ARC002"),
    ] {
        let desk = Desk::with(&[("region.oar", &bytes)]);
        assert!(blockers(&desk, "region.oar") > 0 || code == "ARC005", "{code}");
        desk.run_to(DONE, "repair region.oar --out out.oar -q");
        assert!(changes(&desk, "code").contains(&code.to_owned()), "{code}: {:?}", changes(&desk, "code"));
        assert_eq!(blockers(&desk, "out.oar"), 0, "{code}");
        let copy = members(&desk.at("out.oar"));
        assert_eq!(copy[0].0, "archive.xml", "{code}");
        let mut rest = last.members[..6].to_vec();
        if code == "ARC008" {
            // The members of a zip have no order.
            rest.sort();
        }
        assert!(copy[1..] == rest, "{code}");
        if code != "ARC003" {
            assert_eq!(copy[0].1, archive.members[0].1, "{code}");
        }
    }
}

#[test]
fn a_cut_archive_keeps_its_whole_members() {
    let archive = region();
    let tar = archive.tar();
    // Into the terrain, which is much larger than all before it.
    let cut = gzip(&tar[..100_000]);
    let desk = Desk::with(&[("region.oar", &cut)]);
    let run = desk.run_to(INCOMPLETE, "repair region.oar --out out.oar");
    assert!(run.stdout.contains("was not read to its end"), "{}", run.stdout);
    assert_eq!(members(&desk.at("out.oar")), archive.members[..4]);
    let left_out: Vec<_> = fs::read_dir(desk.at("out.oar.left-out")).unwrap().collect();
    assert_eq!(left_out.len(), 1);
    assert_eq!(blockers(&desk, "out.oar"), 0);
}

#[test]
fn objects_are_moved_inside_on_request() {
    let at = |name: &str, number: u32, position: [f64; 3]| {
        let prim = |name: &str, number| Prim { position, ..Prim::new(name, number) };
        xml2(&[prim(name, number), Prim { offset: [1.0, 0.0, 0.0], ..prim("Child", number + 1) }])
    };
    let archive = region()
        .add("objects/East.xml", at("East", 40, [256.0, 10.5, 25.0]))
        .add("objects/Deep.xml", at("Deep", 50, [10.0, -7.25, -200.0]));
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "repair region.oar --out out.oar -q --target opensim-ubode");
    assert_eq!(members(&desk.at("out.oar")), archive.members, "nobody asked for it");
    desk.run_to(DONE, "repair region.oar --out out.oar -q --target opensim-ubode --move-inside --overwrite");
    let copy = members(&desk.at("out.oar"));
    assert_eq!(copy[7].1, at("East", 40, [255.5, 10.5, 25.0]).into_bytes());
    assert_eq!(copy[8].1, at("Deep", 50, [10.0, 0.5, -99.0]).into_bytes());
    assert_eq!(copy[..7], archive.members[..7]);
    assert_eq!(changes(&desk, "code"), ["POS002", "POS002"]);
    assert_eq!(changes(&desk, "old"), ["256, 10.5, 25", "10, -7.25, -200"]);
    desk.run_to(DONE, "audit out.oar --out report -q --profile opensim-ubode");
    let codes = desk.column("report", "findings", "code");
    assert!(!codes.iter().any(|code| code == "POS002" || code == "POS003"), "{codes:?}");
    // A smaller target has less room.
    desk.run_to(DONE, "repair region.oar --out out.oar -q --move-inside --region-size 128x128 --overwrite");
    assert_eq!(changes(&desk, "code").len(), 4);
}

#[test]
fn missing_assets_are_copied_in_at_any_depth() {
    let [outer, texture] = [uuid(3, 20), uuid(3, 21)];
    let face = Face { texture: texture.parse().unwrap(), ..Face::default() };
    let inner = xml1(&[Prim { faces: vec![face], ..Prim::new("Inner", 70) }]);
    let chest = xml2(&[Prim { contains: Some(outer.clone()), ..Prim::new("Box", 80) }]);
    let archive = region().add("objects/Box.xml", chest);
    let other = Archive::new(&control(&uuid(0x4e4e_4e4e, 2), "256,256"))
        .add(&format!("assets/{}_texture.jp2", uuid(3, 22)), "of nobody")
        .add(&format!("assets/{outer}_object.xml"), inner);
    let desk = Desk::with(&[
        ("region.oar", &archive.gzip()),
        ("other.oar", &other.gzip()),
        (&format!("store/{texture}.j2c"), b"\xFF\x4F\xFF\x51 a texture"),
    ]);
    desk.run_to(DONE, "repair region.oar --out out.oar -q --assets other.oar --assets store");
    let copy = members(&desk.at("out.oar"));
    assert_eq!(copy[..8], archive.members[..8]);
    let mut added: Vec<String> = copy[8..].iter().map(|(name, _)| name.clone()).collect();
    added.sort();
    assert_eq!(added, [format!("assets/{outer}_object.xml"), format!("assets/{texture}_texture.jp2")]);
    assert_eq!(changes(&desk, "code"), ["AST001", "AST001"]);
}

#[test]
fn people_are_replaced_by_a_map() {
    let archive = region();
    let instead = uuid(0x0d0d_0d0d, 1);
    let desk = Desk::with(&[
        ("region.oar", &archive.gzip()),
        ("people.csv", format!("old,new\n{OWNER},{instead}\n").as_bytes()),
        ("bad.csv", b"old,new\nnobody,nobody\n"),
    ]);
    desk.run_to(DONE, "repair region.oar --out out.oar -q --owners people.csv");
    let replaced = |(name, bytes): (String, Vec<u8>)| match name.starts_with("objects/")
        || name.starts_with("landdata/")
    {
        true => (name, String::from_utf8(bytes).unwrap().replace(OWNER, &instead).into_bytes()),
        false => (name, bytes),
    };
    let expected: Members = archive.members.into_iter().map(replaced).collect();
    assert_eq!(members(&desk.at("out.oar")), expected);
    // Owner and creator of three prims, and the owner of the parcel.
    assert_eq!(changes(&desk, "code"), ["OWN001"; 7]);
    let run = desk.run_to(USAGE, "repair region.oar --out out.oar --overwrite --owners bad.csv");
    assert!(run.stderr.contains("Row 2 of bad.csv is not two UUIDs"), "{}", run.stderr);
}

#[test]
fn assets_that_nothing_uses_are_left_out_on_request() {
    let texture = uuid(3, 9);
    let face = Face { texture: texture.parse().unwrap(), ..Face::default() };
    let used = format!("assets/{texture}_texture.jp2");
    let archive = region()
        .add("objects/Painted.xml", xml2(&[Prim { faces: vec![face], ..Prim::new("Painted", 60) }]))
        .add(&used, "a texture");
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    let run = desk.run_to(DONE, "repair region.oar --out out.oar --drop-unused");
    assert!(run.stdout.contains("1 asset left out that nothing uses."), "{}", run.stdout);
    let mut kept = archive.members.clone();
    kept.remove(3);
    assert_eq!(members(&desk.at("out.oar")), kept);
    assert_eq!(changes(&desk, "member"), [archive.members[3].0.clone()]);
    // An object that cannot be read may use it.
    let damaged = archive.add("objects/Damaged.xml", "<SceneObjectGroup><a></SceneObjectGroup>");
    fs::write(desk.at("region.oar"), damaged.gzip()).unwrap();
    let run = desk.run_to(USAGE, "repair region.oar --out out.oar --drop-unused --overwrite");
    assert!(run.stderr.contains("Repair it first, then the copy"), "{}", run.stderr);
}

#[test]
fn members_that_memory_should_not_hold_are_copied() {
    // A region of 2 km has 16 MB of terrain.
    let archive =
        Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "2048,2048")).flat_ground("terrains/Large.r32", 2048);
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "repair region.oar --out out.oar -q");
    assert!(members(&desk.at("out.oar")) == archive.members);
    let tar = archive.tar();
    fs::write(desk.at("region.oar"), gzip(&tar[..tar.len() - 9_000])).unwrap();
    desk.run_to(INCOMPLETE, "repair region.oar --out out.oar -q --overwrite");
    assert!(members(&desk.at("out.oar")) == archive.members[..1]);
    assert_eq!(changes(&desk, "new"), ["", "left out"]);
}

#[test]
fn what_no_change_mends_is_left_out_as_it_is() {
    let hopeless = "<SceneObjectGroup></SceneObjectGroup>";
    let mut archive = region().add("objects/../Empty.xml", hopeless).add("objects/Empty box.xml", hopeless);
    // A writer of archives in a test may not write such a path.
    archive.members.remove(7);
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    let run = desk.run_to(DONE, "repair region.oar --out out.oar");
    assert!(run.stdout.contains("1 member left out (out.oar.left-out)"), "{}", run.stdout);
    assert_eq!(members(&desk.at("out.oar")), archive.members[..7]);
    let file = desk.at("out.oar.left-out/00001_objects_Empty_box.xml");
    assert_eq!(fs::read_to_string(file).unwrap(), hopeless);
    assert_eq!(
        (changes(&desk, "new"), changes(&desk, "code")),
        (vec!["left out".into()], vec!["OBJ001".into()])
    );
}

#[test]
fn land_that_an_earlier_parcel_has_is_taken_from_the_later_one() {
    let later = parcel(&uuid(7, 2), "West", OWNER, 64, |x, _| x < 32);
    let mut archive =
        with("landdata/All.xml", "<Name>All</Name>", "<Name>East</Name>").add("landdata/West.xml", later);
    archive.members[5].1 = parcel(&uuid(7, 1), "East", OWNER, 64, |x, _| x >= 16).into_bytes();
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "repair region.oar --out out.oar -q");
    let west = parcel(&uuid(7, 2), "West", OWNER, 64, |x, _| x < 16).into_bytes();
    let copy = members(&desk.at("out.oar"));
    assert_eq!((&copy[5].1, &copy[7].1), (&archive.members[5].1, &west));
    assert_eq!(
        (changes(&desk, "old"), changes(&desk, "new")),
        (vec!["32768 m²".into()], vec!["16384 m²".into()])
    );
}

#[test]
fn a_parcel_inside_an_earlier_one_keeps_its_land() {
    let inner = parcel(&uuid(7, 2), "Plaza", OWNER, 64, |x, y| x < 8 && y < 8);
    let archive = region().add("landdata/Plaza.xml", &inner);
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "repair region.oar --out out.oar -q");
    let copy = members(&desk.at("out.oar"));
    let outer = parcel(&uuid(7, 1), "All", OWNER, 64, |x, y| x >= 8 || y >= 8);
    assert_eq!((&copy[5].1, &copy[7].1), (&outer.into_bytes(), &inner.into_bytes()));
    desk.run_to(DONE, "audit out.oar --out report -q --profile opensim-ubode");
    assert!(!desk.column("report", "findings", "code").contains(&"REG008".to_owned()));
}

#[test]
fn terrain_and_names_of_assets_are_mended() {
    let wave = format!("assets/{}.wav", uuid(3, 2));
    let braces = format!("assets/{{{}}}_notecard.txt", uuid(3, 3));
    let mut archive = region().add(&wave, "RIFF").add(&braces, "Linden text version 2");
    archive.members[4].1.truncate(256 * 4 * 100 + 2);
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "repair region.oar --out out.oar -q");
    let copy = members(&desk.at("out.oar"));
    assert_eq!(copy[4].1.len(), 256 * 256 * 4);
    assert_eq!(copy[7].0, format!("assets/{}_sound.wav", uuid(3, 2)));
    assert_eq!(copy[8].0, format!("assets/{}_notecard.txt", uuid(3, 3)));
    assert_eq!(changes(&desk, "code"), ["POS008", "ARC010", "ARC010"]);
}

/// What uses an asset says its type, if its name and its content do not. One that nothing uses keeps its name.
#[test]
fn an_asset_without_a_type_gets_that_of_its_use() {
    let [mesh, other] = [uuid(3, 30), uuid(3, 31)];
    let archive = region()
        .add("objects/Shown.xml", xml2(&[Prim { mesh: Some(mesh.clone()), ..Prim::new("Shown", 60) }]))
        .add(&format!("assets/{mesh}"), "a mesh")
        .add(&format!("assets/{other}"), "anything");
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "repair region.oar --out out.oar -q");
    let names: Vec<String> = members(&desk.at("out.oar")).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names[names.len() - 2..], [format!("assets/{mesh}_mesh.llmesh"), format!("assets/{other}")]);
    assert_eq!(changes(&desk, "code"), ["ARC010"]);
}

#[test]
fn prims_and_items_with_one_uuid_get_their_own() {
    let chest = Prim { scripts: 2, ..Prim::new("Chest", 1) };
    let twins =
        xml2(&[chest, Prim::new("Lid", 2)]).replace(&Prim::new("Lid", 2).uuid, &Prim::new("Chest", 1).uuid);
    let archive = region().add("objects/Twins.xml", &twins);
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "repair region.oar --out out.oar -q");
    assert_eq!(blockers(&desk, "out.oar"), 0);
    assert_eq!(changes(&desk, "code"), ["OBJ015"]);
    let first = fs::read(desk.at("out.oar")).unwrap();
    desk.run_to(DONE, "repair region.oar --out out.oar -q --overwrite --threads 1");
    assert_eq!(fs::read(desk.at("out.oar")).unwrap(), first, "the same archive gives the same bytes");
}

#[test]
fn a_file_of_an_object_is_mended_alone() {
    let text = xml2(&[Prim::new("Stool", 10)]);
    let desk =
        Desk::with(&[("stool.xml", text.replace("<Name>Stool</Name>", "<Name>St<b/>ool</Name>").as_bytes())]);
    let run = desk.run_to(DONE, "repair stool.xml --out mended.xml");
    assert!(run.stdout.contains("1 blocker before, 0 after"), "{}", run.stdout);
    assert_eq!(fs::read_to_string(desk.at("mended.xml")).unwrap(), text);
}

#[test]
fn nothing_is_written_that_was_not_asked_for() {
    let damaged = with("objects/Chest.xml", "<LinkNum>1</LinkNum>", "<LinkNum>one</LinkNum>");
    let bytes = damaged.gzip();
    let desk = Desk::with(&[("region.oar", &bytes), ("other.oar", b"mine")]);
    let run = desk.run_to(DONE, "repair region.oar --dry-run");
    assert!(
        run.stdout.contains("Nothing was written") && run.stdout.contains("<LinkNum>one</LinkNum> → removed")
    );
    desk.run_to(DONE, "repair region.oar --out region.mended.oar --dry-run");
    let rest: BTreeSet<_> =
        fs::read_dir(desk.at(".")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(rest.len(), 2, "{rest:?}");
    for arguments in [
        "repair region.oar --out region.oar --overwrite",
        "repair region.oar --out other.oar",
        "repair region.oar",
    ] {
        desk.run_to(USAGE, arguments);
    }
    assert_eq!(
        (fs::read(desk.at("region.oar")).unwrap(), fs::read(desk.at("other.oar")).unwrap()),
        (bytes, b"mine".to_vec())
    );
    // Only faults of these rules are mended, and the others are said.
    let run = desk.run_to(1, "repair region.oar --out out.oar --only ARC,OBJ016");
    assert!(run.stdout.contains("1 blocker before, 1 after"), "{}", run.stdout);
    assert_eq!(members(&desk.at("out.oar")), damaged.members);
}

/// A broken asset is left out, and a whole one takes its place.
#[test]
fn broken_assets_are_replaced_by_whole_ones() {
    let texture = uuid(3, 9);
    let face = Face { texture: texture.parse().unwrap(), ..Face::default() };
    let broken = format!("assets/{texture}_texture.jp2");
    let archive = region()
        .add("objects/Painted.xml", xml2(&[Prim { faces: vec![face], ..Prim::new("Painted", 60) }]))
        .add(&broken, "no image at all");
    let whole = b"\xFF\x4F\xFF\x51 a texture";
    let desk = Desk::with(&[("region.oar", &archive.gzip()), (&format!("store/{texture}.j2c"), whole)]);
    desk.run_to(DONE, "repair region.oar --out same.oar -q");
    assert_eq!(members(&desk.at("same.oar")), archive.members);
    let run = desk.run_to(DONE, "repair region.oar --out out.oar --drop-broken");
    assert!(run.stdout.contains("1 member left out (out.oar.left-out)."), "{}", run.stdout);
    assert_eq!(members(&desk.at("out.oar")), archive.members[..archive.members.len() - 1]);
    let left_out = desk.files("out.oar.left-out");
    assert_eq!(left_out.values().collect::<Vec<_>>(), [b"no image at all"]);
    assert_eq!(changes(&desk, "code"), ["AST004"]);
    desk.run_to(DONE, "repair region.oar --out out.oar --drop-broken --assets store --overwrite");
    let mut expected = archive.members.clone();
    expected.last_mut().unwrap().1 = whole.to_vec();
    assert_eq!(members(&desk.at("out.oar")), expected);
}

/// A document with a change at each byte lists the first ones, and counts the others.
#[test]
fn very_many_changes_are_counted() {
    let part = "<SceneObjectPart><Shape></Shape></SceneObjectPart>";
    let document = format!("<SceneObjectGroup>{part}{}</SceneObjectGroup>", "</b>".repeat(12_345));
    let archive = region().add("objects/Many.xml", document);
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run("repair region.oar --out out.oar -q");
    let why = changes(&desk, "why");
    assert!(why.contains(&"2,345 further changes of the markup".to_owned()), "{:?}", why.last());
}

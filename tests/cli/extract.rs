//! Some objects of an archive as an archive of their own.

use crate::support::{
    archive::{Archive, control, control_of_many, parcel, settings},
    desk::{DONE, Desk, INCOMPLETE, USAGE},
    flat,
    object::{Face, OWNER, Prim, uuid, xml2},
    repository, scan_one, shared,
};
use flate2::read::GzDecoder;
use hullmark_settings::limits::Limits;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Read,
    path::Path,
};

fn asset(number: u32) -> String {
    uuid(0x0a5e_0a5e, number)
}

/// Returns the members of an archive in their order.
pub(super) fn members(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut tar = tar::Archive::new(GzDecoder::new(fs::File::open(path).unwrap()));
    let member = |entry: std::io::Result<tar::Entry<'_, GzDecoder<fs::File>>>| {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_str().unwrap().to_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        (name, bytes)
    };
    tar.entries().unwrap().map(member).collect()
}

pub(super) fn names(path: &Path) -> Vec<String> {
    members(path).into_iter().map(|(name, _)| name).collect()
}

fn textured(name: &str, number: u32, texture: u32, x: f64) -> Prim {
    let face = Face { texture: asset(texture).parse().unwrap(), ..Face::default() };
    Prim { faces: vec![face], position: [x, 100.0, 25.0], ..Prim::new(name, number) }
}

/// Returns a region of two parcels. A chest has a script and a box with a lamp, the lamp has a texture, and another object has the
/// same texture as the chest.
fn region() -> Archive {
    let chest = Prim { contains: Some(asset(9)), scripts: 1, ..textured("Chest", 1, 1, 10.0) };
    let lamp = textured("Lamp", 50, 3, 0.0);
    let half = |east: bool| move |x: usize, _| (x >= 32) == east;
    Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/Chest.xml", xml2(&[chest, Prim::new("Lid", 2)]))
        .add(&format!("assets/{}_texture.jp2", asset(1)), "of the chest and the stool")
        .add("objects/Stool.xml", xml2(&[textured("Stool", 10, 1, 20.0)]))
        .add(&format!("assets/{}_texture.jp2", asset(2)), "of the tree")
        .add("objects/Tree.xml", xml2(&[textured("Tree", 20, 2, 200.0)]))
        .add(&format!("assets/{}_object.xml", asset(9)), xml2(&[lamp]))
        .add(&format!("assets/{}_texture.jp2", asset(3)), "of the lamp")
        .add("landdata/West.xml", parcel(&uuid(7, 1), "West", OWNER, 64, half(false)))
        .add("landdata/East.xml", parcel(&uuid(7, 2), "East", OWNER, 64, half(true)))
        .add("settings/Harbour.xml", settings("1"))
}

/// Returns what an extract with these arguments has: the names of its objects.
fn objects(desk: &Desk, arguments: &str) -> Vec<String> {
    desk.run_to(DONE, &format!("extract region.oar {arguments} --out out.oar --overwrite"));
    let names = names(&desk.at("out.oar")).into_iter();
    let objects =
        names.filter_map(|name| Some(name.strip_prefix("objects/")?.strip_suffix(".xml")?.to_owned()));
    objects.collect()
}

#[test]
fn an_object_comes_with_its_assets_at_any_depth_and_no_other() {
    // The control file is the last one here, and the first one in the copy.
    let mut archive = region();
    archive.members.rotate_left(1);
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    let run = desk.run_to(DONE, "extract region.oar --object chest --out chest.oar");
    assert!(run.stdout.starts_with("Wrote 1 of 3 objects and 3 of 4 assets to chest.oar"), "{}", run.stdout);
    // Its script is in the library of every grid.
    assert!(!run.stdout.contains("lacks"), "{}", run.stdout);
    let copied = members(&desk.at("chest.oar"));
    let expected: Vec<&(String, Vec<u8>)> = archive
        .members
        .iter()
        .rev()
        .take(1)
        .chain(archive.members.iter().rev().skip(1).rev())
        .filter(|(name, _)| !name.contains("Stool") && !name.contains("Tree") && !name.contains(&asset(2)))
        .collect();
    assert_eq!(copied.iter().collect::<Vec<_>>(), expected, "other bytes, members or order");
    desk.run_to(DONE, "audit chest.oar --out report -q");
    assert_eq!(desk.column("report", "archives", "status"), ["complete"]);
    assert!(!desk.column("report", "findings", "code").contains(&"AST001".to_owned()));
    // The same objects give the same bytes.
    desk.run_to(DONE, "extract region.oar --object 0b0b0b0b-0000-4000-8000-000000000002 --out again.oar -q");
    assert_eq!(fs::read(desk.at("chest.oar")).unwrap(), fs::read(desk.at("again.oar")).unwrap());
}

#[test]
fn each_way_to_choose_and_its_opposite() {
    let desk = Desk::with(&[("region.oar", &region().gzip())]);
    let all: BTreeSet<String> = ["Chest", "Stool", "Tree"].map(str::to_owned).into();
    let cases: [(&str, &[&str]); 9] = [
        ("--object stool --object TREE", &["Stool", "Tree"]),
        ("--within 0,0,20,256", &["Chest"]),
        ("--within 20,100,21,101", &["Stool"]),
        ("--parcel west", &["Chest", "Stool"]),
        ("--parcel 00000007-0000-4000-8000-000000000002", &["Tree"]),
        ("--region Harbour --parcel East", &["Tree"]),
        ("--owner 0a0a0a0a-0000-4000-8000-000000000001 --object Tree", &["Tree"]),
        ("--creator 0a0a0a0a-0000-4000-8000-000000000001 --within 0,0,100,256", &["Chest", "Stool"]),
        ("--region 4e4e4e4e-0000-4000-8000-000000000001 --object Chest", &["Chest"]),
    ];
    for (arguments, expected) in cases {
        let found = objects(&desk, arguments);
        assert_eq!(found, expected, "{arguments}");
        let rest = objects(&desk, &format!("{arguments} --not"));
        let both: BTreeSet<String> = found.iter().chain(&rest).cloned().collect();
        assert_eq!((both, found.len() + rest.len()), (all.clone(), 3), "{arguments}");
    }
}

/// A rule finds an object itself, or an asset that the object uses.
#[test]
fn objects_are_chosen_by_what_a_rule_found() {
    let sample = fs::read(repository().join("sample_data/first-region.oar")).unwrap();
    let desk = Desk::with(&[("region.oar", &sample)]);
    let named = |arguments: &str| {
        let entries = objects(&desk, &format!("{arguments} --profile second-life"));
        let names = entries.iter().map(|entry| entry.split('_').next().unwrap().to_owned());
        names.collect::<BTreeSet<String>>()
    };
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<String>>();
    assert_eq!(named("--code HUL001"), names(&["Lighthouse"]), "the hull is in its mesh");
    assert_eq!(named("--code LNK,HUL001"), names(&["Lighthouse", "Pier"]));
    assert_eq!(named("--code LNK,HUL001 --object pier"), names(&["Pier"]));
    let rest = named("--code LNK,HUL001,AST001 --not");
    assert_eq!(rest, names(&["Bench", "Street lamp", "Rowing boat"]));
    // Without them, the copy has none of these findings.
    desk.run_to(DONE, "audit out.oar --out report -q --profile second-life");
    let codes = desk.column("report", "findings", "code");
    assert!(!codes.iter().any(|code| ["LNK001", "HUL001", "AST001"].contains(&code.as_str())), "{codes:?}");
    let run = desk.run_to(USAGE, "extract region.oar --code SCR001 --out new.oar");
    assert!(run.stderr.contains("No object of region.oar matches"), "{}", run.stderr);
}

/// Returns three regions from west to east, each with a hut and its texture.
pub(super) fn three_regions() -> Archive {
    let ids = [1, 2, 3].map(|number| uuid(0x4e4e_4e4e, number));
    let folders = ["1_1_West", "2_1_Middle", "3_1_East"];
    let cells = ids.iter().zip(folders).map(|(id, folder)| Some((id.as_str(), folder, "256,256")));
    let mut archive = Archive::new(&control_of_many(&[cells.collect()]));
    for (number, folder) in (1..).zip(folders) {
        let name = &folder[4..];
        archive = archive
            .add(&format!("regions/{folder}/settings/{name}.xml"), settings("1"))
            .flat_ground(&format!("regions/{folder}/terrains/{name}.r32"), 256)
            .add(
                &format!("regions/{folder}/objects/Hut.xml"),
                xml2(&[textured("Hut", 10 * number, number, 9.0)]),
            )
            .add(&format!("assets/{}_texture.jp2", asset(number)), name);
    }
    archive
}

#[test]
fn other_regions_become_gaps() {
    let archive = three_regions();
    let desk = Desk::with(&[("three.oar", &archive.gzip())]);
    let run = desk.run_to(DONE, "extract three.oar --region East --region West --out two.oar");
    assert!(run.stdout.contains("Land: 2 of 3 regions."), "{}", run.stdout);
    let copied = names(&desk.at("two.oar"));
    let expected: Vec<String> = archive
        .members
        .iter()
        .map(|(name, _)| name.clone())
        .filter(|name| !name.contains("Middle") && !name.contains(&asset(2)))
        .collect();
    assert_eq!(copied, expected);
    desk.run_to(DONE, "audit two.oar --out report -q");
    assert_eq!(desk.column("report", "regions", "region"), ["West", "East"]);
    assert_eq!(desk.column("report", "archives", "status"), ["complete"]);
}

#[test]
fn nothing_is_written_over_or_into_an_export() {
    let whole = region().gzip();
    let desk = Desk::with(&[
        ("region.oar", &whole),
        ("cut.oar", &whole[..whole.len() - 40]),
        ("other.oar", b"mine"),
        ("many/a.oar", &whole),
        ("many/b.oar", &whole),
    ]);
    let refused = [
        ("extract region.oar --object Chest --out region.oar --overwrite", "is in the archive that is read"),
        ("extract region.oar --object Chest --out other.oar", "other.oar exists"),
        ("extract region.oar --object Chair --out new.oar", "No object of region.oar matches"),
        ("extract region.oar --out new.oar", "Say what to take"),
        ("extract region.oar --object Chest --out nowhere/new.oar", "nowhere/new.oar cannot be found"),
        ("extract other.oar --object Chest --out new.oar", "is no archive of regions"),
        ("extract many --object Chest --out new.oar", "Name one archive"),
        ("extract region.oar --within 1,2,3 --out new.oar", "west, south, east and north"),
    ];
    for (command, words) in refused {
        let run = desk.run_to(USAGE, command);
        assert!(flat(&run.stderr).contains(words), "{command}: {}", run.stderr);
    }
    let run = desk.run_to(DONE, "extract region.oar --object Chest --out new.oar --dry-run --json");
    let view: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (view["objects"].as_u64(), view["assets"].as_u64(), &view["out"]),
        (Some(1), Some(3), &serde_json::Value::Null)
    );
    assert!(!desk.at("new.oar").exists());
    assert_eq!(fs::read(desk.at("region.oar")).unwrap(), whole);
    assert_eq!(fs::read(desk.at("other.oar")).unwrap(), b"mine");
    // Whole members of a cut archive are copied, and the exit code says that there may be more.
    let run = desk.run_to(INCOMPLETE, "extract cut.oar --object Chest --out part.oar");
    assert!(run.stdout.contains("not read to its end"), "{}", run.stdout);
    assert!(names(&desk.at("part.oar")).contains(&"objects/Chest.xml".to_owned()));
    let left: Vec<String> = desk.files(".").into_keys().filter(|name| name.contains("partial")).collect();
    assert_eq!(left, [""; 0]);
}

/// Real regions: the west and the rest are the whole, byte for byte.
#[test]
fn both_halves_of_a_real_region_are_the_whole() {
    let Some(data) = shared() else { return };
    for name in ["faraway.oar", "pathfindplayground.oar"] {
        let Some(path) = find(&data.join("data"), name) else { return };
        let desk = Desk::with(&[]);
        let ledger = scan_one(&path, &Limits::default());
        let rezzed = ledger.objects.iter().filter(|object| object.region.is_some());
        let mut xs: Vec<f64> = rezzed.map(|object| object.linkset.parts[0].group_position.x).collect();
        xs.sort_unstable_by(f64::total_cmp);
        let (middle, path) = (xs[xs.len() / 2], path.display());
        let (mut copies, mut objects) = (BTreeMap::new(), 0);
        for (out, not) in [("west.oar", ""), ("east.oar", " --not")] {
            desk.run_to(
                DONE,
                &format!("extract {path} --within -999,-999,{middle},9999{not} --out {out} -q"),
            );
            let members = members(&desk.at(out));
            objects += members.iter().filter(|(name, _)| name.starts_with("objects/")).count();
            copies.extend(members);
        }
        let whole: BTreeMap<String, Vec<u8>> = members(Path::new(&path.to_string())).into_iter().collect();
        let of_whole = whole.keys().filter(|name| name.starts_with("objects/")).count();
        assert_eq!(objects, of_whole, "{name}");
        for (member, bytes) in &copies {
            assert!(whole.get(member) == Some(bytes), "{name}: {member} has other bytes");
        }
        // Only assets that nothing uses are in neither half.
        let lost = whole.keys().filter(|member| !copies.contains_key(*member) && !member.ends_with('/'));
        assert!(
            lost.clone().all(|member| member.starts_with("assets/")),
            "{name}: {:?}",
            lost.collect::<Vec<_>>()
        );
    }
}

fn find(folder: &Path, name: &str) -> Option<std::path::PathBuf> {
    walkdir::WalkDir::new(folder)
        .into_iter()
        .filter_map(Result::ok)
        .find(|entry| entry.file_name() == name)
        .map(walkdir::DirEntry::into_path)
}

#[test]
fn objects_that_their_owner_may_not_take_are_left_out_and_named() {
    let made_by_another = |name: &str, number: u32, masks: &str| {
        let text = xml2(&[Prim::new(name, number)]);
        let text = text.replace(
            &format!("<CreatorID><UUID>{OWNER}"),
            &format!("<CreatorID><UUID>{}", uuid(0x0d0d_0d0d, 1)),
        );
        text.replace("<OwnerID>", &format!("{masks}<OwnerID>"))
    };
    let masks = |base: u32| {
        format!(
            "<BaseMask>{base}</BaseMask><OwnerMask>{base}</OwnerMask><GroupMask>0</GroupMask>\
             <EveryoneMask>0</EveryoneMask><NextOwnerMask>0</NextOwnerMask>"
        )
    };
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/Mine.xml", xml2(&[Prim::new("Mine", 1)]))
        .add("objects/Free.xml", made_by_another("Free", 2, &masks(0xa000)))
        .add("objects/NoCopy.xml", made_by_another("NoCopy", 3, &masks(0x2000)))
        .add("objects/NoTransfer.xml", made_by_another("NoTransfer", 4, &masks(0x8000)))
        .add("objects/Unknown.xml", made_by_another("Unknown", 5, ""));
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    for (rights, expected) in [
        ("CT", &["Mine", "Free"][..]),
        ("C", &["Mine", "Free", "NoTransfer"]),
        ("t", &["Mine", "Free", "NoCopy"]),
    ] {
        assert_eq!(objects(&desk, &format!("--permissions {rights}")), expected, "{rights}");
    }
    let run = desk.run_to(DONE, "extract region.oar --permissions CT --out out.oar --overwrite");
    assert!(
        run.stdout.contains("Left out, because their owner may not take them: 3 objects"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout.contains(&format!("  NoCopy (0b0b0b0b-0000-4000-8000-000000000003) of {OWNER}")),
        "{}",
        run.stdout
    );
    desk.run_to(USAGE, "extract region.oar --permissions X --out out.oar --overwrite");
}

/// Nobody knows whether an object that cannot be read is wanted.
#[test]
fn an_object_that_cannot_be_read_is_named() {
    let archive = region().add("objects/Torn.xml", "<SceneObjectGroup><SceneObjectPart>");
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    for command in ["--object Stool --out stool.oar", "--per owner --out owners"] {
        let run = desk.run_to(INCOMPLETE, &format!("extract region.oar {command}"));
        assert!(
            flat(&run.stdout).contains("`hullmark repair` may mend them: 1 member objects/Torn.xml"),
            "{}",
            run.stdout
        );
    }
    assert!(!names(&desk.at("stool.oar")).contains(&"objects/Torn.xml".to_owned()));
}

#[test]
fn one_object_is_a_file_of_xml() {
    let archive = region();
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    let run = desk.run_to(DONE, "extract region.oar --object Stool --out stool.xml");
    assert!(run.stdout.starts_with("Wrote 1 of 3 objects and 0 of 4 assets to stool.xml"), "{}", run.stdout);
    let (_, stool) = archive.members.iter().find(|(name, _)| name.ends_with("Stool.xml")).unwrap();
    assert_eq!(&fs::read(desk.at("stool.xml")).unwrap(), stool);
    let run = desk.run_to(USAGE, "extract region.oar --parcel West --out west.xml");
    assert!(run.stderr.contains("2 objects match, and a file of XML has one"), "{}", run.stderr);
    assert!(!desk.at("west.xml").exists());
}

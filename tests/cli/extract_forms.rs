//! Copies of objects in other forms: an inventory, another place, or one archive for each owner, parcel or square.

use super::extract::{members, names, three_regions};
use crate::support::{
    archive::{Archive, control, parcel, settings},
    desk::{DONE, Desk, USAGE},
    flat,
    object::{Face, OWNER, Prim, uuid, xml2},
    shared,
};
use std::{collections::BTreeMap, fs};

/// Columns that say the same of an object in a region and in an inventory.
const SAME: [&str; 8] = [
    "name",
    "parts",
    "scripts",
    "creator_uuid",
    "owner_uuid",
    "land_impact",
    "physics_cost",
    "streaming_cost",
];

fn asset(number: u32) -> String {
    uuid(0x0a5e_0a5e, number)
}

fn textured(name: &str, number: u32, texture: u32, [x, y]: [f64; 2]) -> Prim {
    let face = Face { texture: asset(texture).parse().unwrap(), ..Face::default() };
    Prim { faces: vec![face], position: [x, y, 25.0], ..Prim::new(name, number) }
}

/// Returns rows of a table by the UUIDs of the objects.
fn by_object(desk: &Desk, report: &str, columns: &[&str]) -> BTreeMap<String, Vec<String>> {
    let mut rows: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for column in columns {
        let uuids = desk.column(report, "objects", "object_uuid");
        for (uuid, value) in uuids.into_iter().zip(desk.column(report, "objects", column)) {
            rows.entry(uuid).or_default().push(value);
        }
    }
    rows
}

#[test]
fn objects_become_items_of_an_inventory() {
    let chest = Prim { contains: Some(asset(9)), scripts: 1, ..textured("Chest / <1>", 1, 1, [10.0, 10.0]) };
    let masks = |base: u32, owner: u32| {
        format!(
            "<BaseMask>{base}</BaseMask><OwnerMask>{owner}</OwnerMask><GroupMask>0</GroupMask>\
             <EveryoneMask>49152</EveryoneMask><NextOwnerMask>40960</NextOwnerMask><OwnerID>"
        )
    };
    // The lid may not be given to others.
    let document =
        xml2(&[chest, Prim::new("Lid", 2)]).replacen("<OwnerID>", &masks(0x7FFF_FFFF, 0x7FFF_FFFF), 1);
    let (root, lid) = document.split_once("<OtherParts>").unwrap();
    let lid = lid.replacen("<OwnerID>", &masks(0x7FFF_FFFF, 0xC000), 1);
    let document = format!("{root}<OtherParts>{lid}");
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/Chest.xml", &document)
        .add("objects/Stool.xml", xml2(&[textured("Stool", 10, 2, [20.0, 10.0])]))
        .add(&format!("assets/{}_texture.jp2", asset(1)), "of the chest")
        .add(&format!("assets/{}_texture.jp2", asset(2)), "of the stool")
        .add(&format!("assets/{}_object.xml", asset(9)), xml2(&[textured("Lamp", 50, 3, [0.0; 2])]))
        .add(&format!("assets/{}_texture.jp2", asset(3)), "of the lamp")
        .add("settings/Harbour.xml", settings("1"))
        .flat_ground("terrains/Harbour.r32", 256);
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    let run = desk.run_to(DONE, "extract region.oar --object Stool --not --out chest.iar");
    assert!(run.stdout.starts_with("Wrote 1 of 2 objects and 3 of 4 assets to chest.iar"), "{}", run.stdout);
    let copied = members(&desk.at("chest.iar"));
    let item = copied.iter().find(|(name, _)| name.starts_with("inventory/")).unwrap();
    assert!(item.0.starts_with("inventory/Chest _ _1___"), "{}", item.0);
    let text = String::from_utf8(item.1.clone()).unwrap();
    for expected in [
        "<Name>Chest / &lt;1&gt;</Name>",
        "<InvType>6</InvType>",
        "<CreationDate>1500000000</CreationDate>",
        "<BasePermissions>49152</BasePermissions>",
        "<CurrentPermissions>49152</CurrentPermissions>",
        "<EveryOnePermissions>49152</EveryOnePermissions>",
        "<NextPermissions>32768</NextPermissions>",
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert_eq!(copied.iter().filter(|(name, _)| name.contains("Harbour")).count(), 0, "it has no land");
    // The loader reads all of it.
    let run = desk.run_to(DONE, "repair chest.iar --dry-run");
    assert!(run.stdout.contains("6 of 6 members unchanged; 0 changes"), "{}", run.stdout);
    desk.run_to(DONE, "audit region.oar --out before -q");
    desk.run_to(DONE, "audit chest.iar --out after -q");
    let (before, after) = (by_object(&desk, "before", &SAME), by_object(&desk, "after", &SAME));
    assert_eq!(after.len(), 2, "the chest and the lamp in it");
    assert!(after.iter().all(|(object, row)| before[object] == *row), "{before:?} {after:?}");
    // Equal objects give equal bytes.
    desk.run_to(DONE, "extract region.oar --object Stool --not --out again.iar -q");
    assert_eq!(fs::read(desk.at("chest.iar")).unwrap(), fs::read(desk.at("again.iar")).unwrap());
    let run = desk.run_to(USAGE, "extract region.oar --object Stool --at 1,1,1 --out stool.iar");
    assert!(run.stderr.contains("An inventory has no places"), "{}", run.stderr);
}

/// All objects of a real region, as items, are what they were.
#[test]
fn a_real_region_becomes_an_inventory() {
    let Some(data) = shared() else { return };
    let path = data.join("data/pathfindplayground.oar");
    let desk = Desk::with(&[]);
    desk.run_to(DONE, &format!("extract {} --within -999,-999,9999,9999 --out all.iar -q", path.display()));
    desk.run_to(DONE, &format!("audit {} --out before -q", path.display()));
    desk.run_to(DONE, "audit all.iar --out after -q");
    let (before, after) = (by_object(&desk, "before", &SAME), by_object(&desk, "after", &SAME));
    assert!(before.len() > 4000 && before == after);
    let run = desk.run_to(DONE, "repair all.iar --dry-run");
    assert!(run.stdout.contains(" 0 changes."), "{}", run.stdout);
}

#[test]
fn objects_are_placed_where_somebody_wants_them() {
    let chest =
        [textured("Chest", 1, 1, [10.0, 10.0]), Prim { position: [10.0, 10.0, 25.0], ..Prim::new("Lid", 2) }];
    let stool = Prim { position: [20.25, 30.0, 30.0], ..Prim::new("Stool", 10) };
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/Chest.xml", xml2(&chest))
        .add("objects/Stool.xml", xml2(&[stool]));
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "extract region.oar --region nowhere --not --at 100,200,50 --out moved.oar");
    desk.run_to(DONE, "audit moved.oar --out report -q");
    let places = by_object(&desk, "report", &["position_x_m", "position_y_m", "position_z_m"]);
    let places: Vec<Vec<String>> = places.into_values().collect();
    assert_eq!(places, [["94.875", "190", "50"], ["105.125", "210", "55"]]);
    let chest = String::from_utf8(members(&desk.at("moved.oar"))[1].1.clone()).unwrap();
    assert_eq!(chest.matches("<GroupPosition><X>94.875</X><Y>190</Y><Z>50</Z></GroupPosition>").count(), 2);
    // One object as XML is placed, too.
    desk.run_to(DONE, "extract region.oar --object Chest --at 1,2,3 --out chest.xml");
    let text = fs::read_to_string(desk.at("chest.xml")).unwrap();
    assert_eq!(text.matches("<GroupPosition><X>1</X><Y>2</Y><Z>3</Z></GroupPosition>").count(), 2, "{text}");
    for (at, words) in [
        ("252,200,50", "At 252,200,50, 1 of 2 objects would be outside of the region."),
        ("1,2", "give three numbers"),
        ("1,2,NaN", "give three numbers"),
    ] {
        let run = desk.run_to(USAGE, &format!("extract region.oar --region x --not --at {at} --out no.oar"));
        assert!(flat(&run.stderr).contains(words), "{}", run.stderr);
    }
}

/// A region of 512 m whose heights are its metres eastward, and whose second parcel crosses two squares.
fn large_region(is_megaregion: bool) -> Archive {
    let text = control(&uuid(0x4e4e_4e4e, 1), "512,512");
    let text = text.replace(
        "<is_megaregion>False",
        if is_megaregion { "<is_megaregion>True" } else { "<is_megaregion>False" },
    );
    let heights = (0..512 * 512).flat_map(|at: u32| ((at % 512 + at / 512) as f32).to_le_bytes());
    let south_east = |x: usize, y: usize| x >= 64 && y < 64;
    Archive::new(&text)
        .add("objects/A.xml", xml2(&[textured("A", 1, 1, [10.0, 10.0])]))
        .add("objects/B.xml", xml2(&[textured("B", 2, 2, [256.0, 10.5])]))
        .add("objects/C.xml", xml2(&[textured("C", 3, 1, [300.0, 500.0])]))
        .add("objects/Stray.xml", xml2(&[textured("Stray", 4, 1, [-5.0, 900.0])]))
        .add(&format!("assets/{}_texture.jp2", asset(1)), "one")
        .add(&format!("assets/{}_texture.jp2", asset(2)), "two")
        .add("landdata/Corner.xml", parcel(&uuid(7, 1), "Corner", OWNER, 128, south_east))
        .add("landdata/Rest.xml", parcel(&uuid(7, 2), "Rest", OWNER, 128, move |x, y| !south_east(x, y)))
        .add("settings/Harbour.xml", settings("1"))
        .add("terrains/Harbour.r32", heights.collect::<Vec<u8>>())
}

#[test]
fn a_large_region_is_divided_into_squares() {
    let desk =
        Desk::with(&[("mega.oar", &large_region(true).gzip()), ("var.oar", &large_region(false).gzip())]);
    let run = desk.run_to(DONE, "extract mega.oar --per region --out squares");
    assert!(run.stdout.starts_with("Wrote 4 of 4 objects to 4 archives in squares."), "{}", run.stdout);
    desk.run_to(DONE, "extract var.oar --per square --out same -q");
    desk.run_to(DONE, "extract var.oar --per region --out whole -q");
    assert_eq!(desk.files("squares"), desk.files("same"));
    assert_eq!(desk.files("whole").len(), 2, "a region of 512 m is one region");
    let cases = [
        ("0-0", [0.0, 0.0], &[("A", ["10", "10"])][..], &["Rest"][..]),
        ("256-0", [256.0, 0.0], &[("B", ["0", "10.5"])], &["Corner"]),
        ("0-256", [0.0, 256.0], &[("Stray", ["-5", "644"])], &["Rest"]),
        ("256-256", [256.0, 256.0], &[("C", ["44", "244"])], &["Rest"]),
    ];
    let mut parcels = Vec::new();
    for (square, [east, north], objects, land) in cases {
        let name = format!("Harbour {square}.oar");
        fs::rename(desk.at("squares").join(&name), desk.at("square.oar")).unwrap();
        desk.run_to(DONE, "audit square.oar --out report -q");
        let found = |column: &str| desk.column("report", "objects", column);
        assert_eq!(found("name"), objects.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        assert_eq!(found("position_x_m"), objects.iter().map(|(_, [x, _])| *x).collect::<Vec<_>>());
        assert_eq!(found("position_y_m"), objects.iter().map(|(_, [_, y])| *y).collect::<Vec<_>>());
        assert_eq!(desk.column("report", "regions", "size_x_m"), ["256"]);
        assert_eq!(desk.column("report", "parcels", "parcel"), land);
        assert_eq!(desk.column("report", "parcels", "area_m2"), ["65536"]);
        parcels.extend(desk.column("report", "parcels", "parcel_uuid"));
        let members = members(&desk.at("square.oar"));
        let terrain = &members.iter().find(|(name, _)| name == "terrains/Harbour.r32").unwrap().1;
        let heights: Vec<f32> =
            terrain.chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
        assert_eq!(heights.len(), 256 * 256);
        let height = |x: f32, y: f32| heights[(y * 256.0 + x) as usize];
        for (x, y) in [(0.0, 0.0), (255.0, 0.0), (0.0, 255.0), (255.0, 255.0)] {
            assert_eq!(height(x, y), east + north + x + y, "{square}");
        }
    }
    assert_eq!([&parcels[0], &parcels[1]], [&uuid(7, 2), &uuid(7, 1)], "the first square keeps the UUID");
    parcels.sort_unstable();
    parcels.dedup();
    assert_eq!(parcels.len(), 4, "no two parcels share a UUID");
}

/// The archive of a megaregion has the land of one quarter.
#[test]
fn a_square_without_land_in_the_archive_has_none() {
    let mut archive = large_region(true);
    archive.members.retain(|(name, _)| !name.starts_with("landdata/") && !name.starts_with("terrains/"));
    let archive = archive
        .add("landdata/Whole.xml", parcel(&uuid(7, 1), "Whole", OWNER, 64, |_, _| true))
        .flat_ground("terrains/Harbour.r32", 256);
    let desk = Desk::with(&[("mega.oar", &archive.gzip())]);
    desk.run_to(DONE, "extract mega.oar --per square --out squares");
    let land = |square: &str| {
        let names = names(&desk.at("squares").join(format!("Harbour {square}.oar")));
        names
            .into_iter()
            .filter(|name| name.starts_with("landdata/") || name.starts_with("terrains/"))
            .collect()
    };
    let one: Vec<String> = land("0-0");
    assert_eq!(one, ["landdata/Whole.xml", "terrains/Harbour.r32"]);
    for square in ["256-0", "0-256", "256-256"] {
        assert_eq!(land(square), [""; 0]);
    }
}

#[test]
fn each_owner_and_parcel_has_an_archive_and_a_line_in_the_index() {
    let other = uuid(0x0a0a_0a0a, 2);
    let mine = xml2(&[textured("Mine", 1, 1, [10.0, 10.0])]);
    let hers = xml2(&[textured("Hers", 2, 2, [200.0, 10.0])]).replace(OWNER, &other);
    let half = |east: bool| move |x: usize, _| (x >= 32) == east;
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/Mine.xml", mine)
        .add("objects/Hers.xml", hers)
        .add(&format!("assets/{}_texture.jp2", asset(1)), "mine")
        .add("landdata/West.xml", parcel(&uuid(7, 1), "aux", OWNER, 64, half(false)))
        .add("landdata/East.xml", parcel(&uuid(7, 2), "../../East", OWNER, 64, half(true)))
        .add("settings/.xml", settings("1"));
    let desk = Desk::with(&[("region.oar", &archive.gzip())]);
    desk.run_to(DONE, "extract region.oar --per owner --out owners");
    let index = || fs::read_to_string(desk.at("owners/index.csv")).unwrap();
    let rows: Vec<String> = index().lines().map(|line| line.rsplit_once(',').unwrap().0.to_owned()).collect();
    assert_eq!(
        rows,
        [
            "file,name,uuid,east_m,north_m,objects,assets,missing_assets,left_out".to_owned(),
            format!("{OWNER}.oar,,{OWNER},,,1,1,0,0"),
            format!("{other}.oar,,{other},,,1,0,1,0"),
        ]
    );
    assert_eq!(names(&desk.at(&format!("owners/{other}.oar")))[1], "objects/Hers.xml");
    // A second run replaces its own files, and no others.
    let refused = |command: &str, words: &str| {
        let run = desk.run_to(USAGE, command);
        assert!(flat(&run.stderr).contains(words), "{}", run.stderr);
    };
    refused("extract region.oar --per owner --out owners", "owners exists.");
    desk.run_to(DONE, "extract region.oar --per owner --object Mine --out owners --overwrite");
    assert_eq!(desk.files("owners").len(), 2);
    fs::write(desk.at("owners/mine.txt"), "mine").unwrap();
    refused("extract region.oar --per owner --out owners --overwrite", "has files that no earlier run wrote");
    fs::create_dir(desk.at("mine")).unwrap();
    refused("extract region.oar --per owner --out mine --overwrite", "mine is no folder of an earlier run");
    refused("extract region.oar --per owner --object none --out new", "No object of region.oar matches");
    // Names of parcels are no paths.
    let run = desk.run_to(DONE, "extract region.oar --per parcel --out parcels --json");
    let view: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let files: Vec<&str> =
        view["files"].as_array().unwrap().iter().map(|row| row["file"].as_str().unwrap()).collect();
    assert_eq!(files, ["_aux.oar", "______East.oar"]);
    let run = desk.run_to(DONE, "extract region.oar --per parcel --out other --dry-run");
    assert!(run.stdout.starts_with("Would copy 2 of 2 objects to 2 archives."), "{}", run.stdout);
    assert!(!desk.at("other").exists());
    let left: Vec<String> = desk.files(".").into_keys().filter(|name| name.contains("partial")).collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn one_region_of_several_becomes_an_archive_that_any_region_loads() {
    let mut archive = three_regions();
    let is_wanted = |name: &str| !name.starts_with("assets/") && !name.contains("East/objects/");
    archive.members.retain(|(name, _)| is_wanted(name));
    let desk = Desk::with(&[("three.oar", &archive.gzip())]);
    desk.run_to(DONE, "extract three.oar --region Middle --out one.oar");
    assert_eq!(
        names(&desk.at("one.oar")),
        ["archive.xml", "settings/Middle.xml", "terrains/Middle.r32", "objects/Hut.xml"]
    );
    desk.run_to(DONE, "audit one.oar --out report -q");
    assert_eq!(desk.column("report", "regions", "region"), ["Middle"]);
    assert_eq!(desk.column("report", "regions", "region_uuid"), [uuid(0x4e4e_4e4e, 2).as_str()]);
    // A split has each region, also one without objects.
    let run = desk.run_to(DONE, "extract three.oar --per region --out regions");
    assert!(run.stdout.contains("3 archives"), "{}", run.stdout);
    assert!(names(&desk.at("regions/East.oar")).contains(&"terrains/East.r32".to_owned()));
    desk.run_to(DONE, "extract three.oar --per region --object Hut --out huts -q");
    assert_eq!(desk.files("huts").len(), 3, "two regions and the index");
    let run = desk.run_to(USAGE, "extract three.oar --object Hut --at 1,1,1 --out hut.oar");
    assert!(
        flat(&run.stderr).contains("The objects are in 2 regions, and --at is a place in one."),
        "{}",
        run.stderr
    );
}

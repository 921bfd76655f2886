//! FSAssets and the Flotsam cache, as inputs and as stores.

use crate::support::{
    archive::{Archive, control, gzip},
    desk::{DONE, Desk, INCOMPLETE},
    mesh::{MeshFile, ball, convex, cube_corners},
    object::{Prim, uuid, xml1, xml2},
    repository, shared,
    stores::{cached, hash, osgrid_path, packed, path, table},
};
use std::{
    collections::BTreeMap,
    fs,
    io::{Cursor, Write},
};
use zip::{ZipWriter, write::SimpleFileOptions};

const REGION: &str = "4e4e4e4e-0000-4000-8000-000000000001";
const MAP: &[u8] = include_bytes!("../support/sculpt_maps/sphere.j2c");

/// The assets of the region: UUID, type, content.
fn assets() -> [(String, i32, Vec<u8>); 4] {
    let id = |number| uuid(0x3e3e_3e3e, number);
    let hull = convex(&ball(60, [0.0; 3], 0.5), &[cube_corners()]);
    [
        (id(1), 49, MeshFile::cube().block("physics_convex", &hull).encode()),
        (id(2), 0, MAP.to_vec()),
        (id(3), 6, xml1(&[Prim::new("Gift", 8)]).into_bytes()),
        (id(4), 1, b"OggS\0\x06 of a bell".to_vec()),
    ]
}

/// Returns a region with a mesh, a sculpt and a box in a box, without their assets.
fn region() -> Archive {
    let [mesh, map, gift, _] = assets().map(|(id, ..)| Some(id));
    let crate_ = Prim { mesh, physics_shape_type: Some(2), ..Prim::new("Crate", 1) };
    let ball = Prim { sculpt: map, physics_shape_type: Some(2), ..Prim::new("Ball", 2) };
    let parcel = Prim { contains: gift, ..Prim::new("Parcel", 3) };
    let object = |prim: &Prim| xml2(std::slice::from_ref(prim));
    Archive::new(&control(REGION, "256,256"))
        .add("objects/crate.xml", object(&crate_))
        .add("objects/ball.xml", object(&ball))
        .add("objects/parcel.xml", object(&parcel))
}

/// Returns the table of the assets, and of one whose file is missing.
fn rows() -> String {
    let assets = assets();
    let rows = assets.iter().map(|(id, kind, content)| (&**id, *kind, hash(content)));
    table(rows.chain([(&*uuid(0x3e3e_3e3e, 9), 0, hash(b"gone"))]))
}

/// Returns a folder with the region, the table, and a tree with a file of each asset.
fn desk() -> Desk {
    let desk = Desk::with(&[("region.oar", &region().gzip()), ("robust.sql.gz", &gzip(rows().as_bytes()))]);
    for (_, _, content) in assets() {
        let (path, bytes) = packed(&content);
        desk.write(&format!("tree/{path}"), bytes);
    }
    desk
}

/// The codes of a report with their counts, without notes about checks.
fn codes(desk: &Desk, out: &str) -> BTreeMap<String, usize> {
    let mut codes = BTreeMap::new();
    for code in desk.column(out, "findings", "code").into_iter().filter(|code| code != "RUN003") {
        *codes.entry(code).or_default() += 1;
    }
    codes
}

/// The parts of the region with their costs.
fn parts(desk: &Desk, out: &str) -> Vec<BTreeMap<String, String>> {
    let mut parts = desk.table(out, "parts");
    parts.retain(|row| row["archive"].ends_with(".oar") && row["entry"].starts_with("objects/"));
    for part in &mut parts {
        part.remove("archive");
    }
    parts
}

#[test]
fn a_table_names_the_files_of_a_tree() {
    let desk = desk();
    let whole = assets().into_iter().fold(region(), |archive, (id, kind, content)| {
        let suffix = ["texture.jp2", "sound.ogg"].get(kind as usize).copied();
        let suffix = suffix.unwrap_or(if kind == 6 { "object.xml" } else { "mesh.llmesh" });
        archive.add(&format!("assets/{id}_{suffix}"), content)
    });
    desk.write("whole/region.oar", whole.gzip());
    desk.run_to(DONE, "audit whole/region.oar --out expected --format csv");
    let expected = parts(&desk, "expected");
    assert_eq!(expected.len(), 3);

    desk.run_to(DONE, "audit region.oar robust.sql.gz fsassets:tree --out report --format csv");
    assert_eq!(parts(&desk, "report"), expected, "objects find their assets");
    let findings = desk.table("report", "findings");
    let missing: Vec<_> = findings.iter().filter(|row| row["code"] == "STO001").collect();
    assert_eq!(missing.len(), 1);
    assert_eq!(missing[0]["asset_uuid"], uuid(0x3e3e_3e3e, 9));
    assert_eq!(missing[0]["archive"], "fsassets:tree");
    assert!(missing[0]["message"].contains(&hash(b"gone")), "{}", missing[0]["message"]);
    assert!(findings.iter().all(|row| row["code"] != "AST001"), "{findings:?}");
    let meshes = desk.table("report", "meshes");
    assert_eq!(meshes[0]["mesh_uuid"], assets()[0].0, "the table has the UUID");
    let [ours, theirs] = ["report", "expected"].map(|out| desk.column(out, "meshes", "high_vertices"));
    assert_eq!(ours, theirs);

    // The same assets as stores: nothing but the region is evaluated.
    desk.run_to(
        DONE,
        "audit region.oar --assets robust.sql.gz --assets fsassets:tree --out stores --format csv",
    );
    assert_eq!(parts(&desk, "stores"), expected);
    assert!(!codes(&desk, "stores").contains_key("AST001"));
    let kinds = desk.column("stores", "archives", "kind");
    assert_eq!(kinds, ["oar", "store", "store"]);
}

/// Returns a zip with the tree below a folder, and the table.
fn zip_of_tree(folder: &str) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let files = assets()
        .map(|(_, _, content)| packed(&content))
        .map(|(path, bytes)| (format!("{folder}{path}"), bytes));
    for (name, bytes) in files.into_iter().chain([("robust.sql.gz".to_owned(), gzip(rows().as_bytes()))]) {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

#[test]
fn a_tree_in_a_zip_is_read_like_one_on_a_disk() {
    let desk = desk();
    desk.run_to(DONE, "audit region.oar robust.sql.gz fsassets:tree --out expected --format csv");
    for folder in ["fsassets/data/", ""] {
        desk.write("backup.zip", zip_of_tree(folder));
        desk.run_to(DONE, "audit region.oar backup.zip --ledgers kept --out report --format csv");
        assert_eq!(parts(&desk, "report"), parts(&desk, "expected"), "{folder}");
        assert_eq!(codes(&desk, "report"), codes(&desk, "expected"), "{folder}");
        let kinds = |out: &str| {
            let mut kinds = desk.column(out, "archives", "kind");
            kinds.sort();
            kinds
        };
        assert_eq!(kinds("report"), kinds("expected"));
        let first = desk.ledgers("kept");
        desk.run_to(DONE, "audit region.oar backup.zip --ledgers kept --out report --format csv");
        assert_eq!(desk.ledgers("kept"), first, "not read again");
        fs::remove_dir_all(desk.at("kept")).unwrap();
        desk.run_to(DONE, "audit region.oar --assets backup.zip --out stores --format csv");
        assert_eq!(parts(&desk, "stores"), parts(&desk, "expected"), "{folder}");
    }
}

#[test]
fn a_tree_without_a_table_is_evaluated_and_is_no_store() {
    let desk = desk();
    desk.run_to(DONE, "audit tree --out report --format csv");
    let archives = desk.table("report", "archives");
    assert!(archives.iter().all(|row| row["kind"] == "fsassets" && row["status"] == "complete"));
    let meshes = desk.table("report", "meshes");
    assert_eq!((meshes.len(), meshes[0]["mesh_uuid"].as_str()), (1, ""));
    assert_eq!(desk.column("report", "objects", "name"), ["Gift"]);
    assert_eq!(codes(&desk, "report").keys().filter(|code| code.starts_with("STO")).count(), 0);

    desk.run_to(INCOMPLETE, "audit region.oar --assets fsassets:tree --out stores --format csv");
    assert!(!codes(&desk, "stores").contains_key("AST001"), "what the files are is unknown");
}

#[test]
fn both_layouts_and_both_cases_are_read() {
    for osgrid in [false, true] {
        for lower in [false, true] {
            let desk = Desk::with(&[("robust.sql", rows().as_bytes()), ("region.oar", &region().gzip())]);
            for (_, _, content) in assets() {
                let hash = hash(&content);
                let path = if osgrid { osgrid_path(&hash) } else { path(&hash) };
                let path = if lower { path.to_lowercase() } else { path };
                desk.write(&format!("tree/{path}"), content);
            }
            desk.run_to(DONE, "audit region.oar robust.sql tree --out report --format csv");
            assert_eq!(codes(&desk, "report").get("STO001"), Some(&1), "{osgrid} {lower}");
            assert_eq!(parts(&desk, "report").len(), 3);
            assert_eq!(desk.column("report", "meshes", "mesh_uuid"), [assets()[0].0.clone()]);
        }
    }
}

#[test]
fn files_are_read_as_the_service_reads_them() {
    let contents: Vec<Vec<u8>> = (0..9).map(|number| format!("note {number}").into_bytes()).collect();
    let ids: Vec<String> = (0..9).map(|number| uuid(0x4040_4040, number + 1)).collect();
    let rows = ids.iter().zip(&contents).map(|(id, content)| (&**id, 7, hash(content)));
    let desk = Desk::with(&[("robust.sql", table(rows).as_bytes())]);
    let at = |number: usize| format!("tree/{}", path(&hash(&contents[number])));
    let gz = |number: usize| at(number) + ".gz";
    let cut = |number: usize| {
        let bytes = gzip(&contents[number]);
        bytes[..bytes.len() - 5].to_vec()
    };
    let halves = [gzip(b"note "), gzip(b"0")].concat();
    desk.write(&gz(0), halves);
    desk.write(&gz(1), cut(1));
    desk.write(&at(1), &contents[1]);
    desk.write(&gz(2), cut(2));
    desk.write(&at(3), b"");
    desk.write(&gz(4), gzip(b"another note"));
    desk.write(&gz(5), b"no gzip");
    desk.write(&at(5), b"nor its content");
    desk.write(&gz(6), gzip(b""));
    // Only in the spool.
    desk.write(&format!("tmp/{}.asset", hash(&contents[7])), &contents[7]);
    // The spool comes first.
    desk.write(&gz(8), cut(8));
    desk.write(&format!("tmp/{}.asset", hash(&contents[8])), &contents[8]);
    let stray = b"nobody names this";
    desk.write(&format!("tree/{}", path(&hash(stray))), stray);
    desk.write("tree/AB/chicken bones", b"");
    desk.write("tree/junkyard/short", b"short");

    desk.run_to(DONE, "audit robust.sql fsassets:tree --out report --format csv");
    let findings = desk.table("report", "findings");
    let mut found: Vec<(String, String)> = findings
        .iter()
        .filter(|row| row["code"].starts_with("STO"))
        .map(|row| (row["code"].clone(), row["entry"].clone()))
        .collect();
    found.sort();
    let file = |name: String| name.strip_prefix("tree/").unwrap().to_owned();
    let mut expected = vec![
        ("STO002".into(), file(gz(2))),
        ("STO002".into(), file(at(3))),
        ("STO002".into(), file(gz(4))),
        ("STO002".into(), file(gz(5))),
        ("STO002".into(), file(gz(6))),
        ("STO003".into(), file(gz(1))),
        ("STO005".into(), path(&hash(stray))),
        ("STO005".into(), "AB/chicken bones".into()),
        ("STO005".into(), "junkyard/short".into()),
    ];
    let mut spooled = [hash(&contents[7]), hash(&contents[8])];
    spooled.sort();
    expected.push(("STO004".into(), format!("tmp/{}.asset", spooled[0])));
    expected.sort();
    assert_eq!(found, expected);
    let entries: u64 = desk
        .table("report", "archives")
        .iter()
        .filter(|row| row["kind"] == "fsassets")
        .map(|row| row["entries"].parse::<u64>().unwrap())
        .sum();
    assert_eq!(entries, 10, "nine rows, and a file without one");
}

/// The service moves files from the spool to the tree. A store has both.
#[test]
fn a_spooled_file_is_read_before_between_and_behind_the_folders() {
    let assets = assets();
    for spooled in 0..assets.len() {
        let desk = Desk::with(&[("region.oar", &region().gzip()), ("robust.sql", rows().as_bytes())]);
        for (number, (_, _, content)) in assets.iter().enumerate() {
            let (path, bytes) = packed(content);
            match number == spooled {
                true => desk.write(&format!("data/spool/{}.asset", hash(content)), content),
                false => desk.write(&format!("data/{path}"), bytes),
            }
        }
        for inputs in ["region.oar --assets robust.sql --assets fsassets:data", "region.oar robust.sql data"]
        {
            desk.run_to(DONE, &format!("audit {inputs} --out report --format csv"));
            let found = codes(&desk, "report");
            assert!(!found.contains_key("AST001") && !found.contains_key("RUN005"), "{spooled}: {found:?}");
            let crate_ = parts(&desk, "report").into_iter().find(|row| row["name"] == "Crate").unwrap();
            assert_eq!(crate_["representation"], "base_hull", "{spooled}: the mesh is known");
        }
    }
}

#[test]
fn an_unchanged_folder_is_not_read_again() {
    let desk = desk();
    let audit = |day: u32| {
        let now = format!("2026-11-{day}T03:00:00Z");
        desk.run_to(
            DONE,
            &format!(
                "audit robust.sql.gz fsassets:tree --ledgers ledgers --now {now} --out report --format csv"
            ),
        );
        desk.ledgers("ledgers")
    };
    let first = audit(20);
    assert_eq!(first.len(), 6, "the dump, four folders and the rest");
    assert_eq!(audit(21), first);
    // A further row: the dump changes, and the folder of its file.
    let [(_, _, mesh), ..] = assets();
    let assets = assets();
    let rows = assets.iter().map(|(id, kind, content)| (&**id, *kind, hash(content)));
    let more = table(rows.chain([(&*uuid(0x3e3e_3e3e, 10), 49, hash(&mesh))]));
    desk.write("robust.sql.gz", gzip(more.as_bytes()));
    let second = audit(22);
    let changed: Vec<&String> = second
        .iter()
        .filter(|(name, bytes)| first.get(*name) != Some(*bytes))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(changed.len(), 3, "the rest covers all rows: {changed:?}");
    assert_eq!(desk.column("report", "meshes", "mesh_uuid").len(), 2);
}

#[test]
fn a_tree_is_read_in_several_runs() {
    let desk = desk();
    let command = "audit robust.sql.gz fsassets:tree --format csv --out";
    desk.run_to(DONE, &format!("{command} expected"));
    let left = |out: &str| {
        desk.column(out, "archives", "status").iter().filter(|status| *status == "not_covered").count()
    };
    for run in 0..5 {
        desk.run(&format!("{command} report --ledgers ledgers --budget-time 0s"));
        assert_eq!(left("report"), 4 - run, "each run reads one more");
    }
    for table in ["findings", "meshes", "objects"] {
        assert_eq!(desk.table("report", table), desk.table("expected", table), "{table}");
    }
}

#[test]
fn two_trees_lack_no_files() {
    let desk = desk();
    let (path, bytes) = packed(b"OggS of another grid");
    desk.write(&format!("other/{path}"), bytes);
    desk.run_to(DONE, "audit robust.sql.gz fsassets:tree other --out report --format csv");
    assert!(!codes(&desk, "report").contains_key("STO001"), "a file may be in either");
}

#[test]
fn a_cache_supplies_assets_and_proves_no_absence() {
    let [(mesh, kind, content), (map, ..), ..] = assets();
    let desk = Desk::with(&[("region.oar", &region().gzip())]);
    let file = |id: &str| format!("cache/{}/{}/{id}", &id[..2], &id[2..4]);
    desk.write(&file(&mesh), cached(&mesh, kind as i8, &content));
    let layers = format!("j2k{map}");
    desk.write(&file(&layers), cached(&layers, 0, b"layers"));
    let whole = cached(&map, 0, MAP);
    desk.write(&file(&map), &whole[..whole.len() - 3]);
    desk.write("cache/RegionStatus_4e4e4e4e-0000-4000-8000-000000000001.fac", b"");
    desk.write("cache/3e/3e/t1qwvzpe.5xh", b"half of a fi");

    desk.run_to(DONE, "audit cache --out report --format csv");
    let archive = &desk.table("report", "archives")[0];
    assert_eq!((&*archive["kind"], &*archive["entries"], &*archive["meshes"]), ("flotsam", "2", "1"));
    let found = codes(&desk, "report");
    assert_eq!((found.get("RUN007"), found.get("STO007")), (Some(&1), Some(&1)), "{found:?}");

    desk.run_to(DONE, "audit region.oar --assets flotsam:cache --out stores --format csv");
    let parts = parts(&desk, "stores");
    let of_crate = parts.iter().find(|row| row["name"] == "Crate").map(|row| &*row["representation"]);
    assert_eq!(of_crate, Some("base_hull"), "the mesh is known");
    // That the sculpt map is not in the cache means nothing, and the archive has no assets at all.
    let missing: Vec<String> = desk
        .table("stores", "findings")
        .into_iter()
        .filter(|row| row["code"] == "AST001")
        .map(|row| row["asset_uuid"].clone())
        .collect();
    assert!(!missing.contains(&mesh), "{missing:?}");
    let gone = desk.table("stores", "findings").into_iter().any(|row| row["code"] == "OBJ009");
    assert!(!gone, "an object in an inventory may be anywhere");
}

#[test]
fn a_real_cache_is_read_to_its_end() {
    let Some(shared) = shared() else { return };
    let desk = Desk::with(&[]);
    let cache = shared.join("data/flotsam-cache");
    let accessed = || -> Vec<_> {
        let files = walkdir::WalkDir::new(&cache).sort_by_file_name().into_iter().flatten();
        files
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| fs::metadata(entry.path()).unwrap().accessed().ok())
            .collect()
    };
    let before = accessed();
    desk.run_to(DONE, &format!("audit {} --out report --format csv", cache.display()));
    let archive = &desk.table("report", "archives")[0];
    assert_eq!((&*archive["kind"], &*archive["status"]), ("flotsam", "complete"));
    assert_eq!(archive["entries"].parse::<usize>().unwrap(), before.len() - 1, "one file names a region");
    assert!(!codes(&desk, "report").keys().any(|code| code.starts_with("STO")));
    assert_eq!(accessed(), before, "reading changes no access time");
}

#[test]
fn assets_that_nothing_uses_are_counted_once_all_uses_are_read() {
    let desk = desk();
    let assets = assets();
    let rows = assets.iter().map(|(id, kind, content)| (&**id, *kind, hash(content)));
    // The bell is in an inventory, the whistle nowhere.
    let whistle = b"OggS\0\x06 of a whistle";
    let more = [(&*uuid(0x3e3e_3e3e, 11), 1, hash(whistle)), (&*uuid(0x3e3e_3e3e, 12), 1, hash(whistle))];
    desk.write("robust.sql.gz", gzip(table(rows.chain(more)).as_bytes()));
    let (path, bytes) = packed(whistle);
    desk.write(&format!("tree/{path}"), bytes);
    let run = |inputs: &str| {
        desk.run_to(DONE, &format!("audit {inputs} robust.sql.gz fsassets:tree --out report --format csv"));
        let findings = desk.table("report", "findings");
        let found: Vec<String> =
            findings.iter().filter(|row| row["code"] == "STO006").map(|row| row["message"].clone()).collect();
        let checks = desk.table("report", "checks");
        let check = checks.into_iter().find(|row| row["code"] == "STO006").unwrap();
        (found, check["not_evaluated"].clone())
    };
    assert_eq!(run("region.oar"), (vec![], "6".into()), "no inventory was read");

    let bell = &assets[3].0;
    let item = format!(
        "<?xml version=\"1.0\" encoding=\"utf-16\"?><InventoryItem><Name>Bell</Name><ID>{bell}</ID>\
         <InvType>1</InvType><AssetType>1</AssetType><AssetID>{bell}</AssetID></InventoryItem>"
    );
    let control =
        "<?xml version=\"1.0\" encoding=\"utf-16\"?><archive major_version=\"0\" minor_version=\"3\"/>";
    let inventory = Archive::new(control).add(&format!("inventory/Bell__{}.xml", uuid(0x1212_1212, 1)), item);
    desk.write("bell.iar", inventory.gzip());
    let (found, unknown) = run("region.oar bell.iar");
    assert_eq!(unknown, "0");
    assert_eq!(found.len(), 1, "{found:?}");
    let bytes = 2 * whistle.len();
    let words = format!(
        "2 assets of {bytes} bytes in 1 input with regions and 1 inventory item: 2 sounds of {bytes} bytes"
    );
    assert!(found[0].contains(&words), "{found:?}");

    // Each inventory of a database must be evaluated. Ben has the bell.
    let sample = fs::read_to_string(repository().join("sample_data/databases/inventories.sql")).unwrap();
    let lamp = "'a5a5a5a5-0000-4000-8000-000000000002',6,'Lost lamp',6";
    assert!(sample.contains(lamp));
    desk.write("inventories.sql", sample.replace(lamp, &format!("'{bell}',1,'Bell',1")));
    assert_eq!(run("region.oar inventories.sql bell.iar"), (vec![], "6".into()));
    assert_eq!(run("region.oar inventories.sql --inventory abababab-0000-4000-8000-000000000001").1, "6");
    let (found, unknown) = run("region.oar inventories.sql --inventory all");
    assert_eq!(unknown, "0");
    let words = format!("1 input with regions and 8 inventory items: 2 sounds of {bytes} bytes");
    assert!(found[0].contains(&words), "{found:?}");
}

#[test]
fn damaged_trees_and_caches_are_read_to_their_end() {
    let desk = desk();
    let [(mesh, kind, content), ..] = assets();
    let file = format!("cache/{}/{mesh}", &mesh[..3]);
    desk.write(&file, cached(&mesh, kind as i8, &content));
    let cached = fs::read(desk.at(&file)).unwrap();
    let (packed_path, packed) = packed(&content);
    for step in 0..12 {
        let damaged = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            let at = bytes.len() * step / 12;
            match step % 3 {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 0x55,
                _ => drop(bytes.splice(at..at, [0xff; 9])),
            }
            bytes
        };
        desk.write(&file, damaged(&cached));
        desk.write(&format!("tree/{packed_path}"), damaged(&packed));
        desk.run_to(DONE, "audit flotsam:cache fsassets:tree robust.sql.gz --out report --format csv");
        let codes = codes(&desk, "report");
        assert_eq!(codes.get("STO002"), Some(&1), "{step}: a hash shows each change: {codes:?}");
        assert!(
            desk.column("report", "objects", "name").contains(&"Gift".to_owned()),
            "nothing else is lost"
        );
    }
}

#[test]
fn a_plan_says_that_its_shards_have_no_table() {
    let desk = desk();
    let words = "read the files of FSAssets without their table";
    let run = desk.run_to(DONE, "plan region.oar robust.sql.gz fsassets:tree --out plan.json");
    assert!(run.stdout.contains(words), "{}", run.stdout);
    let run = desk.run_to(DONE, "plan region.oar robust.sql.gz --assets fsassets:tree --out plan.json");
    assert!(run.stdout.contains(words), "{}", run.stdout);
    let run = desk.run_to(DONE, "plan region.oar robust.sql.gz --out plan.json");
    assert!(!run.stdout.contains(words), "{}", run.stdout);
}

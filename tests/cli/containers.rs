//! Archives in zip files and tars, on standard input, and in lists of paths.

use crate::support::{
    archive::{Archive, gzip, write_member},
    desk::{DONE, Desk, INCOMPLETE, Row, Run, USAGE, faulty, sound},
    mesh::MeshFile,
    object::{Prim, coalesced, uuid, xml1, xml2},
    samples::{inventory_control, inventory_item},
};
use std::{
    io::{Cursor, Write},
    process::{Command, Stdio},
};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// Packs files. The first one is stored, all others are deflated.
fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (number, (name, bytes)) in files.iter().enumerate() {
        let method = if number == 0 { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Packs files with headers as OpenSim writes them.
fn tar(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tar = Vec::new();
    files.iter().for_each(|(name, bytes)| write_member(&mut tar, name, b'0', bytes));
    tar.extend([0; 1024]);
    tar
}

/// Runs the program with these bytes on its standard input.
fn piped(desk: &Desk, bytes: &[u8], arguments: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_hullmark"))
        .args(arguments.split(' '))
        .current_dir(desk.at("."))
        .env("XDG_CONFIG_HOME", desk.at("no-settings"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments does not read.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The rows of a table without what names the place of an input, sorted.
fn figures(desk: &Desk, report: &str, table: &str) -> Vec<Row> {
    let places = ["archive", "archive_path", "modified", "identity", "series", "fingerprint"];
    let mut rows = desk.table(report, table);
    rows.iter_mut().for_each(|row| row.retain(|column, _| !places.contains(&column.as_str())));
    rows.sort();
    rows
}

#[test]
fn each_archive_in_containers_is_an_input() {
    let cube = MeshFile::cube().encode();
    let inner = gzip(&tar(&[("c.oar", &sound()), ("deep.zip", &zip(&[("d.oar", &faulty())]))]));
    let files: [(&str, &[u8]); 5] = [
        ("a.oar", &sound()),
        ("nightly/b.oar", &faulty()),
        ("old.tar.gz", &inner),
        ("cube.llmesh", &cube),
        ("notes.txt", b"nothing to audit"),
    ];
    let desk = Desk::with(&[("backup.zip", &zip(&files)), ("backup.tar", &tar(&files))]);
    for container in ["backup.zip", "backup.tar"] {
        desk.run_to(DONE, &format!("audit {container} --out {container}-report --format csv"));
        let names = desk.column(&format!("{container}-report"), "archives", "archive");
        let expected = ["", "/a.oar", "/nightly/b.oar", "/old.tar.gz/c.oar", "/old.tar.gz/deep.zip/d.oar"];
        assert_eq!(names, expected.map(|name| format!("{container}{name}")));
    }
    // The same files in folders.
    let plain: [(&str, &[u8]); 6] = [
        ("plain/a.oar", &sound()),
        ("plain/nightly/b.oar", &faulty()),
        ("plain/old.tar.gz/c.oar", &sound()),
        ("plain/old.tar.gz/deep.zip/d.oar", &faulty()),
        ("plain/cube.llmesh", &cube),
        ("plain/notes.txt", b"nothing to audit"),
    ];
    plain.iter().for_each(|(name, bytes)| desk.write(name, bytes));
    desk.run_to(DONE, "audit plain --out plain-report --format csv");
    for table in ["archives", "regions", "objects", "parts", "meshes", "findings"] {
        let expected = figures(&desk, "plain-report", table);
        assert!(!expected.is_empty());
        for container in ["backup.zip", "backup.tar"] {
            let found = figures(&desk, &format!("{container}-report"), table);
            if table == "findings" {
                // Findings about copies name the other input.
                assert_eq!(found.len(), expected.len(), "{container}");
            } else {
                assert_eq!(found, expected, "{container} {table}");
            }
        }
    }
}

#[test]
fn one_archive_of_a_container_can_be_named() {
    let desk = Desk::with(&[("backup.zip", &zip(&[("x/a.oar", &sound()), ("b.oar", &faulty())]))]);
    let run = desk.run_to(DONE, "preflight backup.zip/b.oar --target opensim-ubode --json");
    assert!(run.stdout.contains("backup.zip/b.oar") && !run.stdout.contains("a.oar"), "{}", run.stdout);
    let run = desk.run_to(DONE, "inspect backup.zip/x/a.oar --object Chair --json");
    assert!(run.stdout.contains("\"Chair\""), "{}", run.stdout);
    let run = desk.run_to(DONE, "link backup.zip/b.oar --object Bridge");
    assert!(run.stdout.contains("60"), "{}", run.stdout);
    let run = desk.run_to(USAGE, "inspect backup.zip --object Chair");
    assert!(
        run.stderr.contains("holds several inputs") && run.stderr.contains("backup.zip/x/a.oar"),
        "{}",
        run.stderr
    );
    desk.run_to(DONE, "audit backup.zip/b.oar backup.zip backup.zip/x --out report --format csv");
    assert_eq!(desk.column("report", "archives", "archive"), ["backup.zip/b.oar", "backup.zip/x/a.oar"]);
    let run = desk.run_to(USAGE, "audit backup.zip/c.oar");
    assert!(run.stderr.contains("holds no such member"), "{}", run.stderr);
}

#[test]
fn ledgers_of_members_serve_until_the_container_changes() {
    let desk = Desk::with(&[("in/backup.zip", &zip(&[("a.oar", &sound()), ("b.oar", &sound())]))]);
    let scan = |now: u32| {
        desk.run_to(DONE, &format!("scan in --ledgers kept --now 2026-11-2{now}T00:00:00Z"));
        desk.ledgers("kept")
    };
    let first = scan(1);
    assert_eq!(scan(2), first, "not read again");
    desk.write("in/backup.zip", zip(&[("a.oar", &faulty())]));
    let third = scan(3);
    let of = |files: &crate::support::desk::Files, name: &str| {
        files.keys().any(|file| file.contains(name) && file.ends_with(".ledger"))
    };
    assert!(of(&first, "b.oar") && !of(&third, "b.oar"), "{:?}", third.keys());
    desk.run_to(DONE, "scan in --ledgers kept --checksum");
}

#[test]
fn shares_of_a_plan_open_members() {
    let inner = gzip(&tar(&[("c.oar", &faulty()), ("cube.llmesh", &MeshFile::cube().encode())]));
    let desk = Desk::with(&[("in/backup.zip", &zip(&[("a.oar", &sound()), ("old.tgz", &inner)]))]);
    desk.run_to(DONE, "plan in --out plan.json");
    for share in 1..=3 {
        desk.run_to(DONE, &format!("scan --plan plan.json --ledgers kept --shard {share}/3"));
    }
    desk.run_to(DONE, "report kept --plan plan.json --out planned --format csv");
    desk.run_to(DONE, "audit in --out whole --format csv");
    for table in ["archives", "objects", "meshes", "findings"] {
        assert_eq!(figures(&desk, "planned", table), figures(&desk, "whole", table));
    }
}

#[test]
fn an_unpacked_archive_in_a_zip_is_one_input() {
    let desk = Desk::with(&[]);
    let object = xml2(&[Prim::new("Chair", 1)]);
    let control = "<?xml version=\"1.0\"?><archive major_version=\"0\" minor_version=\"8\"/>";
    let files: [(&str, &[u8]); 3] = [
        ("region/objects/Chair__00000000-0000-4000-8000-000000000001.xml", object.as_bytes()),
        ("region/archive.xml", control.as_bytes()),
        ("readme.txt", b"text"),
    ];
    desk.write("tree.zip", zip(&files));
    desk.run_to(DONE, "audit tree.zip --out report --format csv");
    assert_eq!(desk.column("report", "archives", "archive"), ["tree.zip", "tree.zip/region"]);
    assert_eq!(desk.column("report", "archives", "kind"), ["folder", "oar-tree"]);
    assert_eq!(desk.column("report", "objects", "name"), ["Chair"]);
}

#[test]
fn standard_input_gives_the_figures_of_a_file() {
    let desk =
        Desk::with(&[("b.oar", &faulty()), ("c.zip", &zip(&[("b.oar", &faulty()), ("a.oar", &sound())]))]);
    desk.run_to(DONE, "audit b.oar --out by-path --format csv");
    let run = piped(&desk, &faulty(), "audit - --out piped --format csv");
    assert_eq!(run.code, DONE, "{}", run.stderr);
    for table in ["archives", "regions", "objects", "parts", "findings"] {
        assert_eq!(figures(&desk, "piped", table), figures(&desk, "by-path", table), "{table}");
    }
    assert_eq!(desk.column("piped", "archives", "archive"), ["standard input"]);
    let run = piped(&desk, &std::fs::read(desk.at("c.zip")).unwrap(), "audit - --out zipped --format csv");
    assert_eq!(run.code, DONE, "{}", run.stderr);
    assert_eq!(
        desk.column("zipped", "archives", "archive"),
        ["standard input/a.oar", "standard input/b.oar"]
    );
    for command in ["inspect - --object Bridge", "link - --object Bridge", "fix - --object Bridge"] {
        let run = piped(&desk, &faulty(), command);
        assert_eq!(run.code, DONE, "{command} {}", run.stderr);
        assert!(run.stdout.contains("Bridge"), "{}", run.stdout);
    }
    let mesh = MeshFile::cube().encode();
    assert_eq!(piped(&desk, &mesh, "inspect - --svg cube.svg --json").code, DONE, "it is read twice");
    let object = xml2(&[Prim::new("Chair", 1)]);
    assert_eq!(piped(&desk, object.as_bytes(), "preflight - --target second-life").code, DONE);
    for (command, words) in [
        ("audit - -", "can be read only once"),
        ("audit - --files-from -", "can be read only once"),
        ("audit b.oar --assets -", "cannot be a store"),
        ("plan - --out plan.json", "cannot be in a plan"),
    ] {
        let run = piped(&desk, &sound(), command);
        assert_eq!(run.code, USAGE, "{command}");
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let run = piped(&desk, b"a text", "audit -");
    assert!(run.stderr.contains("standard input is not an export: it looks like text"), "{}", run.stderr);
}

#[test]
fn a_list_names_the_paths() {
    let desk = Desk::with(&[("a.oar", &sound()), ("with blank/b.oar", &faulty()), ("c.oar", &sound())]);
    let names = |desk: &Desk| desk.column("report", "archives", "archive");
    desk.write("list", b"\xEF\xBB\xBFa.oar\r\n\r\nwith blank\r\n");
    desk.run_to(DONE, "audit --files-from list --out report --format csv");
    assert_eq!(names(&desk), ["a.oar", "with blank/b.oar"]);
    assert_eq!(piped(&desk, b"a.oar\nc.oar", "audit --files-from - --out report --format csv").code, DONE);
    assert_eq!(names(&desk), ["a.oar", "c.oar"]);
    let listed = piped(&desk, b"a.oar\0c.oar\0", "audit --files-from - --null --out report --format csv");
    assert_eq!(listed.code, DONE);
    assert_eq!(names(&desk), ["a.oar", "c.oar"]);
    for (list, words) in [
        (&b"a.oar\nabsent.oar\n"[..], "absent.oar cannot be audited"),
        (b"\n", "has no path"),
        (b"\xff\xfea\0", "in UTF-16"),
        (b"a.oar\0", "--null"),
    ] {
        let run = piped(&desk, list, "audit --files-from -");
        assert_eq!(run.code, USAGE);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    assert!(desk.run_to(USAGE, "audit --files-from no-list").stderr.contains("no-list cannot be read"));
    desk.run_to(USAGE, "audit");
}

/// Runs an audit of a container that cannot be read whole. Returns its findings, and the archives that were read.
fn damaged(container: &[u8]) -> (String, Vec<String>) {
    let desk = Desk::with(&[("backup.zip", container), ("sound.oar", &sound())]);
    desk.run_to(INCOMPLETE, "audit backup.zip sound.oar --out report --format csv");
    let findings = desk.table("report", "findings");
    let told = findings.iter().map(|row| format!("{} {}\n", row["code"], row["message"])).collect();
    let complete = desk.table("report", "archives").into_iter().filter(|row| row["status"] == "complete");
    (told, complete.map(|row| row["archive"].clone()).collect())
}

#[test]
fn what_cannot_be_unpacked_is_told_and_the_rest_is_read() {
    let whole = zip(&[("a.oar", &sound()), ("b.oar", &faulty())]);
    let changed = |change: &dyn Fn(&mut [u8])| {
        let mut bytes = whole.clone();
        // The second entry of the directory.
        let entry = bytes.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
        change(&mut bytes[entry..]);
        damaged(&bytes)
    };
    for (told, words) in [
        (changed(&|entry| entry[8] |= 1), "encrypted"),
        (changed(&|entry| entry[10] = 14), "method 14"),
        (changed(&|entry| entry[42..46].fill(0)), "shares its bytes"),
        (changed(&|entry| entry[22] = 1), "beyond the end"),
        (changed(&|entry| entry[16] ^= 1), "checksum"),
        (changed(&|entry| entry[0] = b'X'), "damaged at entry 1"),
    ] {
        let (findings, complete) = told;
        assert!(findings.contains(words), "{words}: {findings}");
        let expected: &[&str] = match words {
            "shares its bytes" => &["sound.oar"],
            _ => &["backup.zip/a.oar", "sound.oar"],
        };
        assert_eq!(complete, expected, "{words}");
    }
    let (findings, complete) = damaged(&whole[..whole.len() - 10]);
    assert!(findings.contains("the zip is cut"), "{findings}");
    assert_eq!(complete, ["sound.oar"]);
    let cut = gzip(&tar(&[("a.oar", &sound()), ("b.oar", &faulty())]));
    let (findings, complete) = damaged(&cut[..cut.len() - 60]);
    assert!(findings.contains("cut"), "{findings}");
    assert!(complete.contains(&"backup.zip/a.oar".to_owned()), "{complete:?}");
}

#[test]
fn containers_in_containers_end_at_a_limit() {
    let mut nested = zip(&[("a.oar", &sound())]);
    for _ in 0..9 {
        nested = zip(&[("b.txt", b"text"), ("inner.zip", &nested)]);
    }
    let (findings, complete) = damaged(&nested);
    assert!(findings.contains("the limit is 8 (`nesting`)"), "{findings}");
    assert!(!complete.iter().any(|name| name.ends_with("a.oar")), "{complete:?}");
    assert_eq!(complete.len(), 9, "the texts of eight containers, and a region");

    let files: Vec<_> = (0..9).map(|number| (format!("{number}.zip"), zip(&[("a.oar", &sound())]))).collect();
    let files: Vec<_> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    let desk = Desk::with(&[("many.zip", &zip(&files)), ("hullmark.toml", b"[limits]\ncontainers = 5\n")]);
    desk.run_to(INCOMPLETE, "audit many.zip --out report --format csv");
    assert_eq!(desk.table("report", "archives").len(), 5, "four archives, and what was not opened");

    let zeros = vec![0; 1 << 20];
    let bomb = zip(&[("a.oar", &sound()), ("bomb.zip", &zip(&[("t", b""), ("z.oar", &zeros)]))]);
    let desk = Desk::with(&[("bomb.zip", &bomb), ("hullmark.toml", b"[limits]\narchive_bytes = 500000\n")]);
    desk.run_to(INCOMPLETE, "audit bomb.zip --out report --format csv");
    let findings = desk.column("report", "findings", "message").join("\n");
    assert!(findings.contains("the limit is 500,000 (`archive_bytes`)"), "{findings}");
}

/// Memory is charged before a member is listed. What is listed by then is audited.
#[test]
fn a_list_of_members_has_a_budget() {
    let files: Vec<(String, Vec<u8>)> = (0..5).map(|n| (format!("{n}.oar"), sound())).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (&**name, &**bytes)).collect();
    let long = "a".repeat(5000);
    let named: [(&str, &[u8]); 2] = [("a.oar", &sound()), (&long, b"text")];
    let desk = Desk::with(&[("a.zip", &zip(&files)), ("a.tar", &tar(&files)), ("b.zip", &zip(&named))]);
    desk.write("tight.toml", "[limits]\nlisting_bytes = 13000\n");
    for container in ["a.zip", "a.tar"] {
        desk.run_to(INCOMPLETE, &format!("audit {container} --out report --format csv --config tight.toml"));
        let archives = desk.column("report", "archives", "archive");
        assert_eq!(archives, [container.into(), format!("{container}/0.oar"), format!("{container}/1.oar")]);
        let findings = desk.table("report", "findings");
        let told: Vec<_> = findings.iter().filter(|row| row["code"] == "RUN001").collect();
        assert_eq!((told.len(), &*told[0]["entry"]), (1, container));
        assert!(told[0]["message"].contains("13,000 bytes of memory at member 3"), "{}", told[0]["message"]);
    }
    desk.run_to(INCOMPLETE, "audit b.zip --out report --format csv");
    let findings = desk.table("report", "findings");
    let told = findings.iter().find(|row| row["code"] == "RUN001").unwrap();
    assert!(told["message"].contains("its name has 5000 bytes"), "{}", told["message"]);
    assert_eq!(told["entry"].len(), 4096);
}

#[test]
fn files_that_are_not_audited_are_counted() {
    let texts: Vec<String> = (0..30).map(|n| format!("{n:02}.txt")).collect();
    let mut files: Vec<(&str, &[u8])> = vec![("a.oar", &[])];
    files.extend(texts.iter().map(|name| (&**name, &b"text"[..])));
    let region = sound();
    files.extend([("b.oar", &*region), ("not-one.oar", b"text".as_slice())]);
    let desk = Desk::with(&[("a.zip", &zip(&files)), ("a.tar", &tar(&files))]);
    files.iter().for_each(|(name, bytes)| desk.write(&format!("plain/{name}"), bytes));
    desk.write("tight.toml", "[limits]\nfindings_per_code = 10\n");
    for input in ["a.zip", "a.tar", "plain"] {
        desk.run_to(DONE, &format!("audit {input} --out report --format csv --config tight.toml"));
        let archives = desk.table("report", "archives");
        assert_eq!((archives.len(), &*archives[0]["unknown_files"]), (2, "32"), "{input}");
        let findings = desk.table("report", "findings");
        let counts = |code: &str| -> Vec<u64> {
            let rows = findings.iter().filter(|row| row["code"] == code);
            rows.map(|row| row["count"].parse().unwrap()).collect()
        };
        let unknown = counts("RUN007");
        assert_eq!((unknown.len(), unknown.iter().sum::<u64>(), unknown[9]), (10, 30, 21), "{input}");
        assert_eq!(counts("ARC008"), [1, 1], "{input}: each that is called an archive has its own row");
    }
}

/// A member belongs to the innermost unpacked archive that has a place for it.
#[test]
fn unpacked_archives_in_each_other_share_no_members() {
    let control = inventory_control();
    let note = |n: u32| format!("assets/{}_notecard.txt", uuid(0x1010_1010, n));
    let names = [
        "a/b/archive.xml".into(),
        format!("a/b/{}", note(1)),
        "a/archive.xml".into(),
        format!("a/{}", note(2)),
    ];
    let names: Vec<String> = names.into_iter().chain(["a/b/note.txt".into(), "c.oar".into()]).collect();
    let region = sound();
    let content = |name: &str| -> Vec<u8> {
        match () {
            () if name.ends_with("archive.xml") => control.as_bytes().to_vec(),
            () if name.ends_with(".oar") => region.clone(),
            () => b"note".to_vec(),
        }
    };
    let files: Vec<(&str, Vec<u8>)> = names.iter().map(|name| (&**name, content(name))).collect();
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    let desk = Desk::with(&[("z.zip", &zip(&files))]);
    desk.run("audit z.zip --out report --format csv");
    let mut rows = desk.table("report", "archives");
    rows.retain(|row| row["kind"].ends_with("-tree"));
    let found: Vec<(&str, &str)> = rows.iter().map(|row| (&*row["archive"], &*row["assets"])).collect();
    assert_eq!(found, [("z.zip/a", "1"), ("z.zip/a/b", "1")]);
}

#[test]
fn a_container_without_exports_is_no_export() {
    let desk = Desk::with(&[("notes.zip", &zip(&[("notes.txt", b"text")])), ("a.oar", &sound())]);
    let run = desk.run_to(INCOMPLETE, "audit notes.zip");
    assert!(
        run.stderr.contains("notes.zip is not an export: it looks like zip archive or tar without exports"),
        "{}",
        run.stderr
    );
    desk.run_to(DONE, "audit .");
}

/// A coalesced object in an object in an object … is an asset like any other.
#[test]
fn objects_in_objects_are_costed_at_any_depth() {
    const DEPTH: u32 = 12;
    let asset = |number| uuid(0x3e3e_3e3e, number);
    let holding =
        |name: &str, number| Prim { contains: Some(asset(number + 1)), ..Prim::new(name, 100 + number) };
    let mesh = uuid(0x3e3e_3e3e, 900);
    let inmost = Prim { mesh: Some(mesh.clone()), ..Prim::new("Inmost", 300) };
    let mut inventory = Archive::new(inventory_control())
        .add(
            &format!("inventory/Things__{}/Box__{}.xml", uuid(0x1111_1111, 1), uuid(0x1212_1212, 1)),
            inventory_item("Box", 6, &asset(0)),
        )
        .add(&format!("assets/{mesh}_mesh.llmesh"), MeshFile::cube().encode());
    for number in 0..DEPTH {
        let xml = coalesced(&[vec![holding("Box", number)], vec![Prim::new("Beside", 200 + number)]]);
        inventory = inventory.add(&format!("assets/{}_object.xml", asset(number)), xml);
    }
    inventory = inventory.add(&format!("assets/{}_object.xml", asset(DEPTH)), xml1(&[inmost]));
    let desk = Desk::with(&[
        ("things.iar", &inventory.gzip()),
        ("in.zip", &zip(&[("things.iar", &inventory.gzip())])),
    ]);
    for input in ["things.iar", "in.zip"] {
        desk.run_to(DONE, &format!("audit {input} --out report --format csv"));
        let objects = desk.table("report", "objects");
        assert_eq!(objects.len() as u32, 2 * DEPTH + 1);
        assert!(objects.iter().all(|object| object["role"] != "rezzed"), "{objects:?}");
        assert!(objects.iter().all(|object| object["land_impact"] == "1"), "{objects:?}");
        let inmost = objects.iter().find(|object| object["name"] == "Inmost").unwrap();
        assert!(!inmost["physics_cost"].is_empty(), "the mesh is found: {inmost:?}");
    }
}

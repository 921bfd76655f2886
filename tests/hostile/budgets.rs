//! Every budget of `[limits]`, exceeded: a finding has the measured value and the limit, and the rest is audited.

use crate::support::{
    archive::{Archive, control, gzip, write_member},
    desk::{DONE, Desk, INCOMPLETE, sound},
    llsd::Llsd,
    mesh::{MeshFile, convex, cube_corners, cube_submesh},
    object::{Prim, uuid, xml2},
    repository,
};
use hullmark_settings::limits::Limits;
use serde_json::Value;
use std::{collections::BTreeSet, fs};

/// Returns a region with a mesh, two objects and a long name.
fn region() -> Archive {
    let (mesh, name) = (uuid(0x3e3e_3e3e, 1), "n".repeat(120));
    Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/one.xml", xml2(&(1..=10).map(scripted).collect::<Vec<_>>()))
        .add(&format!("objects/{name}.xml"), xml2(&[Prim::new("Two", 11)]))
        .add(&format!("assets/{mesh}_mesh.llmesh"), cube().encode())
}

/// Returns a prim. Numbers above 7 have a script.
fn scripted(number: u32) -> Prim {
    Prim { scripts: u32::from(number > 7), ..Prim::new("One", number) }
}

/// Returns a cube with three hulls, two faces in its physics mesh, and a hundred numbers in place of its joints.
fn cube() -> MeshFile {
    let corners = cube_corners();
    let faces = Llsd::Array(vec![Llsd::map([("NoGeometry", Llsd::Bool(true))]); 2]);
    let hulls = vec![corners.clone(); 3];
    let joints = Llsd::Array(vec![Llsd::Int(1); 100]);
    MeshFile::cube()
        .block("skin", &joints)
        .block("physics_convex", &convex(&corners, &hulls))
        .block("physics_mesh", &faces)
}

/// Returns the measured value and the limit of each finding ARC012 in an audit with one changed limit.
fn spent(desk: &Desk, code: i32, limit: &str) -> Vec<(String, String)> {
    desk.write("tight.toml", format!("[limits]\n{limit}\n"));
    desk.run_to(code, "audit a.oar sound.oar --out report --format csv --config tight.toml");
    let column = |name: &str| desk.column("report", "findings", name);
    let numbers = column("measured").into_iter().zip(column("limit"));
    let all = column("code").into_iter().zip(column("archive")).zip(numbers);
    let spent = all.filter(|((code, _), _)| code == "ARC012");
    spent.inspect(|((_, archive), _)| assert_eq!(archive, "a.oar")).map(|(_, numbers)| numbers).collect()
}

#[test]
fn each_budget_that_is_spent_is_reported_with_its_numbers() {
    let deep = format!("<SceneObjectGroup>{}", "<a>".repeat(20));
    let whole = region().add("objects/deep.xml", deep);
    let sound = Archive::new(&control(&uuid(0x4e4e_4e4e, 2), "256,256"))
        .add("objects/chair.xml", xml2(&[Prim::new("Chair", 12)]));
    let desk = Desk::with(&[("a.oar", &whole.gzip()), ("sound.oar", &sound.gzip())]);
    let entry = whole.members[1].1.len();
    for (limit, code, measured) in [
        // The rest of the archive is not read.
        ("entries = 4", INCOMPLETE, 5),
        ("archive_bytes = 16000", INCOMPLETE, 0),
        ("facts_bytes = 6000", INCOMPLETE, 0),
        // One member is not read.
        (&*format!("entry_bytes = {}", entry - 1), INCOMPLETE, entry as u64),
        // A name, an object, a block of a mesh: another finding reports these.
        ("name_bytes = 100", DONE, 132),
        ("parts = 9", DONE, 10),
        ("items = 2", DONE, 3),
        ("xml_depth = 10", DONE, 11),
        ("block_bytes = 100", DONE, 101),
        ("llsd_depth = 2", DONE, 3),
        ("llsd_values = 60", DONE, 61),
        ("hulls = 2", DONE, 3),
        ("submeshes = 1", DONE, 2),
    ] {
        let reported = spent(&desk, code, limit);
        let cap = limit.rsplit(' ').next().unwrap();
        let fits = |(found, stated): &(String, String)| {
            let found: u64 = found.parse().unwrap();
            stated == cap && (found == measured || measured == 0 && found > 6_000)
        };
        assert!(reported.iter().any(fits), "{limit}: {reported:?}");
        assert!(desk.column("report", "objects", "archive").contains(&"sound.oar".into()), "{limit}");
    }
    assert_eq!(spent(&desk, DONE, "entries = 5"), []);
}

#[test]
fn triangles_at_further_scales_are_measured_until_the_budget_is_spent() {
    let mesh = uuid(0x3e3e_3e3e, 1);
    let block = |number| Prim { mesh: Some(mesh.clone()), scale: [1.0; 3], ..Prim::new("Block", number) };
    let faces = Llsd::Array(vec![cube_submesh()]);
    let archive = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/1.xml", xml2(&[block(1)]))
        .add("objects/2.xml", xml2(&[Prim { scale: [1.0, 2.0, 3.0], ..block(2) }]))
        .add("objects/3.xml", xml2(&[Prim { scale: [3.0, 2.0, 1.0], ..block(3) }]))
        .add("objects/4.xml", xml2(&[block(4)]))
        .add(&format!("assets/{mesh}_mesh.llmesh"), MeshFile::cube().block("physics_mesh", &faces).encode());
    let desk = Desk::with(&[("a.oar", &archive.gzip())]);
    let unknown = |triangles: u64| {
        desk.write("tight.toml", format!("[report]\nscaled_triangles = {triangles}\n"));
        desk.run_to(DONE, "audit a.oar --out report --format csv --config tight.toml");
        let column = |table: &str, name: &str| desk.column("report", table, name);
        let basis = column("objects", "physics_cost_basis");
        let reported = column("findings", "code").into_iter().zip(column("findings", "limit"));
        let reported: Vec<String> =
            reported.filter(|(code, _)| code == "ARC012").map(|(_, limit)| limit).collect();
        (basis.iter().map(|basis| basis.contains("too many triangles")).collect::<Vec<_>>(), reported)
    };
    // The twelve triangles of the cube and their submesh. The first scale is always measured.
    assert_eq!(unknown(26), (vec![false; 4], vec![]));
    assert_eq!(unknown(25), (vec![false, false, true, false], vec!["25".to_owned()]));
    assert_eq!(unknown(0), (vec![false, true, true, false], vec!["0".to_owned()]));
}

#[test]
fn findings_of_a_code_are_capped_and_counted() {
    let many = (0..50).fold(region(), |archive, _| archive.add("objects/one.xml", "no xml"));
    let desk = Desk::with(&[("a.oar", &many.gzip()), ("sound.oar", &sound())]);
    spent(&desk, DONE, "findings_per_code = 10");
    let codes =
        desk.column("report", "findings", "code").into_iter().zip(desk.column("report", "findings", "count"));
    let reported: u64 =
        codes.filter(|(code, _)| code == "ARC010").map(|(_, count)| count.parse::<u64>().unwrap()).sum();
    assert_eq!(reported, 50, "none is lost from the count");
}

/// Rules have their own limit: a rule may have a finding for each of a million assets.
#[test]
fn findings_of_a_rule_are_capped_in_the_report_and_counted() {
    let empty =
        |archive: Archive, number: u32| archive.add(&format!("assets/{}_sound.ogg", uuid(number, 1)), "");
    let desk = Desk::with(&[("a.oar", &(1..51).fold(region(), empty).gzip())]);
    let counts = |most: u32| {
        desk.write("tight.toml", format!("[report]\nfindings_per_code = {most}\n"));
        desk.run_to(DONE, "audit a.oar --out report --format csv --config tight.toml");
        let codes = desk.column("report", "findings", "code").into_iter();
        let reported =
            codes.zip(desk.column("report", "findings", "count")).filter(|(code, _)| code == "AST004");
        let reported: Vec<u64> = reported.map(|(_, count)| count.parse().unwrap()).collect();
        let summary = desk.audit_json("report");
        assert_eq!(summary["checks"]["AST004"]["failed"], 50, "{most}");
        (reported.len(), reported.iter().sum::<u64>())
    };
    assert_eq!(counts(50), (50, 50));
    assert_eq!(counts(10), (10, 50));
    assert_eq!(counts(0), (1, 50));
}

/// Bytes after the end of a tar are unpacked for the checksum of the gzip stream, and they count.
#[test]
fn bytes_after_the_end_of_a_tar_are_counted_too() {
    let mut tar = region().tar();
    tar.resize(1 << 20, 0);
    let desk = Desk::with(&[("a.oar", &gzip(&tar)), ("sound.oar", &sound())]);
    let numbers = |measured: u32, limit: u32| vec![(measured.to_string(), limit.to_string())];
    assert_eq!(spent(&desk, INCOMPLETE, "archive_bytes = 1_000_000"), numbers(1_000_001, 1_000_000));
    assert_eq!(spent(&desk, DONE, "archive_bytes = 1_048_576"), []);
}

/// An archive within an archive is an ordinary member. It is not opened, so no nesting can expand.
#[test]
fn archives_in_archives_are_not_opened() {
    let within = region().add("objects/inner.oar", sound()).add("inner.oar", sound());
    let desk = Desk::with(&[("a.oar", &within.gzip()), ("sound.oar", &sound())]);
    desk.write("twice.oar", gzip(&sound()));
    spent(&desk, DONE, "");
    assert_eq!(desk.column("report", "objects", "archive"), ["a.oar", "a.oar", "sound.oar"]);
    desk.run_to(INCOMPLETE, "audit twice.oar --out twice --format csv");
    assert_eq!(desk.column("twice", "findings", "code"), ["ARC008", "RUN009", "RUN003"]);
    assert!(desk.column("twice", "objects", "archive").is_empty());
}

/// The order is that of sizes on disk, the largest first. So the covered inputs do not depend on threads.
#[test]
fn inputs_after_the_byte_budget_of_a_run_are_named_and_not_read() {
    let desk = Desk::with(&[("tight.toml", b"[limits]\nrun_bytes = 6000\n")]);
    for number in 0..6_u32 {
        desk.write(&format!("in/{number}.oar"), sound());
    }
    let statuses = |flags: &str| {
        desk.run_to(DONE, &format!("audit in --out report --format csv --config tight.toml {flags}"));
        desk.column("report", "archives", "status")
    };
    let read = statuses("--threads 1");
    let whole: BTreeSet<&String> = read.iter().collect();
    assert!(
        read.len() == 6 && whole.len() == 2 && read[0] == "complete" && read[5] == "not_covered",
        "{read:?}"
    );
    for threads in 2..5 {
        assert_eq!(statuses(&format!("--threads {threads}")), read);
    }
    let summary = desk.audit_json("report");
    let left = read.iter().filter(|status| *status == "not_covered").count() as u64;
    assert_eq!((&summary["complete"], &summary["not_covered"]["by_bytes"]), (&false.into(), &left.into()));
    // With kept ledgers each run gets further.
    while statuses("--ledgers kept").contains(&"not_covered".into()) {}
}

/// Memory across inputs can move to the disk without changing a byte of any report.
#[test]
fn memory_across_inputs_makes_no_difference() {
    let desk = Desk::with(&[]);
    let samples = repository().join("sample_data");
    desk.run_to(DONE, &format!("scan {} --ledgers kept", samples.display()));
    let report = |bytes: u32| {
        desk.write("little.toml", format!("[report]\nacross_bytes = {bytes}\n"));
        desk.run_to(DONE, "report kept --out report --format csv,jsonl,sarif --config little.toml");
        let mut files = desk.files("report");
        files.retain(|name, _| !name.starts_with('.'));
        fs::remove_dir_all(desk.at("report")).unwrap();
        files
    };
    let whole = report(u32::MAX);
    let findings = String::from_utf8(whole["findings.csv"].clone()).unwrap();
    for code in ["MSH013", "XAR001", "XAR002", "XAR003"] {
        assert!(findings.contains(code), "{code}");
    }
    for bytes in [0, 2_000, 20_000] {
        assert!(report(bytes) == whole, "with {bytes} bytes");
    }
}

#[test]
fn a_record_that_announces_more_than_an_archive_may_hold_ends_it() {
    let mut tar = region().tar();
    tar.truncate(tar.len() - 1024);
    write_member(&mut tar, "pax_global_header", b'g', b"");
    // Base 256, as GNU tar writes numbers that do not fit in octal digits.
    let header = tar.len() - 512;
    tar[header + 124..header + 136].copy_from_slice(&[0x80, 0, 0, 0, 0x20, 0, 0, 0, 0, 0, 0, 0]);
    tar[header + 148..header + 156].fill(b' ');
    let sum: u32 = tar[header..].iter().map(|&byte| u32::from(byte)).sum();
    tar[header + 148..header + 156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let desk = Desk::with(&[("a.oar", &gzip(&tar)), ("sound.oar", &sound())]);
    let reported = spent(&desk, INCOMPLETE, "");
    assert_eq!(reported[0].1, Limits::default().archive_bytes.to_string());
    assert_eq!(
        desk.column("report", "objects", "archive"),
        ["a.oar", "a.oar", "sound.oar"],
        "what came before is kept"
    );
}

#[test]
fn an_input_whose_time_is_over_is_named_and_the_rest_is_audited() {
    let desk = Desk::with(&[("in/a.oar", &region().gzip()), ("in/b.oar", &sound())]);
    desk.run_to(INCOMPLETE, "audit in --out report --format csv --timeout-per-input 0s");
    assert_eq!(desk.column("report", "archives", "status"), ["unreadable", "unreadable"]);
    let codes = desk.column("report", "findings", "code");
    assert_eq!(codes.iter().filter(|code| *code == "RUN008").count(), 2, "{codes:?}");
    // A sufficient time limit changes nothing.
    desk.run_to(DONE, "audit in --out patient --format csv --timeout-per-input 1h");
    desk.run_to(DONE, "audit in --out whole --format csv");
    assert_eq!(desk.files("patient"), desk.files("whole"));
    let wrong = desk.run_to(2, "audit in --out report --timeout-per-input soon").stderr;
    assert!(wrong.contains("timeout-per-input"), "{wrong}");
    let Value::Object(_) = desk.audit_json("report") else { panic!("the report stands") };
}

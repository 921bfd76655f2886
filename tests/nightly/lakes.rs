//! Reports in shards: any number of shards, in any order, has the rows of one machine.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, INCOMPLETE, USAGE, faulty, sound, truncated},
    object::{Prim, uuid, xml2},
    repository, shared,
};
use proptest::{prelude::*, test_runner::Config};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

/// The rows of each table, sorted.
type Tables = BTreeMap<String, Vec<String>>;

fn lines(file: &Path) -> Vec<String> {
    fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect()
}

fn is_jsonl(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "jsonl")
}

fn paths(folder: &Path) -> Vec<std::path::PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// Returns the rows of a report of one machine.
fn report(desk: &Desk, folder: &str) -> Tables {
    let files = paths(&desk.at(folder)).into_iter().filter(|path| is_jsonl(path));
    let mut tables: Tables = files.map(|path| (stem(&path), lines(&path))).collect();
    tables.values_mut().for_each(|rows| rows.sort());
    tables
}

/// Returns the rows of all parts of a lake.
fn lake(desk: &Desk, folder: &str) -> Tables {
    let mut tables = Tables::new();
    for table in paths(&desk.at(folder)).into_iter().filter(|path| path.is_dir()) {
        let name = stem(&table);
        if name == "_run" {
            continue;
        }
        let parts = paths(&table).into_iter().filter(|path| is_jsonl(path));
        let mut rows: Vec<String> = parts.flat_map(|part| lines(&part)).collect();
        rows.sort();
        tables.insert(name, rows);
    }
    tables
}

/// The files of a folder and of the folders in it.
fn all_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for path in paths(folder) {
        match path.is_dir() {
            true => files.extend(all_files(&path)),
            false => _ = files.insert(path.to_str().unwrap().to_owned(), fs::read(path).unwrap()),
        }
    }
    files
}

const REPORT: &str = "report kept --plan plan.json --format jsonl,html,xlsx --fail-on none";

fn compare(desk: &Desk, folder: &str, shards: usize) {
    desk.run_to(DONE, &format!("{REPORT} --out {folder} --across {shards}"));
}

fn write(desk: &Desk, folder: &str, shard: usize, shards: usize) {
    desk.run_to(DONE, &format!("{REPORT} --out {folder} --shard {shard}/{shards}"));
}

/// Writes a report in these shards, and compares all rows and `audit.json` with those of one machine.
fn assert_same(desk: &Desk, folder: &str, order: &[usize]) {
    let shards = *order.iter().max().unwrap();
    compare(desk, folder, shards);
    order.iter().for_each(|&shard| write(desk, folder, shard, shards));
    desk.run_to(INCOMPLETE, &format!("{REPORT} --out {folder} --join"));
    let (expected, written) = (report(desk, "whole"), lake(desk, folder));
    assert!(written.keys().eq(expected.keys()));
    for (table, rows) in &expected {
        assert!(written[table] == *rows, "{folder}: {table}");
    }
    let [one, other] = ["whole", folder].map(|folder| fs::read(desk.at(folder).join("audit.json")).unwrap());
    assert!(one == other, "{folder}");
}

/// Creates archives with these objects and a plan of them, and reads them. Objects with equal numbers are equal.
fn scanned(archives: &[Vec<u32>]) -> Desk {
    let desk = Desk::with(&[]);
    for (number, objects) in archives.iter().enumerate() {
        let region = Archive::new(&control(&uuid(0x4e4e_4e4e, number as u32 / 2), "256,256"));
        let region = objects.iter().enumerate().fold(region, |region, (place, &object)| {
            let prims = [Prim {
                mesh: Some(uuid(0x7e7e_7e7e, object)),
                ..Prim::new(&format!("Thing {object}"), object + 1)
            }];
            region.add(&format!("objects/{place}.xml"), xml2(&prims))
        });
        // A broken mesh, which other archives may have in another state, or lack.
        let region = objects.iter().take(1).fold(region, |region, object| {
            region.add(&format!("assets/{}_mesh.llmesh", uuid(0x7e7e_7e7e, object + 1)), [number as u8; 40])
        });
        desk.write(&format!("exports/{number}.oar"), region.gzip());
    }
    desk.run("plan exports -o plan.json");
    desk.run("scan --plan plan.json --ledgers kept");
    desk
}

#[test]
fn one_machine_and_many_shards_write_the_same_rows_and_sums() {
    let desk = Desk::with(&[]);
    let at = |path: &str| repository().join(path).to_str().unwrap().to_owned();
    desk.run_to(DONE, &format!("plan {} {} -o plan.json", at("sample_data"), at("tests/incomplete")));
    desk.run_to(INCOMPLETE, "scan --plan plan.json --ledgers kept");
    let whole = desk.run_to(INCOMPLETE, &format!("{REPORT} --out whole"));
    let expected = report(&desk, "whole");
    assert!(expected.len() > 12 && expected.values().all(|rows| !rows.is_empty()), "each table has rows");
    for (folder, order) in [("lake1", &[1][..]), ("lake2", &[2, 1]), ("lake7", &[5, 1, 7, 3, 3, 2, 6, 4])] {
        assert_same(&desk, folder, order);
        let joined = desk.run_to(INCOMPLETE, &format!("{REPORT} --out {folder} --join"));
        assert_eq!(joined.stdout.replace(folder, "whole"), whole.stdout);
        // Steps that an engine repeats change nothing.
        let before = all_files(&desk.at(folder));
        let shards = *order.iter().max().unwrap();
        compare(&desk, folder, shards);
        write(&desk, folder, 1, shards);
        desk.run_to(INCOMPLETE, &format!("{REPORT} --out {folder} --join"));
        let after = all_files(&desk.at(folder));
        let differ = |(name, bytes): &(&String, &Vec<u8>)| before.get(*name) != Some(*bytes);
        let changed: Vec<&String> = after.iter().filter(differ).map(|(name, _)| name).collect();
        // The workbook has the time of its making.
        assert!(changed.iter().all(|name| name.ends_with(".xlsx")), "{changed:?}");
    }
}

#[test]
fn real_exports_have_the_same_rows_in_shards() {
    let Some(shared) = shared() else { return };
    let desk = Desk::with(&[]);
    let exports = ["data", "field", "simulator"].map(|folder| shared.join(folder));
    let exports: Vec<&str> = exports.iter().filter_map(|path| path.to_str()).collect();
    desk.run_to(DONE, &format!("plan {} -o plan.json", exports.join(" ")));
    desk.run_to(INCOMPLETE, "scan --plan plan.json --ledgers kept");
    desk.run_to(INCOMPLETE, &format!("{REPORT} --out whole"));
    assert_same(&desk, "lake", &[3, 1, 4, 2]);
}

/// Two nights of the same archives: some are changed, moved, cut, gone or new.
fn second_night(desk: &Desk, changed: impl Fn(&Desk)) {
    desk.run(&format!("{REPORT} --out earlier"));
    changed(desk);
    desk.run("plan exports -o plan.json");
    desk.run("scan --plan plan.json --ledgers kept");
}

/// Compares a night in shards and on one machine with the earlier night.
fn assert_same_since(desk: &Desk, earlier: &str, shards: usize) {
    let since = format!("{REPORT} --baseline {earlier} --fail-on-new info");
    let whole = desk.run(&format!("{since} --out whole"));
    let step = |step: &str| desk.run(&format!("{since} --out lake {step}"));
    assert_eq!(step(&format!("--across {shards}")).code, DONE);
    (1..=shards).rev().for_each(|shard| assert_eq!(step(&format!("--shard {shard}/{shards}")).code, DONE));
    let joined = step("--join");
    assert_eq!(joined.code, whole.code);
    assert_eq!(joined.stdout.replace("lake", "whole"), whole.stdout);
    let (expected, written) = (report(desk, "whole"), lake(desk, "lake"));
    assert!(written.keys().eq(expected.keys()), "{:?}", written.keys());
    for (table, rows) in &expected {
        assert!(written[table] == *rows, "{table}");
    }
    assert_eq!(desk.audit_json("lake"), desk.audit_json("whole"));
}

#[test]
fn shards_are_compared_with_an_earlier_run_as_one_machine_is() {
    let desk = scanned(&[vec![1, 2, 3], vec![2, 3], vec![4, 5], vec![6], vec![7]]);
    second_night(&desk, |desk| {
        desk.write("exports/0.oar", faulty());
        desk.write("exports/1.oar", truncated());
        fs::create_dir(desk.at("exports/moved")).unwrap();
        // Its region is in no other archive.
        fs::rename(desk.at("exports/4.oar"), desk.at("exports/moved/4.oar")).unwrap();
        fs::remove_file(desk.at("exports/3.oar")).unwrap();
        desk.write("exports/new.oar", sound());
    });
    assert_same_since(&desk, "earlier", 3);
    let audit = desk.audit_json("lake");
    let counts = &audit["changes"]["counts"];
    assert_eq!(counts["archives_came"], 1, "{counts}");
    assert!(
        counts["lost"]["objects"].as_u64() > Some(0) && counts["new"]["error"].as_u64() > Some(0),
        "{counts}"
    );
    // A lake is an earlier run, too.
    fs::rename(desk.at("lake"), desk.at("second")).unwrap();
    desk.write("exports/0.oar", sound());
    desk.run("plan exports -o plan.json");
    desk.run("scan --plan plan.json --ledgers kept");
    assert_same_since(&desk, "second", 2);
    assert!(
        desk.audit_json("lake")["changes"]["counts"]["gone"].as_object().is_some_and(|gone| !gone.is_empty())
    );
}

#[test]
fn all_steps_have_the_same_earlier_run() {
    let desk = scanned(&[vec![1, 2], vec![3]]);
    second_night(&desk, |desk| desk.write("exports/0.oar", faulty()));
    let since =
        |earlier: &str, step: &str| desk.run(&format!("{REPORT} --out lake --baseline {earlier} {step}"));
    assert_eq!(since("earlier", "--across 2").code, DONE);
    assert_eq!(since("earlier", "--shard 1/2").code, DONE);
    desk.run(&format!("{REPORT} --out other"));
    for (run, words) in [
        (since("other", "--shard 2/2"), "compared with other settings, flags"),
        (desk.run(&format!("{REPORT} --out lake --shard 2/2")), "compared with other settings, flags"),
        (since("gone", "--shard 2/2"), "gone does not exist"),
    ] {
        assert_eq!(run.code, USAGE);
        assert!(run.stderr.contains(words), "{}", run.stderr);
    }
    let run = desk
        .run_to(USAGE, "report kept --plan plan.json --out lake --format html --across 1 --baseline earlier");
    assert!(run.stderr.contains("Add csv, jsonl or parquet to --format"), "{}", run.stderr);
    // Before the first night there is nothing to compare with.
    fs::remove_dir_all(desk.at("lake")).unwrap();
    let first =
        |step: &str| desk.run(&format!("{REPORT} --out lake --baseline gone --baseline-if-there {step}"));
    for step in ["--across 1", "--shard 1/1", "--join"] {
        let run = first(step);
        assert_eq!(run.code, DONE, "{}", run.stderr);
    }
    assert!(!desk.at("lake/changes").exists());
}

#[test]
fn the_page_shows_the_inputs_of_its_lists_and_says_so() {
    let desk = Desk::with(&[]);
    for number in 0..40 {
        desk.write(&format!("exports/{number:02}.oar"), if number == 17 { faulty() } else { sound() });
    }
    desk.run_to(DONE, "plan exports -o plan.json");
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept");
    compare(&desk, "lake", 2);
    write(&desk, "lake", 1, 2);
    write(&desk, "lake", 2, 2);
    desk.run_to(DONE, &format!("{REPORT} --out lake --join"));
    let page = fs::read_to_string(desk.at("lake/audit.html")).unwrap();
    assert!(page.contains("The sums count all 40 inputs."), "{}", &page[..4000]);
    assert!(page.contains("17.oar"));
    assert_eq!(desk.audit_json("lake")["totals"]["inputs"], 40);
    assert_eq!(desk.audit_json("lake")["manifest"]["inputs"].as_array().unwrap().len(), 40);
}

#[test]
fn a_shard_that_is_missing_is_named_and_nothing_is_final_before_it() {
    let desk = scanned(&[vec![1, 2], vec![2, 3], vec![4]]);
    let run = desk.run_to(USAGE, &format!("{REPORT} --out lake --shard 1/3"));
    assert!(
        run.stderr.contains("lake has no comparison of inputs. Run `hullmark report --across N`"),
        "{}",
        run.stderr
    );
    compare(&desk, "lake", 3);
    write(&desk, "lake", 2, 3);
    // A killed shard leaves partial files.
    fs::create_dir_all(desk.at("lake/_run/part-3")).unwrap();
    desk.write("lake/_run/part-3/objects.jsonl.partial", "{");
    let run = desk.run_to(USAGE, &format!("{REPORT} --out lake --join"));
    assert!(
        run.stderr.contains("2 of the 3 shards in lake have no part of this run: 1, 3"),
        "{}",
        run.stderr
    );
    assert!(!desk.at("lake/audit.json").exists());
    write(&desk, "lake", 3, 3);
    assert!(!desk.at("lake/_run/part-3/objects.jsonl.partial").exists());
    write(&desk, "lake", 1, 3);
    desk.run(&format!("{REPORT} --out lake --join"));
    desk.run(&format!("{REPORT} --out whole"));
    assert_eq!(lake(&desk, "lake"), report(&desk, "whole"));
}

#[test]
fn steps_of_different_runs_are_refused() {
    let desk = scanned(&[vec![1, 2], vec![2, 3], vec![4], vec![]]);
    compare(&desk, "lake", 4);
    (1..=4).for_each(|shard| write(&desk, "lake", shard, 4));
    desk.run(&format!("{REPORT} --out lake --join"));
    assert!(desk.at("lake/objects/part-4.jsonl").exists());
    for other in
        ["--profile opensim-ubode --shard 1/4", "--max-prims 1 --join", "--now 2026-01-01T00:00:00Z --join"]
    {
        let run = desk.run_to(USAGE, &format!("{REPORT} --out lake {other}"));
        assert!(run.stderr.contains("compared with other settings, flags"), "{other}: {}", run.stderr);
    }
    let run = desk.run_to(USAGE, &format!("{REPORT} --out lake --shard 1/3"));
    assert!(run.stderr.contains("--shard names 3 shards, but --across prepared 4"), "{}", run.stderr);
    let run = desk.run_to(USAGE, "report kept --plan plan.json --out lake --format csv --join");
    assert!(
        run.stderr.contains("compared with other settings"),
        "formats are those of the run: {}",
        run.stderr
    );
    // A new comparison begins a new report.
    compare(&desk, "lake", 2);
    assert!(!desk.at("lake/audit.json").exists());
    assert!(lake(&desk, "lake").values().all(Vec::is_empty));
    let run = desk.run_to(USAGE, &format!("{REPORT} --out lake --join"));
    assert!(run.stderr.contains("2 of the 2 shards"), "{}", run.stderr);
    (1..=2).for_each(|shard| write(&desk, "lake", shard, 2));
    desk.run(&format!("{REPORT} --out lake --join"));
    desk.run(&format!("{REPORT} --out whole"));
    assert_eq!(lake(&desk, "lake"), report(&desk, "whole"));
    // An archive that is read anew has another ledger.
    desk.write("exports/0.oar", faulty());
    desk.run("plan exports -o plan.json");
    desk.run("scan --plan plan.json --ledgers kept");
    let run = desk.run_to(USAGE, &format!("{REPORT} --out lake --shard 1/2"));
    assert!(run.stderr.contains("compared with other ledgers"), "{}", run.stderr);
}

#[test]
fn a_comparison_that_fails_leaves_nothing_to_join() {
    let desk = scanned(&[vec![1, 2], vec![2, 3]]);
    compare(&desk, "lake", 1);
    write(&desk, "lake", 1, 1);
    fs::remove_file(desk.at("lake/_run/across-1.gz")).unwrap();
    fs::create_dir(desk.at("lake/_run/across-1.gz")).unwrap();
    let run = desk.run_to(USAGE, &format!("{REPORT} --out lake --max-prims 1 --across 1"));
    assert!(run.stderr.contains("across-1.gz cannot be written"), "{}", run.stderr);
    let run = desk.run_to(USAGE, &format!("{REPORT} --out lake --join"));
    assert!(run.stderr.contains("lake has no comparison of inputs"), "{}", run.stderr);
    assert!(!desk.at("lake/audit.json").exists());
}

#[test]
fn what_needs_all_findings_in_one_place_is_refused() {
    let desk = scanned(&[vec![1]]);
    for (flags, words) in [
        ("--format sarif --across 1", "A lake has no sarif"),
        ("--format csv --across 0", "invalid value '0'"),
        ("--format csv --across 1 --letters letters", "cannot be used with"),
        ("--format csv --across 1 --owner Ann", "cannot be used with"),
        (
            "--format csv --across 1 --baseline kept",
            "--baseline kept has ledgers, and each shard would evaluate them all",
        ),
        ("--format csv --shard 1/1 --baseline lake", "--baseline lake is the lake of this run"),
        ("--format csv --across 1 --baseline old", "old does not exist"),
        ("--format csv --shard 1/1 --join", "cannot be used with"),
    ] {
        let run = desk.run_to(USAGE, &format!("report kept --plan plan.json --out lake {flags}"));
        assert!(run.stderr.contains(words), "{flags}: {}", run.stderr);
    }
    let run = desk.run_to(USAGE, "report kept --out lake --across 1");
    assert!(run.stderr.contains("--plan"), "{}", run.stderr);
}

#[test]
fn a_damaged_file_between_the_steps_is_named_and_never_changes_the_result() {
    let desk = scanned(&[vec![1, 2, 3, 4, 5], vec![1, 2, 3, 4, 5, 6], vec![2]]);
    desk.run(&format!("{REPORT} --out whole"));
    let (expected, audit) = (report(&desk, "whole"), fs::read(desk.at("whole/audit.json")).unwrap());
    compare(&desk, "lake", 2);
    (1..=2).for_each(|shard| write(&desk, "lake", shard, 2));
    for (file, step) in [
        ("across.json", "--shard 1/2"),
        ("across-1.gz", "--shard 1/2"),
        ("part-1/sums.gz", "--join"),
        ("part-2/sums.json", "--join"),
    ] {
        let name = format!("lake/_run/{file}");
        let sound = fs::read(desk.at(&name)).unwrap();
        for number in 0..24 {
            let mut bytes = sound.clone();
            let place = number * sound.len() / 24;
            match number % 3 {
                0 => bytes.truncate(place),
                1 => bytes[place] ^= 1 << (number % 8),
                _ => bytes.insert(place, 0),
            }
            desk.write(&name, &bytes);
            let run = desk.run(&format!("{REPORT} --out lake {step}"));
            match run.code {
                USAGE => assert!(!run.stderr.contains("internal error"), "{file} {number}: {}", run.stderr),
                _ => {
                    desk.write(&name, &sound);
                    desk.run(&format!("{REPORT} --out lake --join"));
                    assert!(lake(&desk, "lake") == expected, "{file} {number}");
                    assert!(fs::read(desk.at("lake/audit.json")).unwrap() == audit, "{file} {number}");
                }
            }
            desk.write(&name, &sound);
        }
    }
}

#[test]
fn a_damaged_ledger_is_a_row_of_its_shard() {
    let desk = scanned(&[vec![1, 2], vec![2, 3], vec![4]]);
    desk.write("exports/cut.oar", truncated());
    desk.run("plan exports -o plan.json");
    desk.run("scan --plan plan.json --ledgers kept");
    let ledger =
        paths(&desk.at("kept")).into_iter().find(|path| path.to_str().unwrap().contains("1.oar")).unwrap();
    let bytes = fs::read(&ledger).unwrap();
    fs::write(&ledger, &bytes[..bytes.len() - 20]).unwrap();
    compare(&desk, "lake", 2);
    (1..=2).for_each(|shard| write(&desk, "lake", shard, 2));
    desk.run_to(INCOMPLETE, &format!("{REPORT} --out lake --join"));
    desk.run_to(INCOMPLETE, &format!("{REPORT} --out whole"));
    assert_eq!(lake(&desk, "lake"), report(&desk, "whole"));
    assert_eq!(desk.audit_json("lake"), desk.audit_json("whole"));
}

proptest! {
    #![proptest_config(Config::with_cases(12))]

    /// Archives share objects, regions and assets, so rules across inputs find much.
    #[test]
    fn shards_and_their_order_change_no_row(
        archives in prop::collection::vec(prop::collection::vec(0..9_u32, 0..8), 1..7),
        order in prop::collection::vec(any::<u8>(), 1..6),
    ) {
        let desk = scanned(&archives);
        let shards = order.len();
        let mut numbers: Vec<usize> = (1..=shards).collect();
        numbers.sort_by_key(|number| order[number - 1]);
        compare(&desk, "lake", shards);
        numbers.iter().for_each(|&number| write(&desk, "lake", number, shards));
        desk.run(&format!("{REPORT} --out lake --join"));
        desk.run(&format!("{REPORT} --out whole"));
        prop_assert_eq!(lake(&desk, "lake"), report(&desk, "whole"));
        prop_assert_eq!(desk.audit_json("lake"), desk.audit_json("whole"));
        let codes: BTreeSet<String> = desk.audit_json("whole")["findings_by_code"].as_object().unwrap().keys().cloned().collect();
        // The meshes of all objects are missing or broken.
        prop_assert!(!codes.is_empty() || archives.iter().all(Vec::is_empty), "{codes:?}");
        // The next night in shards has the changes of one machine.
        second_night(&desk, |desk| {
            for (number, &byte) in order.iter().enumerate() {
                let (old, new) = (desk.at(&format!("exports/{}.oar", byte % 7)), desk.at(&format!("exports/{number}b.oar")));
                match byte / 64 {
                    0 => _ = fs::remove_file(old),
                    1 => _ = fs::rename(old, new),
                    2 => _ = fs::copy(old, new),
                    _ => desk.write(&format!("exports/{}.oar", byte % 7), faulty()),
                }
            }
            desk.write("exports/always.oar", sound());
        });
        assert_same_since(&desk, "earlier", shards);
    }
}

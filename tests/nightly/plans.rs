//! Plans that several machines share: any number of shares gives the same report, and an incomplete plan gives none.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE, faulty, sound, truncated},
    mesh::MeshFile,
    object::{Prim, uuid, xml2},
    repository,
};
use std::{fs, process::Command, thread};

/// Creates a folder with regions and a plan of them. Every third region has an error.
fn planned(count: usize) -> Desk {
    let desk = Desk::with(&[]);
    for number in 0..count {
        desk.write(&format!("exports/{number}.oar"), if number % 3 == 0 { faulty() } else { sound() });
    }
    desk.run_to(DONE, "plan exports -o plan.json");
    desk
}

/// Runs all shares at the same time.
fn scan(desk: &Desk, of: u32, code: impl Fn(i32) -> bool + Sync) {
    thread::scope(|scope| {
        for number in 1..=of {
            let code = &code;
            scope.spawn(move || {
                let scan =
                    format!("scan --plan plan.json --ledgers kept{of} --shard {number}/{of} --threads 2");
                // Partial files of other shares appear and disappear.
                let run = Command::new(env!("CARGO_BIN_EXE_hullmark"))
                    .args(scan.split(' '))
                    .current_dir(desk.at("."))
                    .output()
                    .unwrap();
                assert!(code(run.status.code().unwrap()), "{scan}\n{}", String::from_utf8_lossy(&run.stderr));
            });
        }
    });
}

#[test]
fn one_machine_and_many_shares_give_the_same_bytes() {
    let desk = Desk::with(&[]);
    let samples = repository().join("sample_data");
    let samples = samples.to_str().unwrap();
    let incomplete = repository().join("tests/incomplete");
    let paths = format!("{samples} {}", incomplete.to_str().unwrap());
    let whole = desk.run_to(INCOMPLETE, &format!("audit {paths} --out whole --format csv,jsonl,sarif"));
    desk.run_to(DONE, &format!("plan {paths} -o plan.json"));
    let mut learnt = Vec::new();
    for of in [1, 3, 17] {
        scan(&desk, of, |code| code == DONE || code == INCOMPLETE);
        let report = format!("report kept{of} --plan plan.json --out report{of} --format csv,jsonl,sarif");
        let run = desk.run_to(INCOMPLETE, &report);
        assert_eq!(run.stdout.replace(&format!("report{of}"), "whole"), whole.stdout);
        assert!(desk.files(&format!("report{of}")) == desk.files("whole"), "{of} shares");
        let kept = desk.files(&format!("kept{of}"));
        learnt.push(kept.into_iter().map(|(name, bytes)| (name, facts(&bytes))).collect::<Vec<_>>());
    }
    assert!(learnt.windows(2).all(|pair| pair[0] == pair[1]), "ledgers hold the same");
}

/// Returns a ledger without its label, because the label contains the time of reading.
fn facts(ledger: &[u8]) -> Vec<u8> {
    let line = ledger.iter().position(|&byte| byte == b'\n').unwrap();
    ledger[line..].to_vec()
}

#[test]
fn a_share_that_runs_twice_leaves_the_same_ledgers() {
    let desk = planned(9);
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept --shard 2/3");
    let once = desk.files("kept");
    assert_eq!(once.len(), 3);
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept --shard 2/3");
    assert!(desk.files("kept") == once);
}

#[test]
fn a_share_without_inputs_is_a_success() {
    let desk = planned(2);
    for empty in ["--shard 3/3", "--stores", "--stores --shard 1/3"] {
        let run = desk.run_to(DONE, &format!("scan --plan plan.json --ledgers kept {empty}"));
        assert!(run.stderr.contains("ledgers of 0 inputs in kept"), "{}", run.stderr);
    }
    assert!(desk.files("kept").is_empty());
}

#[test]
fn the_engine_may_pass_the_share() {
    let desk = planned(6);
    for (variable, index) in hullmark_scan::plan::shard::INDICES.into_iter().zip(["0", "1", "2", "2"]) {
        let run = Command::new(env!("CARGO_BIN_EXE_hullmark"))
            .args("scan --plan plan.json --ledgers kept --shard auto/3".split(' '))
            .current_dir(desk.at("."))
            .env(variable, index)
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    }
    desk.run_to(DONE, "report kept --plan plan.json --out report");
    let run = desk.run_to(USAGE, "scan --plan plan.json --ledgers kept --shard auto/3");
    assert!(run.stderr.contains("JOB_COMPLETION_INDEX"), "{}", run.stderr);
}

#[test]
fn tasks_without_an_order_make_one_plan_and_one_report() {
    let desk = Desk::with(&[]);
    for number in 0..9 {
        desk.write(&format!("exports/{number}.oar"), if number % 3 == 0 { faulty() } else { sound() });
    }
    let run = |arguments: &str| {
        // Partial files of other tasks appear and disappear.
        let run = Command::new(env!("CARGO_BIN_EXE_hullmark"))
            .args(arguments.split(' '))
            .current_dir(desk.at("."))
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.success(), "{arguments}\n{words}");
        words
    };
    let task = |shard: u32| {
        // Exports come while tasks start, so each of them would list others.
        desk.write(&format!("exports/late-{shard}.oar"), sound());
        run("plan exports -o plan.json --keep");
        run(&format!("scan --plan plan.json --ledgers kept --shard {shard}/4"));
        let words = run("report kept --plan plan.json --if-complete --out report");
        words.contains("Nothing is reported yet: ")
    };
    let waiting: Vec<bool> = thread::scope(|scope| {
        let tasks: Vec<_> = (1..=4)
            .map(|shard| {
                scope.spawn({
                    let task = &task;
                    move || task(shard)
                })
            })
            .collect();
        tasks.into_iter().map(|task| task.join().unwrap()).collect()
    });
    assert!(waiting.contains(&false), "the last one reports");
    let plan = fs::read(desk.at("plan.json")).unwrap();
    desk.run_to(DONE, "plan exports -o plan.json --keep");
    assert_eq!(fs::read(desk.at("plan.json")).unwrap(), plan);
    desk.run_to(DONE, "report kept --plan plan.json --out again");
    assert!(desk.files("report") == desk.files("again"));
    // No task of four is done after three.
    desk.run_to(DONE, "scan --plan plan.json --ledgers three --shard 1/4");
    let run = desk.run_to(DONE, "report three --plan plan.json --if-complete --out none");
    assert!(run.stderr.contains("of the plan") && !desk.at("none/audit.json").exists(), "{}", run.stderr);
    desk.write("plan.json", "{");
    let run = desk.run_to(USAGE, "plan exports -o plan.json --keep");
    assert!(run.stderr.contains("is not a plan"), "{}", run.stderr);
}

#[test]
fn holes_are_refused_or_reported() {
    let desk = planned(9);
    for share in ["1/3", "3/3"] {
        desk.run_to(DONE, &format!("scan --plan plan.json --ledgers kept --shard {share}"));
    }
    let run = desk.run_to(USAGE, "report kept --plan plan.json --out report");
    assert!(run.stderr.contains("3 of the 9 inputs of the plan"), "{}", run.stderr);
    assert!(run.stderr.contains("have no ledger of it: exports/"), "{}", run.stderr);
    assert!(!desk.at("report/audit.json").exists());

    desk.run_to(INCOMPLETE, "report kept --plan plan.json --out report --partial");
    let not_covered = &desk.audit_json("report")["not_covered"];
    assert_eq!((&not_covered["inputs"], &not_covered["by_missing"]), (&3.into(), &3.into()));
    let statuses = desk.column("report", "archives", "status");
    assert_eq!(statuses.iter().filter(|status| *status == "not_covered").count(), 3);
    // Thresholds are evaluated, but the exit code for incomplete wins.
    desk.run_to(INCOMPLETE, "report kept --plan plan.json --out report --partial --fail-on error");

    // The next run finishes the work.
    let run = desk.run_to(DONE, "scan --plan plan.json --ledgers kept -v");
    assert!(run.stderr.contains("exports/"), "{}", run.stderr);
    desk.run_to(FINDINGS, "report kept --plan plan.json --out report --fail-on error");
    desk.run_to(FINDINGS, "audit exports --out whole --fail-on error");
    assert!(desk.files("report") == desk.files("whole"));
}

#[test]
fn overlaps_are_refused() {
    let desk = planned(4);
    desk.run_to(DONE, "scan --plan plan.json --ledgers one --shard 1/1");
    desk.run_to(DONE, "scan --plan plan.json --ledgers two --shard 2/4");
    let run = desk.run_to(USAGE, "report one two --plan plan.json --out report --partial");
    assert!(run.stderr.contains("are both ledgers of exports/"), "{}", run.stderr);
    // The same file twice is not an overlap.
    desk.run_to(DONE, "report one one --plan plan.json --out report");
}

#[test]
fn ledgers_of_another_state_or_version_are_holes() {
    let desk = planned(4);
    desk.write("other.toml", "[limits]\nentry_bytes = 1000000\n");
    let run = desk.run_to(USAGE, "scan --plan plan.json --ledgers kept --shard 1/2 --config other.toml");
    assert!(run.stderr.contains("with other limits, features or ledger version"), "{}", run.stderr);
    desk.run_to(DONE, "scan exports --ledgers kept --config other.toml");
    let run = desk.run_to(USAGE, "report kept --plan plan.json --out report");
    assert!(
        run.stderr.contains("4 of them only one by another version or with other limits"),
        "{}",
        run.stderr
    );

    // A ledger of an earlier run is used if it is still valid, and otherwise not.
    desk.run_to(DONE, "scan exports --ledgers kept");
    desk.run_to(DONE, "report kept --plan plan.json --out report");
    desk.write("exports/1.oar", faulty());
    desk.run_to(DONE, "plan exports -o plan.json");
    let run = desk.run_to(USAGE, "report kept --plan plan.json --out report");
    assert!(run.stderr.contains("1 of the 4 inputs of the plan"), "{}", run.stderr);
    assert!(run.stderr.contains("1 of them only an older one"), "{}", run.stderr);
    desk.run_to(INCOMPLETE, "report kept --plan plan.json --out report --partial");
    let row = &desk.audit_json("report")["not_covered"]["archives"][0];
    assert!(row["archive"] == "exports/1.oar" && row["last_read"].is_string(), "{row}");
}

#[test]
fn inputs_that_changed_since_the_plan_are_reported_and_read() {
    let desk = planned(4);
    desk.write("exports/1.oar", faulty());
    fs::remove_file(desk.at("exports/2.oar")).unwrap();
    let run = desk.run_to(INCOMPLETE, "scan --plan plan.json --ledgers kept");
    let words = "2 inputs changed since the plan was made, and are read as now: exports/1.oar, exports/2.oar";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    desk.run_to(INCOMPLETE, "report kept --plan plan.json --out report");
    assert_eq!(
        desk.column("report", "archives", "status"),
        ["complete", "complete", "unreadable", "complete"]
    );
}

#[test]
fn an_incomplete_input_belongs_to_the_plan_and_is_tried_again() {
    let desk = Desk::with(&[("exports/a.oar", &sound()), ("exports/b.oar", &truncated())]);
    desk.run_to(DONE, "plan exports -o plan.json");
    desk.run_to(INCOMPLETE, "scan --plan plan.json --ledgers kept --shard 1/1");
    desk.run_to(INCOMPLETE, "report kept --plan plan.json --out report");
    // For another plan it proves nothing: the input may be readable now.
    desk.write("exports/c.oar", sound());
    desk.run_to(DONE, "plan exports -o plan.json");
    let run = desk.run_to(USAGE, "report kept --plan plan.json --out report");
    assert!(run.stderr.contains("2 of the 3 inputs"), "{}", run.stderr);
}

#[test]
fn ledgers_of_other_inputs_are_left_out() {
    let desk = planned(3);
    desk.write("elsewhere/x.oar", sound());
    desk.run_to(DONE, "scan elsewhere --ledgers kept");
    // One of an outdated version, and one that is no ledger.
    desk.write("kept/old.oar-0123456789abcdef.ledger", "{\"hullmark_ledger\": 1, \"program\": \"0.0.1\"}\n");
    desk.write("kept/other.ledger", "1000 gold pieces\n");
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept");
    desk.run_to(DONE, "report kept --plan plan.json --out report");
    desk.run_to(DONE, "audit exports --out whole");
    assert!(desk.files("report") == desk.files("whole"));
}

/// Returns a region with an object whose mesh only a store has.
fn lacking(mesh: u32) -> Vec<u8> {
    let prim =
        Prim { mesh: Some(uuid(0x3e3e_3e3e, mesh)), physics_shape_type: Some(2), ..Prim::new("Crate", mesh) };
    Archive::new(&control(&uuid(0x4e4e_4e4e, mesh), "256,256"))
        .add("objects/crate.xml", xml2(&[prim]))
        .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, mesh)), "a note")
        .gzip()
}

#[test]
fn stores_are_searched_for_missing_assets_of_all_shares() {
    let mesh =
        |number| (format!("store/{}_mesh.llmesh", uuid(0x3e3e_3e3e, number)), MeshFile::cube().encode());
    let desk = Desk::with(&[("exports/a.oar", &lacking(1)), ("exports/b.oar", &lacking(2))]);
    (1..4).map(mesh).for_each(|(name, bytes)| desk.write(&name, bytes));
    desk.run_to(DONE, "audit exports --assets store --out whole");
    desk.run_to(DONE, "plan exports --assets store -o plan.json");
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept --shard 1/2");
    let run = desk.run_to(DONE, "scan --plan plan.json --ledgers kept --stores");
    assert!(run.stderr.contains("The stores are not searched for what these lack"), "{}", run.stderr);
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept --shard 2/2");
    // The store was not searched for the mesh of the second share.
    let run = desk.run_to(USAGE, "report kept --plan plan.json --out report");
    assert!(run.stderr.contains("1 store of the plan must be searched"), "{}", run.stderr);
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept --stores --shard 2/2");
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept --stores --shard 1/2");
    desk.run_to(DONE, "report kept --plan plan.json --out report");
    assert!(desk.files("report") == desk.files("whole"));

    desk.run_to(DONE, "scan --plan plan.json --ledgers alone");
    desk.run_to(DONE, "report alone --plan plan.json --out report");
    assert!(desk.files("report") == desk.files("whole"));
    // Another region lacks nothing new. The store is not read again, and its ledger is valid for this plan too.
    desk.write("exports/c.oar", lacking(2));
    desk.run_to(DONE, "plan exports --assets store -o plan.json");
    desk.run_to(DONE, "scan --plan plan.json --ledgers alone");
    desk.run_to(DONE, "report alone --plan plan.json --out report");
    desk.run_to(DONE, "audit exports --assets store --out whole");
    assert!(desk.files("report") == desk.files("whole"));
}

#[cfg(unix)]
#[test]
fn a_plan_keeps_names_that_are_not_utf_8() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let desk = Desk::with(&[("exports/a.oar", &sound())]);
    fs::write(desk.at("exports").join(OsStr::from_bytes(b"b\xff.oar")), faulty()).unwrap();
    desk.run_to(DONE, "plan exports -o plan.json");
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept");
    desk.run_to(DONE, "report kept --plan plan.json --out report");
    assert_eq!(desk.column("report", "archives", "archive"), ["exports/a.oar", r"exports/b\xff.oar"]);
}

#[test]
fn a_plan_names_the_useful_number_of_shares() {
    let desk = planned(6);
    let run = desk.run_to(DONE, "plan exports -o exports/plan.json");
    assert!(run.stdout.starts_with("exports/plan.json: 6 inputs, "), "{}", run.stdout);
    assert!(run.stdout.contains("more than 6 shards will not be faster"), "{}", run.stdout);
    // The plan does not count itself as an input.
    let first = fs::read(desk.at("exports/plan.json")).unwrap();
    desk.run_to(DONE, "plan exports -o exports/plan.json");
    assert!(fs::read(desk.at("exports/plan.json")).unwrap() == first);
}

/// Engines repeat a task that failed, and another attempt reads no more.
#[test]
fn a_share_may_accept_an_incomplete_input() {
    let desk = Desk::with(&[("exports/cut.oar", &truncated())]);
    desk.run_to(DONE, "plan exports -o plan.json");
    let scan = "scan --plan plan.json --ledgers kept --shard 1/1";
    desk.run_to(INCOMPLETE, scan);
    desk.run_to(DONE, &format!("{scan} --accept-incomplete"));
    desk.run_to(INCOMPLETE, "report kept --plan plan.json --out report");
}

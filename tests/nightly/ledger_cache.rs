//! Ledgers kept from run to run: only inputs that changed are read again.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk, INCOMPLETE, faulty, mixed, sound, truncated},
    object::{Prim, uuid, xml2},
    repository,
};
use hullmark_ledger::{self as ledger, Ledger, LedgerHeader};
use std::{
    fs::{self, File},
    process::{Command, Stdio},
    thread,
    time::{Duration, SystemTime},
};

const AUDIT: &str = "audit a.oar b.oar India.oar loose --out";

/// Returns the inputs that a run read, according to its output with `-v`.
fn read(desk: &Desk, arguments: &str) -> Vec<String> {
    let run = desk.run(&format!("{arguments} -v"));
    let of = |name: &&str| run.stderr.lines().any(|line| line.contains(name));
    ["a.oar", "b.oar", "India.oar/India.oar", "loose", "cut.oar", "tree"]
        .iter()
        .filter(|name| of(name))
        .map(|name| (*name).to_owned())
        .collect()
}

#[test]
fn a_warm_run_reads_nothing_and_gives_the_same_bytes() {
    let desk = mixed();
    desk.run_to(DONE, &format!("{AUDIT} cold"));
    let all = ["a.oar", "b.oar", "India.oar/India.oar", "loose"];
    assert_eq!(read(&desk, &format!("{AUDIT} first --ledgers kept")), all);
    assert_eq!(read(&desk, &format!("{AUDIT} warm --ledgers kept")), [""; 0]);
    assert_eq!(desk.files("first"), desk.files("cold"));
    assert_eq!(desk.files("warm"), desk.files("cold"));
    // Other thresholds, another grid and other rules do not read anything again.
    let other = "--profile opensim-ubode --max-prims 1 --ignore LNK001 --threads 1";
    assert_eq!(read(&desk, &format!("{AUDIT} other --ledgers kept {other}")), [""; 0]);
    desk.run_to(DONE, &format!("{AUDIT} cold-other {other}"));
    assert_eq!(desk.files("other"), desk.files("cold-other"));
}

/// A ledger holds facts about faults and no words. Another release may phrase them differently without reading an input
/// again.
#[test]
fn a_ledger_of_another_release_is_reported_in_the_words_of_this_one() {
    let desk = Desk::with(&[]);
    fs::copy(repository().join("sample_data/archives/no-end-marker.oar"), desk.at("a.oar")).unwrap();
    assert_eq!(read(&desk, "audit a.oar --out first --ledgers kept"), ["a.oar"]);
    let ledgers = fs::read_dir(desk.at("kept")).unwrap().map(|entry| entry.unwrap().path());
    let path =
        ledgers.into_iter().find(|path| path.extension().is_some_and(|ending| ending == "ledger")).unwrap();
    let reported = desk.column("first", "findings", "message");
    let words = "it has no end marker and may be cut short between two members";
    assert!(reported.iter().any(|message| message.contains(words)), "{reported:?}");
    let ledger = serde_json::to_string(&Ledger::read(&path).unwrap()).unwrap();
    assert!(ledger.contains("no-end-marker") && !ledger.contains(words), "{ledger}");

    let written = fs::read(&path).unwrap();
    let label = written.iter().position(|&byte| byte == b'\n').unwrap();
    let ours = format!("\"program\":\"{}\"", env!("CARGO_PKG_VERSION"));
    let line = String::from_utf8(written[..label].to_vec()).unwrap();
    assert!(line.contains(&ours), "{line}");
    let other = LedgerHeader { program: "0.0.1".into(), ..ledger::read_header(&path).unwrap() };
    fs::write(&path, [&*other.line().unwrap(), &written[label + 1..]].concat()).unwrap();
    assert_eq!(read(&desk, "audit a.oar --out second --ledgers kept"), [""; 0]);
    assert_eq!(desk.files("second"), desk.files("first"));
}

#[test]
fn only_changed_inputs_are_read_again() {
    let desk = mixed();
    desk.run_to(DONE, &format!("{AUDIT} report --ledgers kept"));
    desk.write("a.oar", faulty());
    desk.write("loose/more.txt", "a file more");
    // The earlier state is known from ledgers only.
    assert_eq!(read(&desk, &format!("{AUDIT} report --ledgers kept --ignore HIS")), ["a.oar", "loose"]);
    desk.run_to(DONE, &format!("{AUDIT} cold --ignore HIS"));
    assert_eq!(desk.files("report"), desk.files("cold"));
}

#[test]
fn checksums_detect_a_change_of_time_only() {
    let desk = mixed();
    let touch = |hour: u64| {
        let file = File::options().append(true).open(desk.at("b.oar")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(3600 * hour)).unwrap();
    };
    desk.run_to(DONE, &format!("{AUDIT} report --ledgers kept --checksum"));
    touch(1);
    assert_eq!(read(&desk, &format!("{AUDIT} report --ledgers kept --checksum")), [""; 0]);
    // The ledger has the new time now.
    assert_eq!(read(&desk, &format!("{AUDIT} report --ledgers kept")), [""; 0]);
    touch(2);
    assert_eq!(read(&desk, &format!("{AUDIT} report --ledgers kept")), ["b.oar"]);
    // The same size and time with other content: only checksums detect it.
    let mut bytes = fs::read(desk.at("b.oar")).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    desk.write("b.oar", bytes);
    touch(2);
    assert_eq!(read(&desk, &format!("{AUDIT} report --ledgers kept")), [""; 0]);
    assert_eq!(read(&desk, &format!("{AUDIT} report --ledgers kept --checksum")), ["b.oar"]);
}

#[test]
fn other_limits_damage_and_incomplete_inputs_are_read_again() {
    let desk = mixed();
    desk.run_to(DONE, &format!("{AUDIT} report --ledgers kept"));
    desk.write("limits.toml", "[limits]\nparts = 9\n");
    let all = ["a.oar", "b.oar", "India.oar/India.oar", "loose"];
    assert_eq!(read(&desk, &format!("{AUDIT} report --ledgers kept --config limits.toml")), all);
    desk.write("memory.toml", "[limits]\nparts = 9\nbytes_in_flight = 999999\n");
    assert_eq!(read(&desk, &format!("{AUDIT} report --ledgers kept --config memory.toml")), [""; 0]);

    desk.run_to(DONE, &format!("{AUDIT} cold --config limits.toml"));
    for entry in fs::read_dir(desk.at("kept")).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.file_name().unwrap().to_string_lossy().starts_with("a.oar") {
            let mut bytes = fs::read(&entry).unwrap();
            let middle = bytes.len() * 3 / 4;
            bytes[middle] ^= 0x10;
            fs::write(&entry, bytes).unwrap();
        }
    }
    assert_eq!(read(&desk, &format!("{AUDIT} report --ledgers kept --config limits.toml")), ["a.oar"]);
    assert_eq!(desk.files("report"), desk.files("cold"));

    // An input that was not read to its end may be whole the next time.
    desk.run_to(INCOMPLETE, "audit cut.oar --out report --ledgers kept");
    assert_eq!(read(&desk, "audit cut.oar --out report --ledgers kept"), ["cut.oar"]);
}

#[test]
fn ledgers_of_missing_inputs_are_removed_and_others_stay() {
    let desk = mixed();
    // A region of its own: otherwise a.oar has it, and nothing is gone.
    desk.write("b.oar", backup(2));
    desk.run_to(DONE, &format!("{AUDIT} report --ledgers kept"));
    let kept = || desk.ledgers("kept").into_keys().collect::<Vec<_>>();
    assert_eq!(kept().len(), 4);
    fs::remove_file(desk.at("b.oar")).unwrap();
    desk.write("kept/half-0123456789abcdef.partial", "half of a ledger");
    desk.write("kept/movie.partial", "somebody's own");
    desk.write("kept/accounts.ledger", "somebody's own");
    desk.run_to(DONE, "audit a.oar --out report --ledgers kept");
    // The last state of the removed archive is kept.
    let names = kept();
    assert_eq!(names.len(), 3 + 1 + 2, "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("b.oar") && name.ends_with(".past")), "{names:?}");
    assert_eq!(desk.column("report", "archives", "archive"), ["a.oar"], "only what was asked for is told");
}

/// A backup that is rotated away during the run, or a dangling link, affects its own row only.
#[cfg(unix)]
#[test]
fn a_missing_input_leaves_a_report_of_the_others() {
    let desk = Desk::with(&[("in/whole.oar", &sound())]);
    std::os::unix::fs::symlink("/gone", desk.at("in/latest.oar")).unwrap();
    for flags in ["", " --ledgers kept"] {
        let run = desk.run_to(INCOMPLETE, &format!("audit in --out report{flags}"));
        assert!(run.stderr.contains("latest.oar"), "{}", run.stderr);
        let status = desk.column("report", "archives", "status");
        assert_eq!(status, ["unreadable", "complete"], "{flags}");
    }
}

#[test]
fn stores_are_kept_for_the_assets_searched_in_them() {
    let desk = mixed();
    let audit = "audit a.oar --assets India.oar --out report --ledgers kept";
    assert_eq!(read(&desk, audit), ["a.oar", "India.oar/India.oar"]);
    assert_eq!(read(&desk, audit), [""; 0]);
    desk.run_to(DONE, "audit a.oar --assets India.oar --out cold");
    assert_eq!(desk.files("report"), desk.files("cold"));
}

/// Creates many archives, so that a run takes long enough to be killed.
fn many() -> Desk {
    let desk = Desk::with(&[]);
    for number in 0..40 {
        desk.write(&format!("exports/{number}.oar"), if number % 2 == 0 { sound() } else { faulty() });
    }
    desk
}

#[test]
fn a_run_that_is_killed_leaves_nothing_that_harms_the_next() {
    let desk = many();
    desk.run_to(DONE, "audit exports --out cold");
    let arguments = ["audit", "exports", "--out", "report", "--ledgers", "kept", "-q"];
    for attempt in 0..12_u64 {
        let mut run = Command::new(env!("CARGO_BIN_EXE_hullmark"))
            .args(arguments)
            .current_dir(desk.at("."))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(attempt * attempt % 13 * 3));
        run.kill().unwrap();
        run.wait().unwrap();
        if attempt % 4 == 3 {
            // A report is never partial: if audit.json exists, it is whole.
            if desk.at("report/audit.json").exists() {
                assert_eq!(desk.files("report").get("audit.json"), desk.files("cold").get("audit.json"));
            }
            desk.run_to(DONE, "audit exports --out report --ledgers kept");
            assert_eq!(desk.files("report"), desk.files("cold"));
            fs::remove_dir_all(desk.at("kept")).unwrap();
        }
    }
}

#[test]
fn two_runs_over_one_folder_do_not_harm_each_other() {
    let desk = many();
    desk.run_to(DONE, "audit exports --out cold");
    let start = |out: &str| {
        Command::new(env!("CARGO_BIN_EXE_hullmark"))
            .args(["audit", "exports", "--ledgers", "kept", "-q", "--out", out])
            .current_dir(desk.at("."))
            .spawn()
            .unwrap()
    };
    let mut runs = [start("one"), start("two")];
    for run in &mut runs {
        assert!(run.wait().unwrap().success());
    }
    assert_eq!(desk.files("one"), desk.files("cold"));
    assert_eq!(desk.files("two"), desk.files("cold"));
}

#[cfg(unix)]
#[test]
fn the_second_of_two_runs_says_that_it_waits() {
    let desk = mixed();
    fs::create_dir(desk.at("kept")).unwrap();
    let lock = File::open(desk.at("kept")).unwrap();
    lock.lock().unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_hullmark"))
        .args(["audit", "a.oar", "--ledgers", "kept", "--out", "report", "-q"])
        .current_dir(desk.at("."))
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(300));
    assert!(!desk.at("report/audit.json").exists());
    lock.unlock().unwrap();
    let output = run.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("another run uses kept"), "{said}");
}

/// An archive without content still counts as an input, above all if it is a failed backup.
#[test]
fn an_archive_without_content_is_kept_like_any_other() {
    let desk = Desk::with(&[("in/broken.oar", &truncated()[..20]), ("in/notes.txt", b"no archive")]);
    desk.run_to(INCOMPLETE, "scan in --ledgers kept");
    desk.run_to(INCOMPLETE, "report kept --out report");
    desk.run_to(INCOMPLETE, "audit in --out whole");
    assert_eq!(desk.files("report"), desk.files("whole"));
    assert_eq!(desk.column("report", "archives", "status"), ["complete", "unreadable"]);
}

#[test]
fn held_and_kept_ledgers_give_the_same_report() {
    let desk = Desk::with(&[]);
    let samples = repository().join("sample_data");
    let samples = samples.to_str().unwrap();
    let held = desk.run(&format!("audit {samples} --out held --format csv"));
    let kept = desk.run(&format!("audit {samples} --out kept --format csv --ledgers ledgers"));
    assert_eq!(held.code, kept.code);
    assert_eq!(desk.files("held"), desk.files("kept"));
}

#[cfg(unix)]
#[test]
fn names_that_are_not_utf_8_are_reported_separately() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
    let desk = Desk::with(&[]);
    fs::create_dir(desk.at("in")).unwrap();
    for (name, bytes) in [(&b"a\xff.oar"[..], sound()), (b"a\xfe.oar", faulty())] {
        fs::write(desk.at("in").join(OsStr::from_bytes(name)), bytes).unwrap();
    }
    for flags in ["", " --ledgers kept", " --ledgers kept"] {
        desk.run_to(DONE, &format!("audit in --out report{flags}"));
        let names = [r"in/a\xfe.oar", r"in/a\xff.oar"];
        assert_eq!(desk.column("report", "archives", "archive"), names, "{flags}");
        assert_eq!(desk.column("report", "archives", "errors"), ["1", "0"], "{flags}");
    }
}

/// Each day a copy replaces the one of the day before, under its own name.
#[test]
fn the_only_copy_of_a_region_is_compared_with_the_one_that_it_replaced() {
    let name = |day: u32| format!("in/Here_2026-11-{day:02}.oar");
    let audit = "audit in --out report --ledgers kept --format csv";
    let desk = Desk::with(&[("in/other.oar", &sound())]);
    let nights: [(u32, u32, &[&str]); 5] =
        [(1, 40, &[]), (2, 40, &[]), (3, 2, &["HIS001"]), (4, 2, &["HIS001"]), (5, 40, &[])];
    for (day, objects, codes) in nights {
        if day > 1 {
            fs::remove_file(desk.at(&name(day - 1))).unwrap();
        }
        desk.write(&name(day), backup(objects));
        desk.run_to(DONE, audit);
        let reported: Vec<String> = desk
            .column("report", "findings", "code")
            .into_iter()
            .filter(|code| code.starts_with("HIS"))
            .collect();
        assert_eq!(reported, codes, "night {day}");
        let copies = desk.files("kept").into_keys().filter(|name| name.starts_with("Here")).count();
        assert_eq!(copies, 1, "what was before is in the label of the copy");
    }
    // A run without the export and a run with a broken export lose no state.
    fs::remove_file(desk.at(&name(5))).unwrap();
    desk.run_to(DONE, audit);
    desk.write(&name(6), &backup(40)[..200]);
    desk.run_to(INCOMPLETE, audit);
    fs::remove_file(desk.at(&name(6))).unwrap();
    desk.write(&name(7), backup(2));
    desk.run_to(DONE, audit);
    assert!(desk.column("report", "findings", "code").contains(&"HIS001".into()));
}

/// Returns a region with this number of objects.
fn backup(objects: u32) -> Vec<u8> {
    let region =
        Archive::new(&control(&uuid(0x4e4e_4e4e, 9), "256,256")).add("settings/Here.xml", settings("1"));
    let object = |region: Archive, number| {
        region.add(&format!("objects/{number}.xml"), xml2(&[Prim::new("Box", 100 + number)]))
    };
    let note = format!("assets/{}_notecard.txt", uuid(0x1010_1010, 1));
    (0..objects).fold(region, object).add(&note, "a note").gzip()
}

/// Facts of another version are read again, and earlier states stay known.
#[test]
fn states_of_another_version_are_not_forgotten() {
    let desk = Desk::with(&[("in/Here.oar", &backup(40))]);
    desk.run_to(DONE, "audit in --out report --ledgers kept --format csv");
    for (name, bytes) in desk.files("kept") {
        let bytes =
            String::from_utf8_lossy(&bytes).replacen("{\"hullmark_ledger\":", "{\"hullmark_ledger\":9", 1);
        desk.write(&format!("kept/{name}"), bytes);
    }
    desk.write("in/Here.oar", backup(2));
    desk.run_to(DONE, "audit in --out report --ledgers kept --format csv");
    assert!(desk.column("report", "findings", "code").contains(&"HIS001".into()));
}

#[test]
fn a_former_archive_is_not_reported_from_its_ledger() {
    let desk = Desk::with(&[("in/a.oar", &sound()), ("in/b.oar", &sound())]);
    desk.run_to(DONE, "audit in --out report --ledgers kept");
    assert_eq!(desk.ledgers("kept").len(), 2);
    desk.write("in/a.oar", "");
    desk.run_to(DONE, "audit in --out report --ledgers kept");
    let kept: Vec<String> = desk.files("kept").into_keys().filter(|name| name.ends_with(".ledger")).collect();
    assert!(kept.len() == 2 && !kept.iter().any(|name| name.starts_with("a.oar")), "{kept:?}");
    desk.run_to(DONE, "report kept --out again");
    assert_eq!(desk.files("again"), desk.files("report"));
}

/// A file is reported under its own name, not under that of a link that sorts before it: its name contains its date.
#[cfg(unix)]
#[test]
fn a_file_is_reported_by_its_own_name_and_not_by_a_link() {
    let desk = Desk::with(&[("in/Hill_2026-11-02.oar", &sound())]);
    std::os::unix::fs::symlink("Hill_2026-11-02.oar", desk.at("in/Current.oar")).unwrap();
    desk.run_to(DONE, "audit in --out report");
    assert_eq!(desk.column("report", "archives", "archive"), ["in/Hill_2026-11-02.oar"]);
}

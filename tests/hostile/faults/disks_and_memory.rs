//! Disks that fail or are full, files that may not be read, and too little memory.

use super::{AUDIT, MANY, ended, interrupted, many, regions, shell};
use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, INCOMPLETE, USAGE, faulty},
    object::uuid,
    repository,
};
use std::{
    fs,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    process::{Command, Stdio},
};

#[test]
fn unreadable_files_are_named_and_the_rest_is_audited() {
    let desk = regions(2);
    fs::set_permissions(desk.at("exports/001.oar"), PermissionsExt::from_mode(0o000)).unwrap();
    for folder in [".", "exports"] {
        fs::set_permissions(desk.at(folder), PermissionsExt::from_mode(0o777)).unwrap();
    }
    // A user who may read everything runs the audit as another user.
    let mut run = shell(&desk, "", "audit exports --out report --format csv");
    if fs::File::open(desk.at("exports/001.oar")).is_ok() {
        run.uid(65_534).gid(65_534);
    }
    let Ok(child) = run.spawn() else {
        eprintln!("skipped: this user can neither be denied a file nor become another one");
        return;
    };
    let (code, said) = ended(child);
    assert_eq!(code, Some(INCOMPLETE), "{said}");
    assert_eq!(desk.column("report", "archives", "status"), ["complete", "unreadable"]);
    assert!(desk.column("report", "archives", "archive")[1].ends_with("001.oar"));
    let messages = desk.column("report", "findings", "message");
    assert!(messages.iter().any(|message| message.contains("Permission denied")), "{messages:?}");
}

/// The memory of a process is a file whose first byte cannot be read: EIO, as on a dying disk.
#[cfg(target_os = "linux")]
#[test]
fn a_failing_disk_is_named_and_the_rest_is_audited() {
    let desk = regions(1);
    std::os::unix::fs::symlink("/proc/self/mem", desk.at("exports/dying.oar")).unwrap();
    desk.run_to(INCOMPLETE, "audit exports --out report --format csv");
    let messages = desk.column("report", "findings", "message");
    assert!(messages.iter().any(|message| message.contains("Input/output error")), "{messages:?}");
    assert_eq!(desk.column("report", "archives", "status"), ["complete", "unreadable"]);
    assert!(desk.column("report", "archives", "archive")[1].ends_with("dying.oar"));
}

/// If nothing more can be written, finished files stay, and the next run continues from there.
#[test]
fn a_full_disk_leaves_the_old_report_and_the_ledgers() {
    let desk = regions(4);
    desk.run_to(DONE, "audit exports --out report --ledgers kept");
    let (report, kept) = (desk.files("report"), desk.files("kept"));
    desk.write("exports/004.oar", faulty());
    // Files may not grow beyond 8 blocks: no table fits.
    let full = "ulimit -f 8;";
    let audit = "audit exports --out report --ledgers kept";
    let (code, said) = ended(shell(&desk, full, audit).spawn().unwrap());
    assert_eq!(code, Some(USAGE), "{said}");
    // Unhandled, the signal would end the program in the middle of its files.
    let advice = "cannot be written; allow larger files (ulimit -f) or choose another --out, and run again";
    assert!(said.contains("The report report/") && said.contains(advice), "{said}");
    let named = said.split_whitespace().find(|word| word.starts_with("report/")).unwrap_or_default();
    assert!(report.contains_key(named.trim_start_matches("report/")), "it names the file: {said}");
    assert_eq!(desk.files("report"), report, "the old report stays, and nothing half written");
    let after = desk.files("kept");
    assert!(kept.iter().all(|(name, bytes)| after.get(name) == Some(bytes)), "ledgers stay");
    desk.run_to(DONE, audit);
    desk.run_to(DONE, "audit exports --out whole");
    assert_eq!(desk.column("report", "archives", "archive").len(), 5);
    assert_eq!(desk.files("report")["findings.csv"], desk.files("whole")["findings.csv"]);
}

/// Data of rules across inputs also goes to the disk if memory has no room for it.
#[test]
fn a_disk_full_of_remembered_data_leaves_the_old_report() {
    let note = |region: Archive, number: u32| {
        region.add(&format!("assets/{}_notecard.txt", uuid(number, 1)), format!("note {number}"))
    };
    let region = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"));
    let desk = Desk::with(&[
        ("notes.oar", &(1..6_000).fold(region, note).gzip()),
        ("little.toml", b"[report]\nacross_bytes = 0\n"),
    ]);
    desk.run_to(DONE, "scan notes.oar --ledgers kept");
    desk.run_to(DONE, "report kept --out report --format csv");
    let report = desk.files("report");
    // A run of 4,096 contents with 36 bytes each is larger than any table of this region.
    let full = "ulimit -f 200;";
    let again = "report kept --out report --format csv --profile opensim-ubode";
    let (code, said) = ended(shell(&desk, full, again).spawn().unwrap());
    assert_eq!(code, Some(DONE), "{said}");
    desk.run_to(DONE, "report kept --out report --format csv");
    let (code, said) = ended(shell(&desk, full, &format!("{again} --config little.toml")).spawn().unwrap());
    assert_eq!(code, Some(USAGE), "{said}");
    assert!(said.contains("cannot be written to the disk of --out; allow larger files"), "{said}");
    assert_eq!(desk.files("report"), report, "the old report stays, and nothing half written");
}

#[test]
fn a_ledger_that_cannot_be_written_leaves_nothing_half_written() {
    let desk = regions(1);
    let full = "ulimit -f 0;";
    let (code, said) = ended(shell(&desk, full, "scan exports --ledgers kept").spawn().unwrap());
    assert_eq!(code, Some(USAGE), "{said}");
    assert!(said.contains("The ledger kept/000.oar-") && said.contains("allow larger files"), "{said}");
    assert!(desk.files("kept").is_empty(), "{:?}", desk.files("kept").keys());
}

/// With any low limit on open files the run reports the limit, and calls no archive damaged.
#[test]
fn a_low_limit_on_open_files_is_reported_everywhere() {
    // Each thread has a file open, and there are more threads than permitted files.
    let desk = regions(60);
    let mut seen = Vec::new();
    for most in 6..32 {
        let _ = fs::remove_dir_all(desk.at("report"));
        let limit = format!("ulimit -n {most};");
        let audit = "audit exports --out report --format csv --threads 8";
        let (code, said) = ended(shell(&desk, &limit, audit).spawn().unwrap());
        let words = "allow more open files (ulimit -n)";
        match code {
            Some(DONE) => {
                assert!(desk.column("report", "findings", "message").iter().all(|m| !m.contains(words)));
            }
            Some(INCOMPLETE) => {
                let codes = desk.column("report", "findings", "code");
                let unread = codes.iter().zip(desk.column("report", "findings", "message"));
                let unread: Vec<_> = unread.filter(|(code, _)| *code == "RUN001").collect();
                assert!(
                    !unread.is_empty() && unread.iter().all(|(_, m)| m.contains(words)),
                    "{most}: {unread:?}"
                );
                assert!(
                    !codes.iter().any(|code| ["ARC001", "ARC002"].contains(&&**code)),
                    "{most}: {codes:?}"
                );
            }
            // Below some number not even the program's own libraries can be loaded.
            Some(127) => assert!(said.contains("shared librar"), "{most}: {said}"),
            _ => {
                assert_eq!(code, Some(USAGE), "{most}: {said}");
                assert!(said.contains(words) || said.contains("Too many open files"), "{most}: {said}");
                assert!(!said.contains("make room"), "{most}: {said}");
                assert!(said.contains(words) || !said.contains("cannot be written"), "{most}: {said}");
            }
        }
        seen.extend(code);
    }
    for code in [DONE, INCOMPLETE, USAGE] {
        assert!(seen.contains(&code), "{code}: {seen:?}");
    }
}

/// The next run into a folder removes partial files that a killed run left, regardless of its formats. Other files
/// stay.
#[test]
fn partial_files_of_a_killed_run_are_removed_by_the_next_one() {
    let desk = regions(1);
    let owner = "aaaaaaaa-1111-4111-8111-111111111111";
    let halves = ["report/objects.jsonl", "report/audit.json", "report/changes.csv", "letters/letters.csv"]
        .map(Into::into);
    let letters = [format!("letters/{owner}.txt"), format!("letters/{owner}.html")];
    let own = ["report/mine.partial", "letters/mine.txt.partial"];
    let halves: Vec<String> =
        halves.into_iter().chain(letters).map(|name: String| name + ".partial").collect();
    for name in halves.iter().map(String::as_str).chain(own) {
        desk.write(name, "half");
    }
    desk.run_to(DONE, "audit exports --out report --letters letters --format csv");
    assert!(halves.iter().all(|name| !desk.at(name).exists()), "{halves:?}");
    assert!(own.iter().all(|name| desk.at(name).exists()));
}

/// With too little memory the run names the input that did not fit, or the system ends it. A partial file is never
/// taken as whole, and the next run makes the report as usual.
#[cfg(target_os = "linux")]
#[test]
fn too_little_memory_costs_no_ledger_and_no_report() {
    let desk = regions(1);
    let large = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/large.xml", " ".repeat(90_000_000))
        .add("objects/small.xml", "<SceneObjectGroup/>");
    desk.write("exports/large.oar", large.gzip());
    desk.run_to(DONE, "audit exports --out whole --format csv --threads 1 -q");
    let mut refused = 0;
    for megabytes in (20..400).step_by(20) {
        let limit = format!("ulimit -c 0; ulimit -v {};", megabytes * 1024);
        let audit = "audit exports --out report --ledgers kept --format csv --threads 1";
        let (code, said) = ended(shell(&desk, &limit, audit).spawn().unwrap());
        match code {
            Some(DONE) => {
                assert_eq!(desk.files("report")["findings.csv"], desk.files("whole")["findings.csv"]);
            }
            Some(INCOMPLETE) => {
                refused += 1;
                let messages = desk.column("report", "findings", "message");
                assert!(messages.iter().any(|m| m.contains("give the run more memory")), "{messages:?}");
                let statuses = desk.column("report", "archives", "status");
                assert!(statuses.contains(&"incomplete".to_owned()), "{statuses:?}: {said}");
            }
            // The system gives no thread its stack, or its libraries no room.
            Some(USAGE | 127) => assert!(!desk.at("report/audit.json").exists(), "{megabytes}: {said}"),
            // SIGABRT, or another signal of the platform.
            _ => {
                assert_eq!(code, None, "{megabytes}: {said}");
                // Memory may also be missing for the last messages, after the report is finished.
                let names = fs::read_dir(desk.at("report")).into_iter().flatten();
                let names: Vec<_> =
                    names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
                let is_whole = names.iter().all(|name| !name.ends_with(".partial"));
                assert!(is_whole || !names.iter().any(|name| name == "audit.json"), "{megabytes}: {names:?}");
            }
        }
        let _ = fs::remove_dir_all(desk.at("report"));
    }
    assert!(refused > 0);
    desk.run_to(DONE, "audit exports --out report --ledgers kept --format csv --threads 1");
    assert!(desk.files("kept").keys().all(|name| !name.ends_with(".partial")));
    assert_eq!(desk.files("report")["findings.csv"], desk.files("whole")["findings.csv"]);
}

/// Runs a script in a desk whose folder `disk` is a disk of 64 kB. Returns the exit code and standard error, or `None`
/// if this user may not mount a disk.
#[cfg(target_os = "linux")]
fn on_small_disk(desk: &Desk, script: &str) -> Option<(Option<i32>, String)> {
    fs::create_dir_all(desk.at("disk")).unwrap();
    let mounted = |script: &str| {
        let mut command = Command::new("unshare");
        let script = format!("mount -t tmpfs -o size=64k tmpfs disk || exit 99; {script}");
        command.args(["-rm", "sh", "-c", &script, env!("CARGO_BIN_EXE_hullmark")]).current_dir(desk.at("."));
        command.stdin(Stdio::null()).output()
    };
    if !mounted("true").is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: this user may not mount a small disk");
        return None;
    }
    let output = mounted(script).unwrap();
    Some((output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned()))
}

#[cfg(target_os = "linux")]
#[test]
fn a_small_disk_that_fills_costs_no_ledger_that_was_finished() {
    let desk = many();
    // This region has an owner who gets a letter.
    let owned = repository().join("sample_data/regions/over-the-cap.oar");
    desk.write("exports/owned.oar", fs::read(owned).unwrap());
    // Ledgers on the small disk: finished ledgers are whole, and the other inputs are read again once there is room.
    let script =
        "$0 scan exports --ledgers disk/kept -q; echo $? > code; $0 report disk/kept --out report -q";
    let Some((code, said)) = on_small_disk(&desk, script) else { return };
    assert_eq!((fs::read_to_string(desk.at("code")).unwrap().trim(), code), ("2", Some(DONE)), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    let finished = desk.column("report", "archives", "archive").len();
    assert!(0 < finished && finished < MANY, "{finished}");

    // Reports and letters on the small disk, in every default format.
    let letters = "the letters in disk/letters cannot be written";
    for (arguments, words) in [("--out disk/report", ""), ("--out other --letters disk/letters", letters)] {
        let fill = if words.is_empty() { "" } else { "cat exports/*/*.oar > disk/other 2> /dev/null;" };
        let audit = format!("$0 audit exports --ledgers kept -q {arguments}");
        let script = format!("{fill} {audit}; code=$?; find disk > left; exit $code");
        let (code, said) = on_small_disk(&desk, &script).unwrap();
        assert_eq!(code, Some(USAGE), "{arguments}: {said}");
        assert_eq!(said.matches("No space left on device").count(), 1, "{said}");
        assert!(said.contains(words), "{said}");
        assert!(said.contains("make room or choose another --out"), "{said}");
        let left = fs::read_to_string(desk.at("left")).unwrap();
        assert!(!left.contains(".partial") && !left.contains("audit.json"), "{left}");
        assert_eq!(desk.files("kept").len(), MANY + 1, "every ledger was finished and stays");
    }
}

#[test]
fn a_removed_output_folder_is_reported_and_the_ledgers_stay() {
    let desk = many();
    let (code, said) = interrupted(&desk, |_| fs::remove_dir_all(desk.at("report")).unwrap());
    assert_eq!(code, Some(USAGE), "{said}");
    assert!(said.contains("report/") && said.contains("run again"), "{said}");
    assert_eq!(desk.files("kept").len(), MANY, "every ledger was finished and stays");
    desk.run_to(DONE, &format!("{AUDIT} -q"));
    assert_eq!(desk.column("report", "archives", "archive").len(), MANY);
}

#[test]
fn a_full_standard_output_is_reported() {
    let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
        eprintln!("skipped: there is no /dev/full");
        return;
    };
    let desk = regions(1);
    let mut run = shell(&desk, "", "audit exports --out report");
    let (code, said) = ended(run.stdout(full).spawn().unwrap());
    assert_eq!(code, Some(USAGE), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert!(desk.at("report/audit.json").exists(), "the report was written before");
}

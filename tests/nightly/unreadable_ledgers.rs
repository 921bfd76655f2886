//! A ledger that cannot be read costs its own row. What is no ledger is never called damaged.

use crate::support::{
    desk::{DONE, Desk, INCOMPLETE, USAGE, faulty, sound},
    repository,
};
use std::fs;

/// What may be wrong with a ledger.
#[derive(Debug, Clone, Copy)]
enum Fault {
    /// A changed byte, at this share of the file in percent.
    Byte(usize),
    Version,
    Cut,
    Empty,
    Folder,
    #[cfg(unix)]
    Pipe,
    #[cfg(unix)]
    NoRight,
}

/// Each fault that this user can make.
fn faults() -> Vec<Fault> {
    let mut all: Vec<Fault> = (0..=100).step_by(7).map(Fault::Byte).collect();
    all.extend([Fault::Byte(100), Fault::Version, Fault::Cut, Fault::Empty, Fault::Folder]);
    #[cfg(unix)]
    {
        all.push(Fault::Pipe);
        // The administrator may read everything.
        if !rights_are_ignored() {
            all.push(Fault::NoRight);
        }
    }
    all
}

#[cfg(unix)]
fn rights_are_ignored() -> bool {
    use std::os::unix::fs::PermissionsExt;
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::set_permissions(file.path(), fs::Permissions::from_mode(0o000)).unwrap();
    fs::File::open(file.path()).is_ok()
}

impl Fault {
    /// Gives the fault to the ledger of this input.
    fn give(self, desk: &Desk, folder: &str, input: &str) -> String {
        let mut names = desk.ledgers(folder).into_keys();
        let name = format!("{folder}/{}", names.find(|name| name.starts_with(input)).unwrap());
        let path = desk.at(&name);
        let bytes = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        match self {
            Self::Byte(share) => {
                let mut bytes = bytes;
                let at = (bytes.len() - 1) * share / 100;
                let header = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0);
                // The name of a value that has its default may change: the header says the same then.
                let quote = bytes[at..].iter().position(|&byte| byte == b'"').filter(|_| at < header);
                bytes[at + quote.unwrap_or(0)] ^= 0x10;
                fs::write(path, bytes).unwrap();
            }
            Self::Version => {
                let text = String::from_utf8_lossy(&bytes);
                let other = text.replacen("{\"hullmark_ledger\":", "{\"hullmark_ledger\":9", 1);
                fs::write(path, other.as_bytes()).unwrap();
            }
            Self::Cut => fs::write(path, &bytes[..bytes.len() - 1]).unwrap(),
            Self::Empty => fs::write(path, "").unwrap(),
            Self::Folder => fs::create_dir(path).unwrap(),
            #[cfg(unix)]
            Self::Pipe => {
                let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
                assert!(made.success());
            }
            #[cfg(unix)]
            Self::NoRight => {
                use std::os::unix::fs::PermissionsExt;
                fs::write(&path, bytes).unwrap();
                fs::set_permissions(path, fs::Permissions::from_mode(0o000)).unwrap();
            }
        }
        name
    }
}

fn desk() -> Desk {
    let desk = Desk::with(&[("in/a.oar", &sound()), ("in/b.oar", &sound()), ("in/c.oar", &faulty())]);
    desk.run_to(DONE, "scan in --ledgers kept");
    desk
}

/// Returns the rows of the inputs that were read, without the findings across inputs.
fn rows_of_c(desk: &Desk, report: &str) -> Vec<String> {
    let rows = desk.table(report, "findings").into_iter();
    let rows = rows.filter(|row| row["archive"].ends_with("c.oar") && !row["code"].starts_with("XAR"));
    rows.map(|row| format!("{row:?}")).collect()
}

#[test]
fn a_ledger_that_cannot_be_read_costs_its_own_row() {
    let whole = desk();
    whole.run_to(DONE, "report kept --out report --format csv");
    for fault in faults() {
        let desk = desk();
        desk.run_to(DONE, "report kept --out report --format csv");
        let name = fault.give(&desk, "kept", "b.oar");
        let run = desk.run("report kept --out report --format csv");
        assert_eq!(run.code, INCOMPLETE, "{fault:?}: {run:?}");
        let mut status: Vec<String> = desk.column("report", "archives", "status");
        status.sort();
        assert_eq!(status, ["complete", "complete", "unreadable"], "{fault:?}");
        let findings = desk.table("report", "findings");
        let said = findings.into_iter().filter(|row| row["code"] == "RUN001").collect::<Vec<_>>();
        assert_eq!(said.len(), 1, "{fault:?}");
        let message = &said[0]["message"];
        assert!(message.contains(&name), "{fault:?}: {message}");
        let cures = ["can its input again", "Rename that folder", "Give this user the right"];
        assert!(cures.iter().any(|cure| message.contains(cure)), "{fault:?}: {message}");
        assert_eq!(rows_of_c(&desk, "report"), rows_of_c(&whole, "report"), "{fault:?}");
        assert_eq!(desk.audit_json("report")["complete"], false);
    }
}

#[test]
fn an_audit_reads_an_input_again_whose_ledger_cannot_be_read() {
    let whole = desk();
    whole.run_to(DONE, "audit in --out report --format csv");
    for fault in faults() {
        let desk = desk();
        fault.give(&desk, "kept", "b.oar");
        let run = desk.run("audit in --ledgers kept --out report --format csv");
        assert_eq!(run.code, DONE, "{fault:?}: {run:?}");
        assert!(desk.files("report") == whole.files("report"), "{fault:?}");
        let is_mended = !matches!(fault, Fault::Folder);
        desk.run_to(if is_mended { DONE } else { INCOMPLETE }, "report kept --out again");
    }
}

#[test]
fn where_and_prune_name_what_they_cannot_read() {
    for fault in faults() {
        let desk = desk();
        let name = fault.give(&desk, "kept", "b.oar");
        let found = desk.run("where Bridge kept");
        // A fault behind the index of a ledger that does not have the name changes no answer.
        let is_noticed = found.stdout.contains("Not searched") && found.stdout.contains(&name);
        assert_eq!(found.code, if is_noticed { INCOMPLETE } else { DONE }, "{fault:?}: {found:?}");
        assert!(is_noticed || matches!(fault, Fault::Byte(_) | Fault::Cut), "{fault:?}");
        assert!(found.stdout.contains("c.oar"), "{fault:?}: {found:?}");
        let pruned = desk.run("prune kept");
        assert!(pruned.code == INCOMPLETE && pruned.stderr.contains(&name), "{fault:?}: {pruned:?}");
        assert!(desk.at(&name).exists(), "{fault:?}");
    }
}

#[test]
fn an_audit_keeps_a_ledger_that_it_cannot_read_and_names_it() {
    let desk = desk();
    let name = Fault::Byte(0).give(&desk, "kept", "b.oar");
    fs::remove_file(desk.at("in/b.oar")).unwrap();
    let run = desk.run_to(DONE, "audit in --ledgers kept --out report");
    assert!(run.stderr.contains(&name) && run.stderr.contains("It stays"), "{run:?}");
    assert!(desk.at(&name).exists());
}

#[test]
fn comparisons_name_ledgers_that_cannot_be_read() {
    for fault in faults() {
        let desk = desk();
        desk.run_to(DONE, "scan in --ledgers old");
        let name = fault.give(&desk, "old", "b.oar");
        let run = desk.run("diff old kept");
        assert_eq!(run.code, INCOMPLETE, "{fault:?}: {run:?}");
        assert!(run.stdout.replace("\n  ", " ").contains("The earlier run is incomplete"), "{run:?}");
        let run = desk.run("diff kept old --out changes");
        assert_eq!(run.code, INCOMPLETE, "{fault:?}: {run:?}");
        let run = desk.run("report kept --baseline old --out report");
        assert_eq!(run.code, INCOMPLETE, "{fault:?}: {run:?}");
        let changes = &desk.audit_json("report")["changes"];
        assert_eq!(changes["old"]["unreadable"], 1, "{fault:?}");
        assert!(changes["notes"].to_string().contains(&name), "{fault:?}: {changes}");
        assert_eq!(desk.table("report", "archives").len(), 3);
    }
}

#[test]
fn a_report_on_a_plan_has_a_row_for_a_ledger_that_cannot_be_read() {
    for fault in faults() {
        let desk = Desk::with(&[("in/a.oar", &sound()), ("in/b.oar", &sound()), ("in/c.oar", &faulty())]);
        desk.run_to(DONE, "plan in --assets in/a.oar -o plan.json");
        desk.run_to(DONE, "scan --plan plan.json --ledgers kept");
        desk.run_to(DONE, "report kept --plan plan.json --out report");
        fault.give(&desk, "kept", "b.oar");
        let run = desk.run("report kept --plan plan.json --out report --format csv");
        assert_eq!(run.code, INCOMPLETE, "{fault:?}: {run:?}");
        let rows = desk.table("report", "archives");
        let unreadable: Vec<&str> =
            rows.iter().filter(|row| row["status"] == "unreadable").map(|row| &*row["archive"]).collect();
        assert_eq!((unreadable, rows.len()), (vec!["in/b.oar"], 4), "{fault:?}");
    }
}

/// The newest copy cannot be read, so the one before it is evaluated.
#[test]
fn a_copy_whose_ledger_is_damaged_is_replaced_by_the_one_before_it() {
    for share in [0, 50, 100] {
        let desk = Desk::with(&[("in/Hill_2026-11-02.oar", &sound()), ("in/Hill_2026-11-03.oar", &sound())]);
        desk.run_to(DONE, "scan in --ledgers kept");
        Fault::Byte(share).give(&desk, "kept", "Hill_2026-11-03");
        desk.run_to(INCOMPLETE, "report kept --out report --format csv");
        assert_eq!(desk.column("report", "objects", "name"), ["Chair"], "{share}");
    }
}

#[test]
fn a_report_without_ledgers_replaces_nothing() {
    let desk = desk();
    desk.run_to(DONE, "report kept --out report");
    let before = desk.files("report");
    fs::create_dir(desk.at("nothing")).unwrap();
    desk.write("texts/notes.txt", "1000 gold pieces");
    for (given, words) in [
        ("in", "in has no ledger, but 3 exports. `hullmark audit in` reads exports"),
        ("in/a.oar", "in/a.oar is an export and not a ledger. `hullmark audit in/a.oar` reads it"),
        ("nothing", "nothing has no ledger"),
        ("texts", "texts has no ledger"),
        ("texts/notes.txt", "texts/notes.txt is not a ledger"),
        ("report", "report has a report and no ledger"),
        ("in nothing", "nothing has no ledger"),
    ] {
        let run = desk.run(&format!("report {given} --out report"));
        assert_eq!(run.code, INCOMPLETE, "{given}: {run:?}");
        assert!(run.stderr.contains(words) && !run.stderr.contains("elete"), "{given}: {run:?}");
        assert!(desk.files("report") == before, "{given}");
    }
    let run = desk.run_to(USAGE, "report no-such-folder --out report");
    assert!(run.stderr.contains("does not exist"), "{run:?}");
    assert!(desk.files("report") == before);
}

#[test]
fn what_is_no_ledger_among_ledgers_is_a_row() {
    let desk = desk();
    let region = fs::read(desk.at("in/a.oar")).unwrap();
    desk.run_to(INCOMPLETE, "report kept in/a.oar in --out report --format csv");
    let rows = desk.table("report", "archives");
    let unreadable: Vec<&str> =
        rows.iter().filter(|row| row["status"] == "unreadable").map(|row| &*row["archive"]).collect();
    assert_eq!((unreadable, rows.len()), (vec!["in", "in/a.oar"], 5));
    let messages = desk.column("report", "findings", "message").join("\n");
    assert!(messages.contains("in/a.oar is not a ledger") && !messages.contains("elete"), "{messages}");
    assert_eq!(fs::read(desk.at("in/a.oar")).unwrap(), region);
}

/// Each setting that a plan carries is the report's.
#[test]
fn a_report_on_a_plan_has_the_settings_of_the_plan() {
    let dump = fs::read(repository().join("sample_data/databases/opensim.sql")).unwrap();
    let desk = Desk::with(&[("in/a.oar", &sound()), ("in/opensim.sql", &dump)]);
    desk.run_to(DONE, "plan in --inventory all --database opensim --all-assets -o plan.json");
    desk.run_to(DONE, "scan --plan plan.json --ledgers kept");
    desk.run_to(DONE, "report kept --plan plan.json --out planned");
    desk.run_to(DONE, "audit in --inventory all --database opensim --all-assets --out audited");
    let settings = |report: &str| desk.audit_json(report)["manifest"]["settings"].clone();
    assert_eq!(settings("planned")["inventory"], serde_json::json!(["all"]));
    assert_eq!(settings("planned"), settings("audited"));
    assert!(desk.files("planned") == desk.files("audited"));
    // The settings of the report's own machine do not count.
    desk.write("own.toml", "inventory = [\"Ann Owner\"]\ndatabase = [\"robust\"]\n");
    desk.run_to(DONE, "report kept --plan plan.json --out own --config own.toml");
    assert_eq!(settings("own"), settings("audited"));
}

//! Exit codes and their messages.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE, faulty, sound, truncated},
    object::{Prim, uuid, xml2},
};
use std::fs;

#[test]
fn exit_0_a_report_is_not_a_failure() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("faulty.oar", &faulty())]);
    desk.run_to(DONE, "audit sound.oar --out report --fail-on error");
    desk.run_to(DONE, "audit faulty.oar --out report");
    desk.run_to(DONE, "audit faulty.oar --out report --fail-on blocker");
    assert_eq!(desk.column("report", "findings", "code"), ["LNK001"]);
}

#[test]
fn exit_1_findings_at_or_above_the_severity() {
    let desk = Desk::with(&[("faulty.oar", &faulty()), ("settings.toml", b"fail_on = \"warning\"")]);
    let run = desk.run_to(FINDINGS, "audit faulty.oar --out report --fail-on error");
    assert!(run.stdout.contains("LNK001"), "{}", run.stdout);
    assert_eq!(desk.column("report", "findings", "severity"), ["error"]);
    desk.run_to(FINDINGS, "audit faulty.oar --out report --config settings.toml");
    desk.run_to(DONE, "audit faulty.oar --out report --config settings.toml --fail-on none");
}

#[test]
fn an_export_without_assets_fails_where_they_are_required() {
    let bare = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("objects/thing.xml", xml2(&[Prim::new("Chair", 1)]));
    let desk = Desk::with(&[("bare.oar", &bare.gzip()), ("sound.oar", &sound())]);
    desk.run_to(DONE, "audit bare.oar --out report --fail-on blocker");
    assert_eq!(desk.column("report", "findings", "severity"), ["info"]);
    desk.run_to(FINDINGS, "audit bare.oar --out report --fail-on blocker --require-assets");
    assert_eq!(desk.column("report", "findings", "code"), ["ARC009"]);
    assert_eq!(desk.column("report", "findings", "severity"), ["blocker"]);
    desk.run_to(DONE, "audit sound.oar --out report --fail-on blocker --require-assets");
}

#[test]
fn exit_2_wrong_usage_with_a_sentence_that_helps() {
    let desk = Desk::with(&[
        ("sound.oar", &sound()),
        ("a-file", b"precious"),
        ("settings.toml", b"[limits]\nentires = 5\n"),
        ("no-toml.toml", b"= ="),
    ]);
    for (arguments, words) in [
        ("audit nowhere.oar --out report", &["nowhere.oar cannot be audited"][..]),
        ("audit sound.oar --out report --config settings.toml", &["`limits.entires`", "`entries`"]),
        ("audit sound.oar --out report --config no-toml.toml", &["no-toml.toml is not valid TOML"]),
        ("audit sound.oar --out report --config none.toml", &["none.toml cannot be read"]),
        ("audit sound.oar --out report --profile second-live", &["`second-live`", "second-life"]),
        ("audit sound.oar --out report --fail-on fatal", &["blocker"]),
        ("audit sound.oar --out report --now yesterday", &["--now"]),
        ("audit sound.oar --out a-file", &["--out a-file is a file. Name a folder"]),
        ("audit sound.oar --out report --ledgers a-file", &["--ledgers a-file is a file. Name a folder"]),
        ("audit sound.oar --out a-file/report", &["a-file/report cannot be written"]),
        ("audit sound.oar --format csv", &["--format needs a report", "--out DIR"]),
        ("audit sound.oar --baseline old", &["--baseline needs a report"]),
        ("audit sound.oar --notify-command true", &["--notify-command needs a report"]),
        ("audit https://example.org/a.oar", &["is a web address", "Download"]),
        ("audit *.iar", &["No file matches *.iar"]),
        ("audit sound.oar --profile ubode", &["Did you mean `opensim-ubode`?"]),
        ("audit sound.oar --profile SecondLife", &["Did you mean `second-life`?"]),
        ("audit --out report", &["<PATH>"]),
        ("scan sound.oar --ledgers a-file", &["a-file cannot be used"]),
        ("report nowhere --out report", &["nowhere"]),
    ] {
        let run = desk.run_to(USAGE, arguments);
        assert!(words.iter().all(|word| run.stderr.contains(word)), "{arguments}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments}");
        assert!(!desk.at("report/audit.json").exists(), "{arguments}: audit.json says that all is there");
    }
    assert_eq!(fs::read(desk.at("a-file")).unwrap(), b"precious");
}

#[test]
fn exit_3_an_input_was_not_read_to_its_end() {
    let desk = Desk::with(&[("cut.oar", &truncated()), ("faulty.oar", &faulty())]);
    let run = desk.run_to(INCOMPLETE, "audit cut.oar faulty.oar --out report");
    assert!(run.stdout.contains("INCOMPLETE"), "{}", run.stdout);
    let statuses = desk.column("report", "archives", "status");
    assert!(statuses[0] != "complete" && statuses[1] == "complete", "{statuses:?}");
    // All other inputs are reported, and the report says that it is incomplete.
    assert!(desk.column("report", "objects", "name").contains(&"Bridge".into()));
    let audit = desk.audit_json("report");
    assert_eq!((&audit["complete"], &audit["not_read"][0]["archive"]), (&false.into(), &"cut.oar".into()));
    // Exit code 3 wins over 1.
    desk.run_to(INCOMPLETE, "audit cut.oar faulty.oar --out report --fail-on info");
    desk.run_to(INCOMPLETE, "scan cut.oar --ledgers ledgers");
    desk.run_to(INCOMPLETE, "report ledgers --out report --fail-on info");
}

#[test]
fn quiet_prints_only_errors() {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    for (code, arguments) in [
        (DONE, "audit faulty.oar --out report --quiet"),
        (DONE, "scan faulty.oar --ledgers ledgers --quiet"),
        (DONE, "report ledgers --out report -q"),
    ] {
        let run = desk.run_to(code, arguments);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""), "{arguments}");
    }
    let run = desk.run_to(FINDINGS, "audit faulty.oar --out report --quiet --fail-on error");
    assert!(run.stdout.is_empty() && run.stderr.contains("(exit code 1): "), "{}", run.stderr);
    assert!(desk.run_to(DONE, "audit faulty.oar --out report").stdout.contains("\nRead 1 input ("));
    assert_ne!(desk.run_to(USAGE, "audit nowhere.oar --out report --quiet").stderr, "");
}

#[test]
fn a_finding_about_a_whole_input_is_shown_with_its_name() {
    let desk = Desk::with(&[("cut.oar", &truncated())]);
    let run = desk.run_to(INCOMPLETE, "audit . --out report");
    assert!(run.stdout.contains("ARC001 1 ×  ./cut.oar: "), "{}", run.stdout);
}

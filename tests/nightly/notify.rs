//! The operator's command, and the log of a run.

use crate::support::desk::{DONE, Desk, FINDINGS, INCOMPLETE, faulty, sound, truncated};
use std::{
    fs::{self, File},
    os::unix::fs::MetadataExt,
    path::PathBuf,
    process::{Command, Output},
};

fn desk() -> Desk {
    Desk::with(&[("sound.oar", &sound()), ("faulty.oar", &faulty()), ("cut.oar", &truncated())])
}

/// Runs the program with a command to notify.
fn run(desk: &Desk, arguments: &str, command: &str) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_hullmark"));
    program.args(arguments.split(' ')).args(["--out", "report", "-q", "--notify-command", command]);
    program.current_dir(desk.at(".")).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_command_gets_the_summary_if_there_is_news() {
    let desk = desk();
    let command =
        "cat > got.json; echo \"$HULLMARK_REPORT $HULLMARK_WORST $HULLMARK_EXIT\" > environment; echo told";
    let output = run(&desk, "audit faulty.oar --fail-on error", command);
    assert_eq!(output.status.code(), Some(FINDINGS));
    assert_eq!(fs::read(desk.at("got.json")).unwrap(), fs::read(desk.at("report/audit.json")).unwrap());
    let environment = fs::read_to_string(desk.at("environment")).unwrap();
    assert!(environment.ends_with("/report error 1\n") && environment.starts_with('/'), "{environment}");
    let command = "cp \"$HULLMARK_SUMMARY\" summary; echo \"$HULLMARK_SUMMARY\" > name";
    run(&desk, "audit faulty.oar cut.oar --profile opensim-ubode", command);
    let summary = fs::read_to_string(desk.at("summary")).unwrap();
    let begin = "hullmark: INCOMPLETE, 2 blockers, 2 info in 2 inputs\n\nTarget: ";
    assert!(summary.starts_with(begin) && summary.contains("with ubODE (--profile)"), "{summary}");
    for words in [
        "- cut.oar (incomplete)",
        "\nFix first (28 → 14 is land impact):\n1. cut.oar (blocker): ",
        "/report\n",
    ] {
        assert!(summary.contains(words), "{words}: {summary}");
    }
    let name = fs::read_to_string(desk.at("name")).unwrap();
    assert!(!PathBuf::from(name.trim()).exists(), "the file ends with the command");
    // Output of the command does not mix with standard output of the program.
    assert!(output.stdout.is_empty() && said(&output).contains("told"));
}

#[test]
fn a_run_without_news_notifies_nobody() {
    let desk = desk();
    let ran = |arguments: &str, code| {
        let output = run(&desk, arguments, "touch ran");
        assert_eq!(output.status.code(), Some(code), "{}", said(&output));
        fs::remove_file(desk.at("ran")).is_ok()
    };
    desk.write("blocker.toml", "[notify]\nat = \"blocker\"\n");
    desk.write("other.toml", "[notify]\ncommand = \"touch other\"\n");
    assert!(!ran("audit sound.oar", DONE));
    assert!(ran("audit faulty.oar", DONE), "an error, whatever --fail-on says");
    assert!(!ran("audit faulty.oar --config blocker.toml", DONE));
    assert!(ran("audit cut.oar --config blocker.toml", INCOMPLETE), "nobody knows how bad it is");
    assert!(ran("audit faulty.oar --config other.toml", DONE), "the flag wins");
    assert!(!desk.at("other").exists());
    desk.run_to(DONE, "audit faulty.oar --out report --config other.toml");
    assert!(desk.at("other").exists());
    desk.run_to(DONE, "scan faulty.oar --ledgers kept");
    assert!(ran("report kept", DONE));
    let manifest = &desk.audit_json("report")["manifest"]["settings"];
    assert!(manifest.get("notify").is_none(), "a command may hold a secret");
}

#[test]
fn a_command_that_fails_is_reported_and_changes_nothing() {
    let desk = desk();
    desk.run_to(DONE, "audit faulty.oar --out expected");
    desk.write("quick.toml", "[notify]\ntimeout_seconds = 1\n");
    for (command, words) in [
        ("exit 7", "ended with code 7"),
        ("./no-such-command", "ended with code 127"),
        ("kill -9 $$", "was killed by signal 9"),
        // Both the shell and its child are killed. Otherwise this test would take a minute.
        ("sleep 60 & sleep 60; true", "did not end within 1 s"),
    ] {
        let output = run(&desk, "audit faulty.oar --config quick.toml", command);
        assert_eq!(output.status.code(), Some(DONE), "{command}");
        let said = said(&output);
        assert!(
            said.contains(words) && said.contains("Report and exit code are not affected."),
            "{command}: {said}"
        );
        assert_eq!(desk.files("report"), desk.files("expected"), "{command}");
    }
    // A command need not read its standard input.
    let output = run(&desk, "audit faulty.oar", "exec <&-; true");
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(DONE), ""));

    let mut program = Command::new(env!("CARGO_BIN_EXE_hullmark"));
    program.args([
        "audit",
        "faulty.oar",
        "--out",
        "report",
        "-q",
        "--fail-on",
        "error",
        "--notify-command",
        "true",
    ]);
    let output = program.current_dir(desk.at(".")).env("PATH", desk.at("empty")).output().unwrap();
    assert_eq!(output.status.code(), Some(FINDINGS));
    assert!(said(&output).contains("could not be started"), "{}", said(&output));
}

#[test]
fn text_of_an_export_is_never_run() {
    let desk = Desk::with(&[]);
    desk.write("$(touch pwned);`touch pwned`.oar", faulty());
    let output = run(&desk, "audit .", "env > environment; echo \"$0 $*\" > arguments");
    assert_eq!(output.status.code(), Some(DONE), "{}", said(&output));
    assert!(!desk.at("pwned").exists());
    for file in ["environment", "arguments"] {
        assert!(!fs::read_to_string(desk.at(file)).unwrap().contains("pwned"), "{file}");
    }
}

/// Runs with standard error in a file. `JOURNAL_STREAM` names this file, as systemd does if it is the journal.
fn log(desk: &Desk, arguments: &str, journal: bool) -> Vec<String> {
    let file = File::create(desk.at("log")).unwrap();
    let meta = file.metadata().unwrap();
    let stream = format!("{}:{}", meta.dev(), meta.ino() + u64::from(!journal));
    let mut program = Command::new(env!("CARGO_BIN_EXE_hullmark"));
    program.args(arguments.split(' ')).current_dir(desk.at(".")).env("JOURNAL_STREAM", stream);
    program.stdout(file.try_clone().unwrap()).stderr(file).status().unwrap();
    fs::read_to_string(desk.at("log")).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_journal_gets_lines_with_priorities() {
    let desk = desk();
    let lines = log(&desk, "audit sound.oar cut.oar faulty.oar --out report", true);
    let begins = [
        "<6>hullmark ",
        "<3>cut.oar is incomplete: ",
        "<3>Finished, but the audit is INCOMPLETE (exit code 3): ",
    ];
    assert_eq!(lines.len(), begins.len(), "{lines:#?}");
    for (line, begin) in lines.iter().zip(begins) {
        assert!(line.starts_with(begin), "{line}");
    }
    assert!(
        lines[0].contains("reads 3 inputs") && lines[2].contains("the report is in report."),
        "{lines:#?}"
    );
    let lines = log(&desk, "audit faulty.oar --out report --fail-on error", true);
    assert!(lines[1].starts_with("<4>Finished with findings") && lines[1].contains("1 error"), "{lines:#?}");
    let lines = log(&desk, "audit sound.oar --out report", true);
    assert!(lines[1].starts_with("<6>Finished: 0 blocker"), "{lines:#?}");
    assert_eq!(log(&desk, "audit sound.oar --out report --quiet", true), [""; 0]);
    desk.write("wrong.toml", "[limits]\nblock_bytes = \"many\"\nnothing");
    let lines = log(&desk, "audit sound.oar --out report --config wrong.toml", true);
    assert!(lines.len() == 1 && lines[0].starts_with("<3>wrong.toml is not valid TOML"), "{lines:#?}");
}

#[test]
fn any_other_log_has_dated_lines_and_the_summary() {
    let desk = desk();
    let lines = log(&desk, "audit cut.oar --out report", false);
    let dated = |line: &String| line.starts_with("20") && line.as_bytes().get(19) == Some(&b'Z');
    assert_eq!(lines.iter().filter(|line| dated(line)).count(), 3, "{lines:#?}");
    assert!(lines.iter().any(|line| line.starts_with("Read 1 input (")), "{lines:#?}");
    let lines = log(&desk, "audit cut.oar --out report --quiet", false);
    assert_eq!(lines.len(), 2, "quiet, but what went wrong: {lines:#?}");
    assert_eq!(log(&desk, "audit sound.oar --out report --quiet", false), [""; 0]);
}

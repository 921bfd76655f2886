//! Settings from files and flags, and their record in a report.

use crate::support::desk::{DONE, Desk, FINDINGS, USAGE, assert_same, faulty, sound};
use serde_json::Value;

#[test]
fn settings_that_were_printed_can_be_read_again() {
    let desk = Desk::with(&[("sound.oar", &sound())]);
    let changed =
        "audit --profile opensim-ubode --threads 3 --fail-on warning --byte-order-mark --dump-config";
    let printed = desk.run_to(DONE, changed).stdout;
    for line in
        ["profile = \"opensim-ubode\"", "threads = 3", "fail_on = \"warning\"", "byte_order_mark = true"]
    {
        assert!(printed.contains(line), "{line} is not in\n{printed}");
    }
    desk.write("settings.toml", &printed);
    let read = |text: &str| text.parse::<toml::Table>().unwrap();
    let printed = read(&printed);
    assert_eq!(read(&desk.run_to(DONE, "audit --config settings.toml --dump-config").stdout), printed);
    // Arguments of the command are allowed with `--dump-config` and have no effect.
    let full = "audit sound.oar --out report --config settings.toml --dump-config";
    assert_eq!(read(&desk.run_to(DONE, full).stdout), printed);
    assert!(!desk.at("report").exists());
    assert_ne!(read(&desk.run_to(DONE, "scan --dump-config").stdout), printed);
}

/// A container has no settings file. Flags win over variables, and variables over the file.
#[test]
fn each_setting_can_be_a_variable_and_has_its_origin() {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    desk.write("mine.toml", "threads = 2\nfail_on = \"none\"\n[report]\ntop = 3\n");
    let variables = [
        ("HULLMARK_FAIL_ON", "error"),
        ("HULLMARK_REPORT_FORMATS", "csv,jsonl"),
        ("HULLMARK_RULES_SEVERITY_HUL", "warning"),
        ("HULLMARK_LIMITS_XML_DEPTH", "9"),
    ];
    let run = desk.run_where(&variables, "audit --config mine.toml --threads 1 --dump-config");
    assert_eq!(run.code, DONE, "{}", run.stderr);
    let lines: Vec<&str> = run.stdout.lines().filter(|line| line.contains('#')).collect();
    assert_eq!(
        lines,
        [
            "threads = 1  # flags",
            "fail_on = \"error\"  # HULLMARK_FAIL_ON",
            "HUL = \"warning\"  # HULLMARK_RULES_SEVERITY_HUL",
            "formats = [\"csv\", \"jsonl\"]  # HULLMARK_REPORT_FORMATS",
            "top = 3  # mine.toml",
            "xml_depth = 9  # HULLMARK_LIMITS_XML_DEPTH",
        ]
    );
    let run = desk.run_where(&variables, "audit faulty.oar --out report");
    assert_eq!(run.code, FINDINGS, "{}", run.stderr);
    assert!(desk.at("report/findings.jsonl").exists() && !desk.at("report/audit.html").exists());
    for (name, text, words) in [
        ("HULLMARK_LIMITS_XML_DEPHT", "9", "did you mean `HULLMARK_LIMITS_XML_DEPTH`?"),
        ("HULLMARK_THREADS", "two", "HULLMARK_THREADS: `threads` must be of type integer"),
    ] {
        let run = desk.run_where(&[(name, text)], "audit faulty.oar --out other");
        assert!(run.code == USAGE && run.stderr.contains(words), "{}", run.stderr);
    }
    assert!(!desk.at("other").exists());
}

#[test]
fn time_is_in_the_manifest_only_on_request() {
    let desk = Desk::with(&[("sound.oar", &sound())]);
    desk.run_to(DONE, "audit sound.oar --out timeless");
    assert_eq!(desk.audit_json("timeless")["manifest"]["now"], Value::Null);
    desk.run_to(DONE, "audit sound.oar --out dated --now 2026-11-21T04:00:00Z");
    assert_eq!(desk.audit_json("dated")["manifest"]["now"], "2026-11-21T04:00:00Z");
    let tables = |folder, has_time: bool| {
        let mut files = desk.files(folder);
        let page = files.remove("audit.html").unwrap();
        assert_eq!(String::from_utf8(page).unwrap().contains("2026-11-21T04:00:00Z"), has_time);
        // The workbook contains the manifest, as audit.json does.
        files.retain(|name, _| name.ends_with(".csv"));
        files
    };
    assert_same(&tables("timeless", false), &tables("dated", true));
}

/// The flag wins over the variable, and the variable over the file. The first line names the source.
#[test]
fn the_target_is_chosen_by_flag_variable_or_file() {
    let desk = Desk::with(&[("sound.oar", &sound()), ("empty/here", b"")]);
    let user = desk.at("user");
    let user = user.to_str().unwrap();
    let target = |environment: &[(&str, &str)], flags: &str| {
        let environment = [&[("XDG_CONFIG_HOME", user), ("HOME", user)], environment].concat();
        let run = desk.run_where(&environment, &format!("audit sound.oar{flags}"));
        assert_eq!(run.code, DONE, "{}", run.stderr);
        run.stdout.lines().take_while(|line| !line.starts_with("Read ")).collect::<Vec<_>>().join("\n")
    };
    let by_default = "Target: none chosen (--profile): OpenSimulator's load, published limits";
    assert_eq!(target(&[], ""), by_default);
    assert_eq!(target(&[("HULLMARK_PROFILE", "")], ""), by_default);
    assert_eq!(target(&[], " --profile second-life"), "Target: Second Life");
    desk.write("user/hullmark/hullmark.toml", "profile = \"opensim-ubode\"");
    let file = desk.at("user/hullmark/hullmark.toml");
    let by_user = format!("Target: OpenSimulator with ubODE (settings)\nSettings: {}", file.display());
    assert_eq!(target(&[], ""), by_user);
    desk.write("hullmark.toml", "fail_on = \"blocker\"");
    assert_eq!(target(&[], ""), format!("{by_default}\nSettings: hullmark.toml"), "the working folder wins");
    let by_variable = target(&[("HULLMARK_PROFILE", "opensim-ubode")], "");
    assert!(by_variable.starts_with("Target: OpenSimulator with ubODE (HULLMARK_PROFILE)"), "{by_variable}");
    let by_flag = target(&[("HULLMARK_PROFILE", "opensim-ubode")], " --profile second-life");
    assert!(by_flag.starts_with("Target: Second Life\n"), "{by_flag}");
}

/// Settings that are found next to somebody's exports run no command and send nothing.
#[test]
fn settings_found_next_to_exports_run_no_command_and_send_nothing() {
    for channel in [
        "discord = \"https://host/x\"",
        "slack = \"env:X\"",
        "json = \"https://host/x\"",
        "matrix.room = \"!a:host\"",
        "email.to = [\"a@b\"]",
    ] {
        let desk = Desk::with(&[("sound.oar", &sound())]);
        desk.write("hullmark.toml", format!("[notify]\n{channel}"));
        for command in ["audit sound.oar --out report", "notify", "rules"] {
            let run = desk.run_to(USAGE, command);
            assert!(run.stderr.contains("--config hullmark.toml"), "{channel}, {command}: {}", run.stderr);
        }
    }
    let desk =
        Desk::with(&[("sound.oar", &sound()), ("hullmark.toml", b"[notify]\ncommand = \"touch ran\"")]);
    let run = desk.run_to(USAGE, "audit sound.oar --out report");
    assert!(run.stderr.contains("--config hullmark.toml"), "{}", run.stderr);
    desk.run_to(DONE, "audit sound.oar --out report --config hullmark.toml");
}

#[test]
fn an_audit_without_a_report_prints_its_summary_and_writes_letters_and_ledgers() {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    let run = desk.run_to(DONE, "audit faulty.oar");
    assert!(run.stdout.contains("LNK001") && run.stdout.ends_with("No report was written: add --out DIR.\n"));
    assert_eq!(desk.files("").keys().collect::<Vec<_>>(), ["faulty.oar"]);
    let run = desk.run_to(DONE, "audit faulty.oar --letters letters --ledgers ledgers");
    assert!(run.stdout.contains("LNK001"), "{}", run.stdout);
    assert!(desk.at("letters/letters.csv").exists() && !desk.files("ledgers").is_empty());
    let again = desk.run_to(FINDINGS, "report ledgers --fail-on error");
    assert!(again.stdout.contains("LNK001"), "{}", again.stdout);
    let written = desk.run_to(DONE, "audit faulty.oar --out report");
    assert!(written.stdout.ends_with("\nOpen report/audit.html\n"), "{}", written.stdout);
    let written = desk.run_to(DONE, "audit faulty.oar --out tables --format csv");
    assert!(written.stdout.ends_with("\nOpen tables/findings.csv\n"), "{}", written.stdout);
}

#[test]
fn colors_are_for_terminals_unless_requested() {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    let colored = |environment: &[(&str, &str)], flags: &str| {
        desk.run_where(environment, &format!("audit faulty.oar{flags}")).stdout.contains("\u{1b}[31merror")
    };
    assert!(!colored(&[], "") && colored(&[], " --color always"));
    assert!(!colored(&[("CLICOLOR_FORCE", "1")], " --color never"));
    assert!(!colored(&[("NO_COLOR", "1")], ""));
}

#[test]
fn patterns_are_expanded_if_the_shell_did_not() {
    let desk = Desk::with(&[("a.oar", &sound()), ("b.oar", &sound()), ("c.txt", b"no archive")]);
    let run = desk.run_to(DONE, "audit *.oar");
    assert!(run.stdout.contains("\nRead 2 inputs ("), "{}", run.stdout);
    desk.write("[x].oar", sound());
    let run = desk.run_to(DONE, "audit [x].oar");
    assert!(run.stdout.contains("\nRead 1 input ("), "a file of this name is meant: {}", run.stdout);
}

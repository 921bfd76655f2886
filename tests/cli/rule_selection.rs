//! The selection of rules and their severities: profile, settings and flags.

use crate::support::desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE, faulty, sound, truncated};
use serde_json::{Value, json};

/// Creates a region that is too wide to link (LNK001), a copy of it (XAR001 with the first), and a file of unknown kind
/// (RUN007).
fn desk() -> Desk {
    Desk::with(&[
        ("exports/a.oar", &faulty()),
        ("exports/b.oar", &faulty()),
        ("exports/notes.txt", b"nothing to audit"),
        (
            "mine.toml",
            b"base = \"second-life\"\n[rules]\nignore = [\"LNK\"]\n[rules.severity]\nXAR = \"error\"\n",
        ),
    ])
}

fn codes(desk: &Desk, flags: &str) -> Vec<String> {
    desk.run_to(DONE, &format!("audit exports --out report{flags}"));
    let mut codes = desk.column("report", "findings", "code");
    codes.sort();
    codes
}

#[test]
fn flags_settings_and_profiles_select_the_rules() {
    let desk = desk();
    desk.write("ignore.toml", "[rules]\nignore = [\"XAR\"]\n");
    desk.write("select.toml", "[rules]\nselect = [\"LNK\", \"RUN\"]\nignore = [\"RUN\"]\n");
    let all = ["LNK001", "LNK001", "RUN007", "XAR001"];
    assert_eq!(codes(&desk, ""), all);
    for (flags, expected) in [
        // A rule of one input, a rule across inputs, and a rule about files that were not read.
        (" --only LNK001", &["LNK001", "LNK001"][..]),
        (" --only xar", &["XAR001"]),
        (" --only RUN,XAR001", &["RUN007", "XAR001"]),
        (" --only RUN --only XAR001 --ignore RUN", &["XAR001"]),
        (" --ignore LNK,RUN007", &["XAR001"]),
        (" --ignore LNK --ignore XAR", &["RUN007"]),
        (" --config ignore.toml", &["LNK001", "LNK001", "RUN007"]),
        (" --config ignore.toml --ignore RUN", &["LNK001", "LNK001"]),
        (" --config ignore.toml --only XAR", &["XAR001"]),
        (" --config select.toml", &["LNK001", "LNK001"]),
        (" --profile mine.toml", &["RUN007", "XAR001"]),
        (" --profile mine.toml --config ignore.toml", &["RUN007"]),
        (" --profile mine.toml --config select.toml", &["LNK001", "LNK001"]),
        (" --profile mine.toml --only LNK", &["LNK001", "LNK001"]),
    ] {
        assert_eq!(codes(&desk, flags), expected, "{flags}");
    }
}

#[test]
fn settings_win_over_the_profile_and_a_code_over_its_family() {
    let desk = desk();
    desk.write("a.toml", "[rules.severity]\nLNK = \"info\"\nXAR = \"warning\"\nXAR001 = \"blocker\"\n");
    let severities = |flags: &str| {
        desk.run_to(DONE, &format!("audit exports --out report --only LNK,XAR{flags}"));
        let mut severities = desk.column("report", "findings", "severity");
        severities.dedup();
        severities
    };
    assert_eq!(severities(" --profile mine.toml"), ["error"], "LNK001 by itself, XAR001 by the profile");
    assert_eq!(severities(" --profile mine.toml --config a.toml"), ["info", "blocker", "info"]);
}

#[test]
fn rules_that_are_off_fail_nothing_and_the_report_says_so() {
    let desk = desk();
    desk.run_to(FINDINGS, "audit exports --out report --fail-on error --only LNK");
    let run = desk.run_to(DONE, "audit exports --out report --fail-on error --only XAR");
    assert!(run.stdout.contains("rules are off"), "{}", run.stdout);
    desk.run_to(DONE, "audit exports --out report --fail-on error --ignore LNK001");
    let all = desk.run_to(FINDINGS, "audit exports --out report --fail-on error");
    assert!(!all.stdout.contains("rules are off"), "{}", all.stdout);
    // The commands for one file evaluate the same rules and report the selection.
    desk.run_to(FINDINGS, "link exports/a.oar --fail-on error");
    let run = desk.run_to(DONE, "link exports/a.oar --fail-on error --ignore LNK --json");
    let view: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!((&view["verdict"], &view["severity"]), (&json!("not_linkable"), &Value::Null));
    desk.run_to(DONE, "scan exports --ledgers ledgers");
    desk.run_to(FINDINGS, "report ledgers --out report --fail-on error");
}

#[test]
fn unread_inputs_are_incomplete_regardless_of_the_selection() {
    let desk = Desk::with(&[("cut.oar", &truncated()), ("sound.oar", &sound())]);
    for flags in ["--only LNK", "--ignore ARC,RUN,OBJ", "--only LNK --fail-on info"] {
        let run = desk.run_to(INCOMPLETE, &format!("audit cut.oar sound.oar --out report {flags}"));
        assert!(run.stdout.contains("INCOMPLETE"), "{}", run.stdout);
        let audit = desk.audit_json("report");
        assert_eq!(audit["not_read"][0]["archive"], "cut.oar");
        assert_eq!(audit["findings_by_code"], json!({}), "{flags}");
    }
}

#[test]
fn the_manifest_and_the_settings_hold_the_control_in_force() {
    let desk = desk();
    desk.write("a.toml", "[rules]\nignore = [\"RUN\"]\n[rules.severity]\nLNK001 = \"info\"\n");
    let flags = "--config a.toml --ignore hul --profile mine.toml";
    desk.run_to(DONE, &format!("audit exports --out report {flags}"));
    let manifest = &desk.audit_json("report")["manifest"];
    let said = json!({"select": [], "ignore": ["RUN", "HUL"], "severity": {"LNK001": "info"}});
    assert_eq!(manifest["settings"]["rules"], said);
    let in_force = json!({"select": [], "ignore": ["LNK", "RUN", "HUL"], "severity": {"XAR": "error", "LNK001": "info"}});
    assert_eq!(manifest["profile"]["rules"], in_force);
    let printed = desk.run_to(DONE, &format!("audit --dump-config {flags}")).stdout;
    desk.write("b.toml", &printed);
    let again = desk.run_to(DONE, "audit --dump-config --config b.toml").stdout;
    let read = |text: &str| text.parse::<toml::Table>().unwrap();
    assert_eq!(read(&again), read(&printed));
    desk.run_to(DONE, "audit exports --out again --config b.toml");
    assert_eq!(desk.audit_json("again")["manifest"], *manifest);
}

#[test]
fn lists_and_pages_show_rules_that_are_off() {
    let desk = desk();
    let text = desk.run_to(DONE, "rules --only LNK001").stdout;
    assert!(text.contains("  LNK001  error    ") && text.contains("  LNK002  off      "), "{text}");
    assert!(!desk.run_to(DONE, "rules").stdout.contains(" off "));
    let json = desk.run_to(DONE, "rules --profile mine.toml --json").stdout;
    for rule in serde_json::from_str::<Vec<Value>>(&json).unwrap() {
        let code = rule["code"].as_str().unwrap();
        assert_eq!(rule["selected"], !code.starts_with("LNK"), "{code}");
    }
    assert!(desk.run_to(DONE, "explain LNK001 --ignore LNK").stdout.contains("off ([rules]"));
    assert!(!desk.run_to(DONE, "explain LNK001").stdout.contains("off ([rules]"));
}

#[test]
fn required_assets_are_a_blocker_and_never_off_in_silence() {
    let desk = Desk::with(&[("empty.toml", b"[rules.severity]\nARC = \"info\"\n")]);
    let rule = |flags: &str| desk.run_to(DONE, &format!("rules{flags}")).stdout;
    assert!(rule(" --config empty.toml").contains("  ARC009  info "));
    assert!(rule(" --config empty.toml --require-assets").contains("  ARC009  blocker "));
    assert!(rule(" --only LNK,ARC009 --require-assets").contains("  ARC009  blocker "));
    for flags in ["--only LNK", "--ignore ARC", "--ignore ARC009"] {
        let run = desk.run_to(USAGE, &format!("rules --require-assets {flags}"));
        assert!(run.stderr.contains("--require-assets needs the rule ARC009"), "{}", run.stderr);
    }
}

#[test]
fn unknown_rules_are_refused_with_the_nearest() {
    let desk = Desk::with(&[
        ("ignore.toml", b"[rules]\nignore = [\"HUL01\"]"),
        ("severity.toml", b"[rules.severity]\nLNQ = \"info\""),
        ("key.toml", b"[rules]\nselekt = []"),
        ("profile.toml", b"base = \"second-life\"\n[rules]\nselect = [\"LNX\"]"),
    ]);
    for (flags, words) in [
        ("--only LNK999", "Did you mean LNK001?"),
        ("--ignore LNK,LNQ", "`LNQ`. Did you mean LNK?"),
        ("--config ignore.toml", "`HUL01`. Did you mean HUL001?"),
        ("--config severity.toml", "`LNQ`. Did you mean LNK?"),
        ("--config key.toml", "did you mean `select`?"),
        ("--profile profile.toml", "`LNX`. Did you mean LNK?"),
    ] {
        let run = desk.run_to(USAGE, &format!("rules {flags}"));
        assert!(run.stderr.contains(words), "{flags}: {}", run.stderr);
    }
}

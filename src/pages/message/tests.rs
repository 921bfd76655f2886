//! Messages by their values.

use super::*;
use hullmark_finding::Severity;
use hullmark_ledger::facts::Status;
use hullmark_report::{
    Manifest,
    summary::{ActionLine, NotRead, Totals},
};

fn action(number: usize) -> ActionLine {
    serde_json::from_value(serde_json::json!({
        "archive": "a.oar", "region": "Hill", "rank": number, "kind": "repair", "name": format!("Bench {number}"),
        "count": 2, "object_uuid": null, "url": "", "hop_url": "", "edits": 1, "land_impact_before": 1200.0,
        "land_impact_after": 20.0, "land_impact_sum_after": null, "percent_of_capacity_after": null, "basis": null,
        "code": null, "severity": null, "is_new": false, "problem": "", "advice": "",
        "action": "Set link 2 to Convex Hull.", "effect": ""
    }))
    .unwrap()
}

fn summary() -> Summary {
    let mut summary = Summary::new(Manifest::default(), 10);
    summary.totals =
        Totals { inputs: 2, bytes: 3_000_000, regions: 1, objects: 7, loose_objects: 1, ..Totals::default() };
    summary.not_read = vec![NotRead { archive: "cut\u{1b}[2J.oar".into(), status: Status::Incomplete }];
    summary.actions = (1..=12).map(action).collect();
    summary.manifest.profile.description = "My grid".into();
    summary.findings.add(Severity::Error, 1);
    summary.findings.add(Severity::Warning, 3);
    summary
}

#[test]
fn a_message_has_target_findings_inputs_actions_and_report() {
    let Message { title, text } = Message::new(&summary(), "settings", Some("/reports/a"));
    assert_eq!(title, "hullmark: INCOMPLETE, 1 error, 3 warnings in 2 inputs");
    let (head, actions) = text.split_once("\nFix first (28 → 14 is land impact):\n").unwrap();
    assert_eq!(
        head,
        "Target: My grid (settings)\nRead 2 inputs (2.86 MiB): 1 region, 7 objects with 0 prims, 1 object in files, 0 meshes.\n\
         Findings: 0 blockers, 1 error, 3 warnings, 0 info.\n\nNot fully read:\n- cut·[2J.oar (incomplete)\n"
    );
    let lines: Vec<&str> = actions.lines().collect();
    let first = "1. 2 × Bench 1, Hill (1,200 → 20): Set link 2 to Convex Hull.";
    assert_eq!((lines[0], lines.len()), (first, 12), "ten actions, an empty line and the report");
    assert_eq!(lines[11], "Report: /reports/a");
}

#[test]
fn a_sound_run_has_a_short_message() {
    let mut summary = Summary::new(Manifest::default(), 10);
    summary.totals.inputs = 1;
    let message = Message::new(&summary, "", None);
    assert_eq!(message.title, "hullmark: no findings in 1 input");
    assert!(!message.text.contains("Fix first") && !message.text.contains("Report:"), "{}", message.text);
}

#[test]
fn a_message_is_cut_at_a_line_and_says_so() {
    let text = "one\ntwo\nthree\n";
    assert_eq!(cut_at_line(text, 14, str::len), text);
    let long = text.repeat(10);
    let limit = CUT.len() + 9;
    assert_eq!(cut_at_line(&long, limit, str::len), format!("one\ntwo\n{CUT}"));
    assert_eq!(cut_at_line(&long, 1, str::len), CUT, "the note is the least");
    let wide = |text: &str| text.encode_utf16().count();
    assert_eq!(cut_at_line(&"🪑\n".repeat(99), CUT.len() + 4, wide), format!("🪑\n{CUT}"));
}

//! Waived findings: they are reported, count nowhere, and come back when the waiver expires.

use crate::support::{
    archive::{Archive, control},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE, faulty, sound, truncated},
};
use serde_json::Value;
use std::fs;

const AUDIT: &str =
    "audit a.oar b.oar --out report --fail-on error --waivers ours.toml --ignore XAR004 --now";
const DAY: &str = "2026-11-21T12:00:00Z";

/// Returns a waiver of all findings of this rule in this archive, until 30 November 2026.
fn waiver(code: &str, archive: &str) -> String {
    format!(
        "[[waiver]]\ncode = '{code}'\narchive = '{archive}'\nreason = 'an old bridge'\nwho = 'Ann'\nuntil = 2026-11-30\n"
    )
}

/// Creates two archives, the second with an error, and these waivers.
fn desk(waivers: &str) -> Desk {
    Desk::with(&[("a.oar", &sound()), ("b.oar", &faulty()), ("ours.toml", waivers.as_bytes())])
}

fn codes(desk: &Desk) -> Vec<String> {
    desk.column("report", "findings", "code")
}

#[test]
fn waived_findings_are_reported_and_count_nowhere() {
    let desk = desk(&waiver("LNK001", "b.oar"));
    desk.run_to(FINDINGS, "audit a.oar b.oar --out before --fail-on error --ignore XAR004");
    let formats = "--format csv,html,sarif,junit --letters letters";
    let run = desk.run_to(DONE, &format!("{AUDIT} {DAY} {formats}"));
    assert!(run.stdout.contains("0 blockers, 0 errors"), "{}", run.stdout);
    assert!(
        run.stdout.contains("Waived, without effect on the exit code: 0 blockers, 1 error"),
        "{}",
        run.stdout
    );

    assert_eq!(codes(&desk), ["LNK001"]);
    let columns = ["severity", "waived_until", "waived_by", "waived_reason"];
    let row = columns.map(|column| desk.column("report", "findings", column).remove(0));
    assert_eq!(row, ["error", "2026-11-30", "Ann", "an old bridge"]);
    assert_eq!(desk.column("report", "archives", "errors"), ["0", "0"]);
    assert_eq!(desk.column("before", "archives", "errors"), ["0", "1"]);
    assert_eq!(desk.column("report", "objects", "worst_severity"), ["", ""]);
    assert_eq!(desk.column("report", "objects", "findings"), ["0", "0"]);
    let audit = desk.audit_json("report");
    assert_eq!((&audit["findings"]["error"], &audit["waived"]["error"]), (&Value::from(0), &Value::from(1)));
    assert_eq!((&audit["worst"], &audit["manifest"]["waivers"]), (&Value::Array(vec![]), &Value::from(1)));
    let check = &audit["checks"]["LNK001"];
    assert_eq!((&check["failed"], &check["waived"]), (&Value::from(1), &Value::from(1)));

    let sarif: Value = serde_json::from_slice(&desk.files("report")["audit.sarif"]).unwrap();
    let suppression = &sarif["runs"][0]["results"][0]["suppressions"][0];
    assert_eq!(suppression["justification"], "an old bridge (Ann, until 2026-11-30)");
    let junit = String::from_utf8(desk.files("report").remove("audit.junit.xml").unwrap()).unwrap();
    assert!(!junit.contains("<failure") && junit.contains("1 of 1 failed (waived)"), "{junit}");
    assert!(junit.contains("<testsuite name=\"the run\""), "{junit}");
    assert_eq!(desk.files("letters").into_keys().collect::<Vec<_>>(), ["letters.csv"]);
}

#[test]
fn a_waiver_ends_with_its_last_day_and_is_named_from_then_on() {
    let desk = desk(&waiver("LNK001", "b.oar"));
    desk.run_to(DONE, &format!("{AUDIT} 2026-11-30T23:59:59Z"));
    assert_eq!(codes(&desk), ["LNK001"]);
    let run = desk.run_to(FINDINGS, &format!("{AUDIT} 2026-12-01T00:00:00Z"));
    assert!(run.stdout.contains("1 error, 1 warning"), "{}", run.stdout);
    assert_eq!(codes(&desk), ["LNK001", "RUN002"]);
    assert_eq!(desk.column("report", "findings", "waived_until"), ["", ""]);
    assert_eq!(desk.column("report", "findings", "archive"), ["b.oar", ""]);
    let message = desk.column("report", "findings", "message").remove(1);
    assert_eq!(
        message,
        "The waiver for LNK001, archive b.oar has expired: 1 finding counts again (number 1 in ours.toml: \"an old \
         bridge\", Ann, until 2026-11-30)"
    );
    // The waiver file is not an input, and the report counts its check.
    assert_eq!(desk.column("report", "archives", "archive"), ["a.oar", "b.oar"]);
    let checks = &desk.audit_json("report")["checks"]["RUN002"];
    assert_eq!((&checks["passed"], &checks["failed"]), (&Value::from(0), &Value::from(1)));
    // The finding has the same fingerprint in another run, regardless of the waiver's number and the date.
    let fingerprint = desk.column("report", "findings", "fingerprint").remove(1);
    let renewed = waiver("HUL001", "b.oar") + &waiver("LNK001", "b.oar").replace("2026-11-30", "2026-12-02");
    desk.write("ours.toml", renewed);
    desk.run_to(FINDINGS, &format!("{AUDIT} 2026-12-03T00:00:00Z"));
    assert_eq!(codes(&desk), ["LNK001", "RUN002", "RUN002"]);
    assert!(desk.column("report", "findings", "fingerprint").contains(&fingerprint));
    desk.run_to(FINDINGS, &format!("{AUDIT} 2026-12-03T00:00:00Z --format junit,sarif,html,csv,xlsx"));
}

#[test]
fn findings_under_another_waiver_do_not_count_again() {
    let ended = |code: &str, archive: &str| waiver(code, archive).replace("2026-11-30", "2026-11-20");
    let desk = desk(&(ended("LNK", "*.oar") + &waiver("LNK001", "b.oar")));
    desk.write("c.oar", faulty());
    let detail = || {
        let reported = codes(&desk).into_iter().zip(desk.column("report", "findings", "message"));
        let run002 = reported.into_iter().find(|(code, _)| code == "RUN002").unwrap().1;
        run002.split(" (number").next().unwrap().to_owned()
    };
    desk.run_to(FINDINGS, &format!("{AUDIT} {DAY}").replace("b.oar", "b.oar c.oar"));
    assert_eq!(detail(), "The waiver for LNK, archive *.oar has expired: 1 finding counts again");
    desk.run_to(DONE, &format!("{AUDIT} {DAY}"));
    assert_eq!(detail(), "The waiver for LNK, archive *.oar has expired and covers no finding of this run");
}

#[test]
fn unused_waivers_are_named_if_that_is_known() {
    let unused = waiver("HUL001", "b.oar");
    let desk = desk(&(waiver("LNK001", "b.oar") + &unused));
    desk.run_to(DONE, &format!("{AUDIT} {DAY}"));
    // In one input, waived findings come after the others. The run comes after all inputs.
    assert_eq!(codes(&desk), ["LNK001", "RUN002"]);
    let message = desk.column("report", "findings", "message").remove(1);
    assert!(
        message.starts_with("The waiver for HUL001, archive b.oar covers no finding of this run ("),
        "{message}"
    );

    let none = |arguments: &str| {
        desk.run(arguments);
        let codes = codes(&desk);
        assert!(!codes.contains(&"RUN002".into()), "{arguments}: {codes:?}");
    };
    desk.write("cut.oar", truncated());
    let flags = format!("--out report --waivers ours.toml --now {DAY}");
    none(&format!("audit a.oar {flags}"));
    none(&format!("audit a.oar b.oar cut.oar {flags}"));
    none(&format!("{AUDIT} {DAY} --min-severity info"));
    none(&format!("{AUDIT} {DAY} --region Somewhere"));
    none(&format!("{AUDIT} {DAY} --ignore HUL001"));
    let audit = desk.audit_json("report");
    assert_eq!(audit["checks"]["RUN002"]["not_evaluated"], serde_json::json!({ "not_covered": 1 }));
    assert_eq!(audit["reasons"]["not_covered"], "this run does not cover it");
    none("audit a.oar b.oar --out report");
}

#[test]
fn places_match_the_table() {
    let place = |line: &str| {
        format!("[[waiver]]\ncode = 'LNK'\n{line}\nreason = 'x'\nwho = 'Ann'\nuntil = 2026-11-30\n")
    };
    let desk = desk("");
    desk.run_to(FINDINGS, &format!("{AUDIT} {DAY}"));
    let cell = |column: &str| desk.column("report", "findings", column).remove(0);
    let (object, owner, fingerprint) = (cell("object_uuid"), cell("owner_uuid"), cell("fingerprint"));
    for (line, waived) in [
        ("place = '*'", true),
        ("archive = 'b*'", true),
        ("archive = 'a*'", false),
        ("region = 'SOMEWHERE'", true),
        ("region = 'Some'", false),
        ("entry = 'objects/*'", true),
        ("entry = 'assets/*'", false),
        ("object = 'Bri??e'", true),
        ("object = 'Chair'", false),
        (&format!("object = '{object}'"), true),
        (&format!("owner = '{owner}'"), true),
        ("owner = '00000000-0000-0000-0000-000000000001'", false),
        ("object = 'Bridge'\narchive = 'a.oar'", false),
        (&format!("fingerprint = '{fingerprint}'"), true),
        ("fingerprint = '0000000000000000'", false),
    ] {
        desk.write("ours.toml", place(line));
        desk.run_to(if waived { DONE } else { FINDINGS }, &format!("{AUDIT} {DAY}"));
        assert_eq!(
            desk.column("report", "findings", "waived_by")[0],
            if waived { "Ann" } else { "" },
            "{line}"
        );
    }
}

#[test]
fn equal_findings_are_waived_together_and_unread_inputs_stay_unread() {
    let any = "[[waiver]]\ncode = 'ARC'\nplace = '*'\nreason = 'known'\nwho = 'Ann'\nuntil = 2026-11-30\n";
    let desk = Desk::with(&[("cut.oar", &truncated()), ("ours.toml", any.as_bytes())]);
    let flags = format!("--out report --fail-on info --waivers ours.toml --now {DAY}");
    let run = desk.run_to(INCOMPLETE, &format!("audit cut.oar {flags}"));
    assert!(run.stdout.contains("INCOMPLETE"), "{}", run.stdout);
    assert_eq!(desk.audit_json("report")["complete"], false);
}

#[test]
fn a_mistake_in_the_file_is_known_before_anything_is_read() {
    let desk =
        desk(&(waiver("LNK001", "b.oar") + &waiver("LNK001", "b.oar").replace("'an old bridge'", "''")));
    let run = desk.run_to(USAGE, &format!("{AUDIT} {DAY}"));
    assert!(
        run.stderr.contains("ours.toml, waiver 2 in line 7: it has no reason; write reason"),
        "{}",
        run.stderr
    );
    assert!(!desk.at("report/audit.json").exists());
    let run = desk.run_to(USAGE, "audit a.oar --out report --waivers none.toml");
    assert!(run.stderr.contains("none.toml cannot be read; correct the path of --waivers"), "{}", run.stderr);
    // The settings can also name the file and the longest period of a waiver.
    desk.write("ours.toml", waiver("LNK001", "b.oar"));
    desk.write("settings.toml", "[waivers]\nfile = 'ours.toml'\nlongest_days = 8\n");
    let audit = format!("audit a.oar b.oar --out report --fail-on error --config settings.toml --now {DAY}");
    let run = desk.run_to(USAGE, &audit);
    assert!(run.stderr.contains("more than 8 days from now"), "{}", run.stderr);
    desk.write("settings.toml", "[waivers]\nfile = 'ours.toml'\nlongest_days = 9\n");
    desk.run_to(DONE, &audit);
}

#[test]
fn a_waived_blocker_permits_the_move_and_the_page_names_it() {
    let bare = Archive::new(&control("00000000-0000-4000-8000-00000000000a", "256,256")).add(
        "objects/thing.xml",
        crate::support::object::xml2(&[crate::support::object::Prim::new("Chair", 1)]),
    );
    let waivers = waiver("ARC009", "bare.oar");
    let desk = Desk::with(&[("bare.oar", &bare.gzip()), ("ours.toml", waivers.as_bytes())]);
    let preflight = "preflight bare.oar --target second-life --require-assets";
    desk.run_to(FINDINGS, preflight);
    let waiving = |now: &str, format: &str| {
        format!("{preflight} --waivers ours.toml --now {now} {format}").trim().to_owned()
    };
    let run = desk.run_to(DONE, &waiving(DAY, ""));
    assert!(run.stdout.contains("WAIVED (NOT COUNTED ABOVE)\n  blocker ARC009"), "{}", run.stdout);
    assert!(run.stdout.contains("until 2026-11-30, Ann: an old bridge"), "{}", run.stdout);
    let page = desk.run_to(DONE, &waiving(DAY, "--format html")).stdout;
    assert!(page.contains("<h2>Waived (not counted above)</h2>"), "{page}");
    let page: Value = serde_json::from_str(&desk.run_to(DONE, &waiving(DAY, "--json")).stdout).unwrap();
    assert_eq!((&page["waived"][0]["code"], &page["waived"][0]["count"]), (&"ARC009".into(), &1.into()));
    // A day later it is a blocker again, and the page gives the reason.
    let run = desk.run_to(FINDINGS, &waiving("2026-12-01T00:00:00Z", "-v"));
    assert!(run.stdout.contains("NO-GO") && run.stdout.contains("has expired"), "{}", run.stdout);
}

#[test]
fn a_written_waiver_waives_its_finding() {
    let desk = Desk::with(&[("a.oar", &sound()), ("b.oar", &faulty())]);
    desk.run_to(FINDINGS, "audit a.oar b.oar --out report --fail-on error");
    let fingerprint = desk.column("report", "findings", "fingerprint").remove(0);
    let waive = format!("waive {fingerprint} --file ours.toml --now {DAY} --who Ann");
    let run = desk.run_to(DONE, &format!("{waive} --report report --reason known --until 2026-11-30"));
    assert!(
        run.stdout
            .starts_with(&format!("Added in ours.toml, until 2026-11-30: {fingerprint} (LNK001: Bridge")),
        "{}",
        run.stdout
    );
    let text = fs::read_to_string(desk.at("ours.toml")).unwrap();
    let (comment, rest) = text.split_once('\n').unwrap();
    assert!(comment.starts_with("# LNK001: Bridge (b.oar): The prim centers span 60 m"), "{text}");
    let expected = format!(
        "[[waiver]]\ncode = \"LNK001\"\nfingerprint = \"{fingerprint}\"\nregion = \"Somewhere\"\nreason = \"known\"\n\
         who = \"Ann\"\nadded = \"2026-11-21\"\nuntil = \"2026-11-30\"\n"
    );
    assert_eq!(rest, expected);
    desk.run_to(DONE, &format!("{AUDIT} {DAY}"));

    // The same waiver again is refused. Renewed, it keeps the text that a person wrote around it.
    let mine =
        format!("# mine\n\n{text}# behind\n").replace("reason = \"known\"", "reason = \"known\" # really");
    desk.write("ours.toml", &mine);
    let again = desk.run_to(USAGE, &format!("{waive} --reason other --until 2026-12-24"));
    assert!(again.stderr.contains("Use --renew to change its reason"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(desk.at("ours.toml")).unwrap(), mine);
    desk.run_to(DONE, &format!("{waive} --reason other --until 2026-12-24 --renew"));
    let renewed = mine.replace("\"known\" #", "\"other\" #").replace("2026-11-30", "2026-12-24");
    assert_eq!(fs::read_to_string(desk.at("ours.toml")).unwrap(), renewed);
    desk.run_to(DONE, &format!("{AUDIT} 2026-12-24T12:00:00Z"));
    desk.run_to(FINDINGS, &format!("{AUDIT} 2026-12-25T12:00:00Z"));
}

#[test]
fn invalid_waivers_are_not_written() {
    let desk = desk("[[waiver]]\ncode = 'LNK'\n");
    desk.run_to(FINDINGS, "audit b.oar --out report --fail-on error");
    let first = desk.column("report", "findings", "fingerprint").remove(0);
    let other = "0123456789abcdef";
    let long = "--reason x --until 2027-12-31";
    for (arguments, words) in [
        (
            "waive abc --file new.toml --reason x --until 2026-11-30".to_owned(),
            "\"abc\" is not a fingerprint",
        ),
        (format!("waive {other} --file new.toml {long}"), "more than 180 days from 2026-11-21"),
        (format!("waive {other} --file new.toml --reason x --until soon"), "until = \"soon\" is not a date"),
        (format!("waive {other} --file new.toml --until 2026-11-30 --reason="), "it has no reason"),
        (format!("waive {other} --file new.toml --until 2026-11-30"), "--reason"),
        (format!("waive {other} --reason x --until 2026-11-30"), "--file FILE, or `file` of [waivers]"),
        (
            format!("waive {other} --file new.toml --reason x --until 2026-11-30 --renew"),
            "to renew. Leave out --renew",
        ),
        (
            format!("waive {other} --file new.toml --reason x --until 2026-11-30 --report report"),
            "has no finding",
        ),
        (
            format!("waive {first} --file new.toml --reason x --until 2026-11-30 --report nowhere"),
            "--format csv",
        ),
        // An existing mistake is reported, and the file is not changed.
        (
            format!("waive {first} --file ours.toml --reason x --until 2026-11-30"),
            "waiver 1 in line 1: it would waive LNK",
        ),
    ] {
        let run = desk.run_to(USAGE, &format!("{arguments} --who Ann --now {DAY}"));
        assert!(run.stderr.contains(words), "{arguments}: {}", run.stderr);
        assert!(!desk.at("new.toml").exists(), "{arguments}");
    }
    // The fingerprint alone is enough if nothing else is known about the finding. Comments stay in place.
    desk.write("new.toml", "# ours");
    desk.run_to(
        DONE,
        &format!("waive {other} --file new.toml --reason x --until 2026-11-30 --who Ann --now {DAY}"),
    );
    let text = fs::read_to_string(desk.at("new.toml")).unwrap();
    assert!(
        text.starts_with("# ours\n\n[[waiver]]\nfingerprint = \"0123456789abcdef\"\nreason = "),
        "{text}"
    );
}

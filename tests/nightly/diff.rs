//! Changes between two reports: sequences made by editing archives.

use crate::support::{
    archive::{Archive, control, settings},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE, faulty, mixed, sound, truncated},
    object::{Prim, uuid, xml2},
    repository,
};
use hullmark_ledger as ledger;
use hullmark_report::{
    self as report, Evaluator, Manifest, RowFilter,
    diff::{self, Change, ChangeKind, Changes, Snapshot, What},
};
use hullmark_rules::{history::History, waivers::Waivers};
use hullmark_settings::{
    config::Config,
    profile::{OPENSIM_LOAD, Profile},
};
use std::{fs, time::SystemTime};

/// Reads a snapshot from a folder of ledgers, with default settings.
pub(super) fn of_ledgers(desk: &Desk, folder: &str) -> Snapshot {
    let (config, profile) = (Config::default(), Profile::default());
    let opensim_load = Profile::load(OPENSIM_LOAD).unwrap();
    let evaluate = Evaluator {
        profile: &profile,
        opensim_load: Some(&opensim_load),
        further: &[],
        users: None,
        regions: &[],
        config: &config.report,
    };
    let manifest =
        Manifest { opensim_load: Some(opensim_load.clone()), ..Manifest::new(&config, &profile, None) };
    let ledgers = ledger::find(&[desk.at(folder)]).unwrap();
    let history = History::new(&config, SystemTime::UNIX_EPOCH).unwrap();
    let (waivers, filter) = (Waivers::default(), RowFilter::default());
    report::snapshot(&ledgers, evaluate, &history, &waivers, manifest, filter, &desk.at(".")).unwrap()
}

/// Reads a snapshot from a report.
pub(super) fn of_report(desk: &Desk, folder: &str) -> Snapshot {
    diff::of_report(&desk.at(folder), &desk.at("."), diff::Extent::Objects).unwrap()
}

#[test]
fn a_report_and_its_ledgers_give_the_same_snapshot() {
    let desk = mixed();
    let samples = repository().join("sample_data");
    desk.run_to(
        INCOMPLETE,
        &format!("audit . {} --out report --ledgers kept -q --fail-on none", samples.display()),
    );
    let (report, ledgers) = (of_report(&desk, "report"), of_ledgers(&desk, "kept"));
    assert!(report.archives.len() > 20, "{}", report.archives.len());
    assert_same(&report, &ledgers);
}

/// Asserts that two snapshots are the same, and have something in them.
pub(super) fn assert_same(one: &Snapshot, other: &Snapshot) {
    let mut all = 0;
    for (series, archive) in &one.archives {
        assert_eq!(Some(archive), other.archives.get(series), "{series}");
        let [content, of_other] = [one, other].map(|run| run.contents.of(series).unwrap());
        assert_eq!(content, of_other, "{series}");
        all += content.linksets.len() + content.findings.len();
    }
    assert!(all > 100, "{all}");
    assert_eq!(one.archives.len(), other.archives.len());
    let rest = |run: &Snapshot| {
        (
            run.provenance.clone(),
            run.identities.clone(),
            run.inputs.clone(),
            run.superseded.clone(),
            run.older,
        )
    };
    assert_eq!(rest(one), rest(other));
}

/// Returns a region with these objects, in this order.
fn region(objects: &[(&str, u32, f64)]) -> Vec<u8> {
    let region = Archive::new(&control(&uuid(0x4e4e_4e4e, 1), "256,256"))
        .add("settings/Somewhere.xml", settings("1"))
        .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, 1)), "a note");
    let object = |region: Archive, &(name, number, distance): &(&str, u32, f64)| {
        let far = Prim { offset: [distance, 0.0, 0.0], ..Prim::new("Far end", number + 1) };
        region.add(&format!("objects/{name}.xml"), xml2(&[Prim::new(name, number), far]))
    };
    objects.iter().fold(region, object).gzip()
}

/// Returns the changes between the reports in two folders.
fn between(desk: &Desk, old: &str, new: &str) -> Vec<Change> {
    let [old, new] = [old, new].map(|folder| of_report(desk, folder));
    let mut rows = Vec::new();
    let changes = Changes::between(&old, &new, &desk.at(".")).unwrap();
    let some = |some: &[Change]| {
        rows.extend_from_slice(some);
        Ok(())
    };
    changes.write(0, some).unwrap();
    rows
}

/// Returns the changes of one kind as short lines.
fn change_lines(changes: &[Change], what: What) -> Vec<String> {
    let rows = changes.iter().filter(|row| row.what == what);
    let words = |row: &Change| {
        let code = row.code.map_or(row.name.as_str(), |code| code.name());
        format!("{} {code} {}", row.became.name(), row.measure.unwrap_or_default()).trim().to_owned()
    };
    rows.map(words).collect()
}

const CHAIR: (&str, u32, f64) = ("Chair", 10, 1.0);
const TABLE: (&str, u32, f64) = ("Table", 20, 1.0);
/// Too far away for one linkset.
const BRIDGE: (&str, u32, f64) = ("Bridge", 30, 60.0);

#[test]
fn another_date_and_another_order_are_no_change() {
    let desk = Desk::with(&[
        ("old/Here_2026_11_20_04_00_00.oar", &region(&[CHAIR, TABLE, BRIDGE])),
        ("new/Here_2026_11_21_04_00_00.oar", &region(&[BRIDGE, TABLE, CHAIR])),
    ]);
    desk.run_to(DONE, "audit old --out a --ledgers kept-a -q");
    desk.run_to(DONE, "audit new --out b --ledgers kept-b -q");
    assert_eq!(between(&desk, "a", "b"), []);
    assert_eq!(between(&desk, "a", "a"), []);
    let run = desk.run_to(DONE, "diff kept-a b --fail-on-new info --out out --format csv,html,xlsx");
    let nothing = "Nothing changed. Compared: 1 archive, 1 region and 3 objects.";
    assert!(run.stdout.contains(nothing), "{}", run.stdout);
    let page = fs::read_to_string(desk.at("out/changes.html")).unwrap();
    assert!(page.contains(nothing) && !page.contains("id=\"worse\""));
    assert_eq!(desk.column("out", "changes", "change"), [""; 0]);
}

#[test]
fn dates_of_folders_decide_which_archive_is_the_newest() {
    let desk = Desk::with(&[
        ("x/2026y_11M_9d/Here.oar", &region(&[CHAIR, BRIDGE])),
        // By name it is the first.
        ("x/2026y_11M_10d/Here.oar", &region(&[CHAIR, TABLE])),
    ]);
    desk.run_to(DONE, "audit x --out old -q");
    let night = of_report(&desk, "old");
    let names: Vec<&str> = night.archives.values().map(|archive| &*archive.input.name).collect();
    assert_eq!(names, ["x/2026y_11M_10d/Here.oar"]);
    assert_eq!(night.older, 1);
    // The next run has a newer copy. All errors are in copies that do not count.
    desk.write("x/2026y_11M_11d/Here.oar", region(&[CHAIR, TABLE, BRIDGE]));
    desk.run_to(DONE, "audit x --out new -q --baseline old");
    let [codes, archives, news] =
        ["code", "archive", "baseline_status"].map(|name| desk.column("new", "findings", name));
    let rows = codes.into_iter().zip(archives).zip(news);
    let wide: Vec<_> =
        rows.filter(|((code, _), _)| code == "LNK001").map(|((_, name), news)| (name, news)).collect();
    let row = |name: &str, news: &str| (name.to_owned(), news.to_owned());
    assert_eq!(wide, [row("x/2026y_11M_11d/Here.oar", "new")]);
}

#[test]
fn changes_are_reported_and_reversed_in_the_opposite_direction() {
    let farther = ("Bridge", 30, 70.0);
    let desk =
        Desk::with(&[("a/Here.oar", &region(&[CHAIR, BRIDGE])), ("b/Here.oar", &region(&[TABLE, farther]))]);
    desk.run_to(DONE, "audit a --out old -q");
    desk.run_to(DONE, "audit b --out new -q");
    let (there, back) = (between(&desk, "old", "new"), between(&desk, "new", "old"));
    assert!(change_lines(&there, What::Finding).contains(&"worse LNK001 measured".into()), "{there:?}");
    assert!(change_lines(&back, What::Finding).contains(&"better LNK001 measured".into()), "{back:?}");
    let mut objects = change_lines(&there, What::Object);
    objects.sort();
    assert_eq!(objects, ["added Table land_impact", "removed Chair land_impact"]);
    let mirrored = |became| match became {
        ChangeKind::New => ChangeKind::Gone,
        ChangeKind::Gone => ChangeKind::New,
        ChangeKind::Worse => ChangeKind::Better,
        ChangeKind::Better => ChangeKind::Worse,
        ChangeKind::Added => ChangeKind::Removed,
        ChangeKind::Removed => ChangeKind::Added,
        ChangeKind::Increased => ChangeKind::Decreased,
        ChangeKind::Decreased => ChangeKind::Increased,
        same => same,
    };
    let key = |row: &Change, became: ChangeKind| {
        format!(
            "{:?} {:?} {:?} {:?} {:?} {:?}",
            became, row.what, row.code, row.object_uuid, row.measure, row.fingerprint
        )
    };
    let mut there: Vec<_> = there.iter().map(|row| key(row, mirrored(row.became))).collect();
    let mut back: Vec<_> = back.iter().map(|row| key(row, row.became)).collect();
    there.sort();
    back.sort();
    assert_eq!(there, back);
}

/// First heavier regions and objects, then new findings by severity, then what got better.
#[test]
fn what_got_worse_comes_first() {
    let lamp = ("Lamp", 40, 1.0);
    // The stairs are too long, and new.
    let stairs = ("Stairs", 50, 70.0);
    let desk = Desk::with(&[
        ("a/Here.oar", &region(&[CHAIR, BRIDGE])),
        ("b/Here.oar", &region(&[CHAIR, lamp, TABLE, stairs])),
    ]);
    desk.run_to(DONE, "audit a --out old -q --now 2026-11-21T04:00:00Z");
    desk.run_to(DONE, "audit b --out new -q --now 2026-11-22T04:00:00Z");
    let changes = between(&desk, "old", "new");
    let rows = changes.iter().filter(|row| row.what != What::Archive);
    let lines: Vec<String> = rows
        .map(|row| {
            let subject = row.code.map_or(row.name.as_str(), |code| code.name());
            let more = row.difference().map_or(String::new(), |more| format!(" {more}"));
            format!("{} {subject} {}{more}", row.became.name(), row.measure.unwrap_or_default())
        })
        .collect();
    let expected = [
        "increased Somewhere land_impact 4",
        "added Lamp land_impact 2",
        "added Stairs land_impact 2",
        "added Table land_impact 2",
        "new LNK001 ",
        "removed Bridge land_impact -2",
        "gone LNK001 ",
    ];
    assert_eq!(lines[..expected.len()], expected, "{lines:?}");

    let run = desk.run_to(DONE, "diff old new --out out --format html");
    let (before, after) = (
        "From old (2026-11-21 04:00) to new (2026-11-22 04:00).",
        "Worse: land impact +4 in 1 region; 1 new finding (1 error).",
    );
    assert!(run.stdout.starts_with(&format!("{before}\n{after}\n")), "{}", run.stdout);
    let page = fs::read_to_string(desk.at("out/changes.html")).unwrap();
    assert!(page.contains("<title>hullmark: what changed from old to new</title>"));
    let at = |text: &str, words: &str| text.find(words).unwrap_or_else(|| panic!("{words}: {text}"));
    for text in [&run.stdout, &page] {
        let titles = ["Heavier, by land impact", "New ", "Archives", "Lighter, by land impact", "Resolved"];
        let places = titles.map(|title| at(text, title));
        assert!(places.is_sorted(), "{places:?}: {text}");
    }
    assert!(page.contains("<b>Somewhere</b> <span class=\"impact\">+4</span> <span>4 → 8</span>"));

    // The page of an audit has the same lists.
    desk.run_to(DONE, "audit b --out again -q --baseline old --now 2026-11-22T04:00:00Z");
    let page = fs::read_to_string(desk.at("again/audit.html")).unwrap();
    assert!(page.contains("From old (2026-11-21 04:00) to this run (2026-11-22 04:00)."));
    assert!(at(&page, "Heavier, by land impact") < at(&page, "Lighter, by land impact"));
}

#[test]
fn unread_inputs_are_not_gone_and_a_missing_archive_hides_nothing() {
    let desk = Desk::with(&[("a/Here.oar", &faulty()), ("b/Here.oar", &truncated())]);
    desk.run_to(DONE, "audit a --out old -q");
    desk.run_to(INCOMPLETE, "audit b --out new -q");
    let changes = between(&desk, "old", "new");
    assert!(
        changes.iter().all(|row| !matches!(row.became, ChangeKind::Gone | ChangeKind::Removed)),
        "{changes:?}"
    );
    let elsewhere =
        Archive::new(&control(&uuid(0x4e4e_4e4e, 2), "256,256")).add("settings/Elsewhere.xml", settings("1"));
    desk.write("c/Elsewhere.oar", elsewhere.gzip());
    desk.run_to(DONE, "audit c --out none -q");
    let changes = between(&desk, "old", "none");
    assert!(change_lines(&changes, What::Archive).contains(&"removed".into()), "{changes:?}");
    assert!(changes.iter().all(|row| row.became != ChangeKind::Gone), "{changes:?}");
}

#[test]
fn a_run_is_compared_with_the_one_before_in_the_same_folder() {
    let desk = Desk::with(&[("x/Here.oar", &sound())]);
    let audit = "audit x --out report --baseline report --fail-on-new error";
    let run = desk.run_to(DONE, audit);
    assert!(run.stderr.contains("nothing to compare with"), "{}", run.stderr);
    assert!(!desk.at("report/changes.csv").exists());
    desk.write("x/Here.oar", faulty());
    let run = desk.run_to(FINDINGS, &format!("{audit} --format csv,html,xlsx"));
    assert!(run.stdout.contains("New or worse, with the first finding of each rule"), "{}", run.stdout);
    assert!(desk.column("report", "findings", "baseline_status").contains(&"new".into()));
    assert!(desk.audit_json("report")["changes"]["counts"]["new"]["error"].as_u64() > Some(0));
    // In the next run nothing is new, although all errors are still there.
    desk.run_to(DONE, &format!("{audit} --format csv"));
    let news = desk.column("report", "findings", "baseline_status");
    assert!(!news.is_empty() && news.iter().all(|news| news == "known"), "{news:?}");
    assert!(!desk.at("report/audit.html").exists(), "the page of the night before is not this night's");
    // A run without an earlier run removes the files of changes, regardless of their origin.
    desk.run_to(DONE, "diff report report --out report -q");
    assert!(desk.at("report/changes.json").exists() && desk.at("report/findings.csv").exists());
    desk.write("report/notes.txt", "my own");
    desk.run_to(DONE, "audit x --out report -q");
    let left: Vec<String> = desk.files("report").into_keys().collect();
    assert!(
        !left.iter().any(|name| name.starts_with("changes")) && left.contains(&"notes.txt".into()),
        "{left:?}"
    );
}

#[test]
fn ledgers_are_compared_by_the_waivers_in_force() {
    let desk = Desk::with(&[("a/Here.oar", &sound()), ("b/Here.oar", &faulty())]);
    desk.run_to(DONE, "scan a --ledgers old -q");
    desk.run_to(DONE, "scan b --ledgers new -q");
    let waiver = "[[waiver]]\ncode = 'LNK001'\nplace = '*'\nreason = 'x'\nwho = 'Ann'\nuntil = 2026-11-30\n";
    desk.write("ours.toml", waiver);
    desk.write("settings.toml", "[waivers]\nfile = 'ours.toml'\n");
    let diff = "diff old new -q --fail-on-new error --now 2026-11-21T12:00:00Z";
    desk.run_to(FINDINGS, diff);
    desk.run_to(DONE, &format!("{diff} --waivers ours.toml"));
    desk.run_to(DONE, &format!("{diff} --config settings.toml"));
}

#[test]
fn a_report_without_tables_is_refused() {
    let desk = Desk::with(&[("x/Here.oar", &sound())]);
    desk.run_to(DONE, "audit x --out old --format html -q");
    let run = desk.run_to(USAGE, "diff old old");
    assert!(run.stderr.contains("csv"), "{}", run.stderr);
    let run = desk.run_to(USAGE, "diff nowhere old");
    assert!(run.stderr.contains("nowhere does not exist"), "{}", run.stderr);
}

//! Expected archives that are absent or too old.

use super::{PARTIAL, unknown};
use crate::support::{
    archive::{Archive, control},
    backups::{Backup, WHOLE, archive_of_regions, backup_name, history_findings, sample_flag},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE},
    object::{Prim, uuid, xml2},
};
use hullmark_report::diff;
use std::{
    fs::File,
    time::{Duration, SystemTime},
};

/// Audits at this time with these expectations. Returns the findings.
fn expecting(desk: &Desk, expected: &str, now: &str) -> Vec<[String; 3]> {
    desk.write("expected.toml", format!("[expected]\n{expected}\n"));
    desk.run_to(DONE, &format!("audit exports --out report -q --config expected.toml --now {now}"));
    history_findings(desk, "report")
}

/// One day and one hour after the export was made.
const NEXT_DAY: &str = "2017-07-15T03:40:00Z";

#[test]
fn an_expected_archive_that_is_absent_has_a_row() {
    let desk = Desk::with(&[]);
    desk.write(&format!("exports/{}", backup_name(9)), WHOLE.gzip());
    let region = uuid(0x4e4e_4e4e, 9);
    let there = format!("names = ['here', '{region}', 'Here_*.oar', '*.[oi]ar', '{}']", backup_name(9));
    assert!(expecting(&desk, &there, NEXT_DAY).is_empty());

    desk.write("list.txt", "# regions\nHERE\n\n  Harbour  \n");
    let absent = expecting(&desk, "names = ['*.iar']\nlist = 'list.txt'", NEXT_DAY);
    let message = |name: &str| {
        format!(
            "The expected archive \"{name}\" is absent or too old: no archive and no region has this name"
        )
    };
    let row = |name: &str| [name.to_owned(), "HIS002".to_owned(), message(name)];
    assert_eq!(absent, [row("*.iar"), row("Harbour")]);
    assert_eq!(desk.column("report", "archives", "kind"), ["oar", "absent", "absent"]);
    assert_eq!(desk.column("report", "archives", "blockers"), ["0", "1", "1"]);
    let audit = desk.audit_json("report");
    assert_eq!(audit["totals"]["inputs"], 1);
    assert_eq!(audit["complete"], true);
    assert_eq!(audit["findings"]["blocker"], 2);
    assert_eq!(audit["checks"]["HIS002"]["failed"], 2);
    assert_eq!(audit["checks"]["HIS002"]["passed"], 1);
    // The archives.csv of that run can be read again.
    assert_eq!(
        diff::of_report(&desk.at("report"), &desk.at("."), diff::Extent::Objects).unwrap().inputs.len(),
        1
    );
    // Other formats name the expected archive too, and a report of one region does not omit it.
    desk.run_to(
        FINDINGS,
        &format!(
            "audit exports --out other -q --config expected.toml --now {NEXT_DAY} --fail-on blocker --region Here \
             --format csv,jsonl,xlsx,html,sarif,junit"
        ),
    );
    assert_eq!(history_findings(&desk, "other").len(), 2);
    for file in ["audit.html", "audit.sarif", "audit.junit.xml", "findings.jsonl"] {
        let text = String::from_utf8(desk.files("other").remove(file).unwrap()).unwrap();
        assert!(text.contains("Harbour"), "{file}");
    }
    desk.run_to(DONE, "audit exports --out other -q --config expected.toml --ignore HIS --fail-on blocker");
    assert_eq!(desk.column("other", "archives", "kind"), ["oar"]);
}

#[test]
fn loose_files_are_no_expected_archive() {
    let desk = Desk::with(&[("exports/A.oar/x.txt", b"nothing to load")]);
    desk.write("exports/Object.xml", xml2(&[Prim::new("Box", 100)]));
    desk.write("exports/B.oar", b"no archive at all");
    desk.write("exports/C.oar", b"");
    let whole = WHOLE.gzip();
    desk.write("exports/D.oar", &whole[..whole.len() / 2]);
    for max_age in ["", "36h"] {
        let expected = format!("names = ['A', 'B', 'C', 'D', 'exports', '*.oar']\nmax_age = '{max_age}'");
        desk.write("expected.toml", format!("[expected]\n{expected}\n"));
        desk.run_to(
            INCOMPLETE,
            &format!("audit exports --out report -q --config expected.toml --now {NEXT_DAY}"),
        );
        let absent: Vec<String> =
            history_findings(&desk, "report").into_iter().map(|[archive, ..]| archive).collect();
        // An archive that was cut exists. A file that is no archive at all counts as absent.
        assert_eq!(absent, ["A", "B", "C", "exports"], "{max_age}");
    }
    // With an archive.xml, the folder counts as an unpacked archive.
    desk.write("exports/A.oar/archive.xml", control(&uuid(0x4e4e_4e4e, 9), "256,256"));
    desk.run_to(INCOMPLETE, "audit exports --out report -q --config expected.toml");
    assert!(!history_findings(&desk, "report").iter().any(|[archive, ..]| archive == "A"));
}

/// Returns the backup as that of another region.
fn of_other_region(backup: &Backup) -> Vec<u8> {
    let mut archive = backup.archive();
    let control = String::from_utf8(archive.members[0].1.clone()).unwrap();
    archive.members[0].1 = control.replace(&uuid(0x4e4e_4e4e, 9), &uuid(0x4e4e_4e4e, 8)).into_bytes();
    archive.gzip()
}

#[test]
fn an_expected_archive_may_be_too_old() {
    let desk = Desk::with(&[]);
    desk.write(&format!("exports/{}", backup_name(9)), WHOLE.gzip());
    let old = expecting(&desk, "names = ['here']", "2017-07-15T14:46:00Z");
    assert_eq!(
        old[0][2],
        "The expected archive \"here\" is absent or too old: the newest is 36.1 h old, 36 h are allowed"
    );
    assert!(old[0][0].ends_with(&backup_name(9)) && old.len() == 1, "{old:?}");
    assert!(expecting(&desk, "names = ['here']", "2017-07-15T14:39:00Z").is_empty());
    assert!(expecting(&desk, "names = ['here']\nmax_age = ''", "2026-01-01T00:00:00Z").is_empty());
    assert_eq!(expecting(&desk, "names = ['here']\nmax_age = '1day'", NEXT_DAY).len(), 1);
    // A name needs one archive that is young enough. A pattern needs one in each series.
    desk.write(&format!("exports/{}", backup_name(10)), Backup { created: "1500086400", ..WHOLE }.gzip());
    desk.write("exports/Old-2016-01-01.oar", of_other_region(&Backup { created: "1451606400", ..WHOLE }));
    assert!(expecting(&desk, "names = ['here']", "2017-07-16T10:00:00Z").is_empty());
    let old = expecting(&desk, "names = ['*.oar', 'old']", "2017-07-16T10:00:00Z");
    assert!(old.len() == 1 && old[0][0].contains("Old-2016"), "{old:?}");
}

#[test]
fn an_archive_that_is_too_old_gets_no_worse_by_getting_older() {
    let desk = Desk::with(&[("exports/Here.oar", &WHOLE.gzip())]);
    desk.write("expected.toml", "[expected]\nnames = ['here']\n");
    let news = |now: &str| {
        let baseline = "--baseline report --fail-on-new info --config expected.toml";
        desk.run(&format!("audit exports --out report -q {baseline} --now {now}"));
        let codes = desk.column("report", "findings", "code");
        let place = codes.iter().position(|code| code == "HIS002").unwrap();
        let news = desk.column("report", "findings", "baseline_status").get(place).cloned().unwrap();
        (news, desk.audit_json("report")["changes"]["counts"]["worse"]["blocker"].clone())
    };
    desk.run_to(DONE, "audit exports --out report -q");
    assert_eq!(news("2017-07-16T12:00:00Z"), ("new".into(), 0.into()));
    assert_eq!(news("2017-07-17T12:00:00Z"), ("known".into(), 0.into()));
    // A newer save that is still too old is better.
    desk.write("exports/Here.oar", Backup { created: "1500080000", ..WHOLE }.gzip());
    news("2017-07-17T12:00:00Z");
    assert_eq!(desk.audit_json("report")["changes"]["counts"]["better"], 1);
}

#[test]
fn the_date_in_a_name_has_no_time_zone() {
    let desk = Desk::with(&[]);
    let name = "exports/People-2026-11-22_04-00-00.iar";
    let inventory = Archive::new("<archive major_version=\"0\" minor_version=\"3\"/>")
        .add("inventory/__folder_metadata.xml", "<Folder/>");
    desk.write(name, inventory.gzip());
    let changed = |hours: u64| {
        // 22 November 2026, 4:00.
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_320_000 + 3600 * hours);
        File::options().append(true).open(desk.at(name)).unwrap().set_modified(time).unwrap();
    };
    let evaluate = |now: &str| {
        let reported = expecting(&desk, "names = ['people']", now).len();
        let codes = desk.column("report", "checks", "code");
        let unknown = desk.column("report", "checks", "not_evaluated");
        (reported, unknown[codes.iter().position(|code| code == "HIS002").unwrap()].clone())
    };
    // The file was copied a month later, so only the date in its name counts.
    changed(30 * 24);
    assert_eq!(evaluate("2026-11-23T01:00:00Z"), (0, "0".into()), "21 hours, 35 at most");
    assert_eq!(evaluate("2026-11-23T10:00:00Z"), (0, "1".into()), "30 hours, and 18 to 44 are possible");
    assert_eq!(evaluate("2026-11-24T05:00:00Z"), (1, "0".into()), "49 hours, 37 at least");
    // The time of the file is possible according to the name.
    changed(2);
    assert_eq!(evaluate("2026-11-23T10:00:00Z"), (0, "0".into()), "28 hours");
    assert_eq!(evaluate("2026-11-23T20:00:00Z"), (1, "0".into()), "38 hours");
}

#[test]
fn wrong_expectations_are_refused_before_anything_is_read() {
    let desk = Desk::with(&[("a.oar", b"")]);
    for (text, said) in [
        ("names = ['Welcome[']", "`Welcome[` is not a valid pattern"),
        ("list = 'nowhere.txt'", "nowhere.txt cannot be read"),
        ("max_age = 'soon'", "`soon` is not an age: use for example 36h"),
        ("nmes = []", "did you mean `names`?"),
    ] {
        desk.write("expected.toml", format!("[expected]\n{text}\n"));
        let run = desk.run_to(USAGE, "audit a.oar --out report --config expected.toml");
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert!(!desk.at("report/audit.json").exists());
    }
}

#[test]
fn a_partial_run_also_checks_expected_archives() {
    let desk = Desk::with(&[("exports/Here.oar", &WHOLE.gzip())]);
    let isles = |region| archive_of_regions(&[(region, 20), ("Zoo", 20)]).gzip();
    desk.write("exports/isles.oar", isles("Hill"));
    desk.run_to(DONE, "scan exports --ledgers kept -q --now 2026-11-20T00:00:00Z");
    desk.write("exports/isles.oar", isles("Quay"));
    let left = sample_flag(&[], &["exports/isles.oar", "exports/Shop-2026-11-20.oar"]).unwrap();
    let night = |expected: &str| {
        desk.write("expected.toml", format!("[expected]\n{expected}\n"));
        let flags = "--out report --ledgers kept -q --config expected.toml --now 2017-07-15T03:40:00Z";
        desk.run_to(DONE, &format!("audit exports {flags} --sample {left}"));
        let absent =
            history_findings(&desk, "report").into_iter().map(|[archive, ..]| archive).collect::<Vec<_>>();
        (absent, unknown(&desk, "report", "HIS002"))
    };
    let run = |count: u32| vec![(String::new(), PARTIAL.replace('1', &count.to_string()))];
    // The covered archive is young enough. The other one exists, but its age is unknown.
    assert_eq!(
        night("names = ['Here', 'Harbour', 'harbour.oar']"),
        (vec!["Harbour".into(), "harbour.oar".into()], vec![])
    );
    assert_eq!(night("names = ['isles', 'Hill']"), (vec![], run(2)));
    assert_eq!(night("names = ['isles', 'Hill', 'Attic*']\nmax_age = ''"), (vec!["Attic*".into()], vec![]));
    // An archive that was never read may contain any region, but it is not another file.
    desk.write("exports/Shop-2026-11-20.oar", of_other_region(&WHOLE));
    assert_eq!(
        night("names = ['Harbour', 'harbour.oar', 'Shop']\nmax_age = ''"),
        (vec!["harbour.oar".into()], run(1))
    );
    // If the newest archive of a series is not covered, the series is not reported as too old.
    desk.write("exports/Shop-2026-11-19.oar", of_other_region(&Backup { created: "1400000000", ..WHOLE }));
    desk.run_to(DONE, "scan exports/Shop-2026-11-19.oar --ledgers kept -q");
    let partial = vec![("Shop-2026-11-19.oar".to_owned(), PARTIAL.to_owned())];
    assert_eq!(night("names = ['Shop']"), (vec![], partial));
}

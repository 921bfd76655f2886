//! Sequences of backups, made by editing archives: what tells that a backup has failed, and what does not.

use crate::{
    cli::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE},
    support::{
        archive::{Archive, control, control_of_many, gzip, settings},
        object::{Prim, uuid, xml2},
    },
};
use hullmark::{
    ledger,
    report::{self, Manifest, Reports, diff},
    rules::history::History,
    scan::order::is_in_sample,
    scan::plan::share::Share,
    settings::{config::Config, profile::Profile},
};
use std::{
    fs::File,
    time::{Duration, SystemTime},
};

/// A region with so many objects and assets of so many bytes.
pub(crate) struct Backup {
    pub(crate) objects: u32,
    pub(crate) assets: u32,
    pub(crate) bytes: usize,
    pub(crate) created: &'static str,
}

/// Nothing is wrong with it.
pub(crate) const WHOLE: Backup = Backup { objects: 40, assets: 20, bytes: 9, created: "1500000000" };

impl Backup {
    fn archive(&self) -> Archive {
        let control = control(&uuid(0x4e4e_4e4e, 9), "256,256").replace("1500000000", self.created);
        let region = Archive::new(&control).add("settings/Here.xml", settings("1"));
        let region = (0..self.objects).fold(region, |region, number| {
            region.add(&format!("objects/{number}.xml"), xml2(&[Prim::new("Box", 100 + number)]))
        });
        (0..self.assets).fold(region, |region, number| {
            region.add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, number)), vec![b'n'; self.bytes])
        })
    }

    pub(crate) fn gzip(&self) -> Vec<u8> {
        self.archive().gzip()
    }
}

/// The name of the backup of a day, as AutoBackup writes it: the tenth stands before the ninth.
pub(crate) fn named(day: u32) -> String {
    format!("Here_2026y_11M_{day}d_4h_0m_7s.oar")
}

/// The findings of the family in a report: archive, code and message.
pub(crate) fn told(desk: &Desk, report: &str) -> Vec<[String; 3]> {
    let column = |name| desk.column(report, "findings", name);
    let rows = column("archive").into_iter().zip(column("code")).zip(column("message"));
    rows.map(|((archive, code), message)| [archive, code, message])
        .filter(|[_, code, _]| code.starts_with("HIS"))
        .collect()
}

/// Codes that one backup gives behind another.
fn after(old: &[u8], new: &[u8], exit: i32) -> Vec<String> {
    let desk = Desk::with(&[]);
    desk.write(&format!("exports/{}", named(9)), old);
    desk.write(&format!("exports/{}", named(10)), new);
    desk.run_to(exit, "audit exports --out report -q");
    let told = told(&desk, "report");
    let is_of = |day, archive: &str| archive.ends_with(&named(day));
    assert!(told.iter().all(|[archive, code, _]| is_of(10, archive) != (code == "HIS008")), "{told:?}");
    told.into_iter().map(|[_, code, _]| code).collect()
}

#[test]
fn what_a_failed_backup_lost_is_told_and_what_people_do_is_not() {
    const NOTHING: [&str; 0] = [];
    let with = |objects, assets, bytes| Backup { objects, assets, bytes, ..WHOLE }.gzip();
    let whole = WHOLE.gzip();
    let expect = |old: &[u8], new: &[u8], codes: &[&str]| assert_eq!(after(old, new, DONE), codes);
    expect(&whole, &whole, &NOTHING);
    expect(&whole, &WHOLE.archive().tar(), &NOTHING);
    expect(&WHOLE.archive().tar(), &whole, &NOTHING);
    // One object is deleted; half of them are; more than half are missing, or all.
    expect(&whole, &with(39, 20, 9), &NOTHING);
    expect(&whole, &with(20, 20, 9), &NOTHING);
    expect(&whole, &with(19, 20, 9), &["HIS001"]);
    expect(&whole, &with(0, 20, 9), &["HIS001"]);
    expect(&whole, &with(80, 40, 9), &NOTHING);
    // Of a small plot little can be missing.
    expect(&with(3, 1, 9), &with(1, 1, 9), &NOTHING);
    expect(&with(3, 3, 9), &with(0, 0, 9), &NOTHING);
    // Assets are missing in part, all of them, or are empty.
    expect(&whole, &with(40, 9, 9), &["HIS001"]);
    expect(&whole, &with(40, 0, 9), &["HIS005"]);
    expect(&whole, &with(40, 20, 0), &["HIS005"]);
    expect(&with(3, 3, 9), &with(3, 0, 9), &["HIS005"]);
    // As many as ever, with less in them.
    expect(&with(40, 20, 100_000), &with(40, 20, 1000), &["HIS001"]);
    // Everything at once.
    expect(&whole, &with(0, 0, 9), &["HIS001", "HIS005"]);
    expect(&whole, &Archive::default().gzip(), &["HIS001", "HIS005"]);
}

#[test]
fn the_sentence_says_how_much_is_gone_and_since_when() {
    let desk = Desk::with(&[]);
    desk.write(&named(9), WHOLE.gzip());
    desk.write(&named(10), Backup { objects: 4, assets: 2, ..WHOLE }.gzip());
    desk.run_to(FINDINGS, &format!("audit {} {} --out report -q --fail-on blocker", named(9), named(10)));
    let [_, _, message] = &told(&desk, "report")[0];
    let expected = "More than 50 % is gone: objects from 40 to 4, assets from 20 to 2, since ";
    assert_eq!(*message, format!("{expected}{}", named(9)));
    assert_eq!(desk.column("report", "archives", "blockers"), ["1", "0"], "the tenth stands first");
}

#[test]
fn what_was_not_read_to_its_end_is_not_compared() {
    let whole = WHOLE.gzip();
    let cut = &whole[..whole.len() * 2 / 3];
    assert_eq!(after(&whole, cut, INCOMPLETE), ["HIS006"]);
    assert_eq!(after(cut, &Backup { objects: 1, ..WHOLE }.gzip(), INCOMPLETE), ["HIS008"]);
    // The one before the one that was cut is.
    let desk = Desk::with(&[]);
    desk.write(&named(8), &whole);
    desk.write(&named(9), cut);
    desk.write(&named(10), Backup { objects: 1, ..WHOLE }.gzip());
    desk.run_to(INCOMPLETE, "audit . --out report -q");
    let told = told(&desk, "report");
    assert_eq!(told.iter().map(|[_, code, _]| &**code).collect::<Vec<_>>(), ["HIS001", "HIS008"]);
    assert!(told[0][2].ends_with(&named(8)), "{told:?}");
}

#[test]
fn a_broken_archive_behind_a_fall_does_not_end_it() {
    let whole = WHOLE.gzip();
    let fell = Backup { objects: 2, assets: 0, ..WHOLE }.gzip();
    let desk = Desk::with(&[]);
    desk.write(&named(9), &whole);
    desk.write(&named(10), &fell);
    desk.run_to(DONE, "audit . --out report -q");
    let first = falls(&desk);
    assert_eq!(first.len(), 2, "{first:?}");
    // One that still has its archive.xml, and one of which nothing is there.
    for (day, broken) in [(11, &fell[..fell.len() * 2 / 3]), (12, b"")] {
        desk.write(&named(day), broken);
        desk.run_to(INCOMPLETE, "audit . --out report -q");
        assert_eq!(falls(&desk), first, "{day}");
        let mut told = told(&desk, "report").into_iter();
        assert!(told.all(|[archive, code, _]| archive.ends_with(&named(10)) != (code == "HIS006")), "{day}");
    }
    // With an earlier night it is no news, and nothing of it is gone.
    desk.run_to(INCOMPLETE, "audit . --out report -q --baseline report --fail-on-new info");
    assert_eq!(falls(&desk), first);
    // The next whole one is judged again.
    desk.write(&named(13), &whole);
    desk.run_to(INCOMPLETE, "audit . --out report -q");
    assert_eq!(falls(&desk), []);
}

/// What fell, as far as a report tells, by its fingerprint.
fn falls(desk: &Desk) -> Vec<(String, String)> {
    let mut all = fingerprints(desk);
    all.retain(|(_, message)| !message.contains("was not read to its end"));
    all
}

#[test]
fn only_the_newest_is_judged_and_by_those_before_it_that_had_not_fallen() {
    let desk = Desk::with(&[]);
    let broken = Backup { objects: 2, ..WHOLE }.gzip();
    let [codes, reasons] = ["code", "because"];
    for (nights, expected) in [([1, 0, 1], 0), ([1, 0, 0], 1), ([0, 0, 1], 0), ([1, 1, 0], 1)] {
        for (day, whole) in (9..).zip(nights) {
            desk.write(&named(day), if whole == 1 { WHOLE.gzip() } else { broken.clone() });
        }
        desk.run_to(DONE, "audit . --out report -q");
        assert_eq!(told(&desk, "report").len(), expected, "{nights:?}");
    }
    let checks = desk.column("report", "checks", codes).into_iter();
    let fell = checks.zip(desk.column("report", "checks", reasons)).filter(|(code, _)| code == "HIS001");
    assert_eq!(fell.map(|(_, because)| because).collect::<Vec<_>>(), [""], "one has rows");
    desk.run_to(DONE, "audit . --out report -q --all-copies");
    let checks = desk.column("report", "checks", codes).into_iter();
    let fell = checks.zip(desk.column("report", "checks", reasons)).filter(|(code, _)| code == "HIS001");
    let older = "it is not the newest copy (1)";
    assert_eq!(fell.map(|(_, because)| because).collect::<Vec<_>>(), [older, "", older], "10, 11, 9");
}

#[test]
fn the_fall_that_is_told_is_the_last_that_was_not_made_good() {
    // Objects from day to day, and the days since when the newest has fallen.
    for (objects, since) in [
        (&[40, 2, 2][..], &[1][..]),
        (&[40, 2, 3, 2], &[1]),
        (&[40, 2, 38, 2], &[3]),
        // The second fall does not make the first one good.
        (&[100, 2, 40, 2, 2], &[3, 1]),
        (&[100, 40, 12, 4], &[2, 1]),
        // What is made good by half is made good.
        (&[40, 2, 20], &[]),
        (&[40, 2, 38, 36], &[]),
        // Little by little is how people clear a place.
        (&[80, 60, 45, 30, 20], &[]),
        (&[200, 60, 45, 35], &[1]),
    ] {
        let desk = Desk::with(&[]);
        for (day, &objects) in (1..).zip(objects) {
            desk.write(&named(day), Backup { objects, ..WHOLE }.gzip());
        }
        desk.run_to(DONE, "audit . --out report -q");
        let told = told(&desk, "report");
        let days: Vec<&str> = told.iter().map(|[.., message]| message.rsplit(' ').next().unwrap()).collect();
        assert_eq!(days, since.iter().copied().map(named).collect::<Vec<_>>(), "{objects:?}");
    }
}

#[test]
fn each_fall_is_a_finding_of_its_own() {
    let night = |objects: &[u32]| {
        let desk = Desk::with(&[]);
        for (day, &objects) in (1..).zip(objects) {
            desk.write(&named(day), Backup { objects, ..WHOLE }.gzip());
        }
        desk.run_to(DONE, "audit . --out report -q");
        let codes = desk.column("report", "findings", "code");
        let place = codes.iter().position(|code| code == "HIS001").unwrap();
        desk.column("report", "findings", "fingerprint").remove(place)
    };
    let first = night(&[40, 2]);
    assert_eq!(night(&[40, 2, 3]), first, "who waived it has waived it");
    assert_ne!(night(&[40, 2, 40, 2]), first, "who waived the first has not waived the second");
}

/// An archive of several regions: of each its name and how many objects it has.
pub(crate) fn of_regions(regions: &[(&str, u32)]) -> Archive {
    let id = |name: &str| uuid(0x4e4e_4e4e, u32::from(name.as_bytes()[0]));
    let listed: Vec<_> = regions.iter().map(|(name, _)| (id(name), format!("1_1_{name}"))).collect();
    let cells = listed.iter().map(|(id, folder)| Some((&**id, &**folder, "256,256"))).collect();
    let mut archive = Archive::new(&control_of_many(&[cells]));
    for (name, objects) in regions {
        let folder = format!("regions/1_1_{name}");
        archive = archive.add(&format!("{folder}/settings/{name}.xml"), settings("1"));
        for number in 0..*objects {
            let prim = Prim::new("Box", 1000 * u32::from(name.as_bytes()[0]) + number);
            archive = archive.add(&format!("{folder}/objects/{number}.xml"), xml2(&[prim]));
        }
    }
    archive.add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, 1)), "a note")
}

#[test]
fn a_region_that_empties_among_others_is_told() {
    let whole = [("Hill", 60), ("Quay", 20), ("Shop", 20), ("Town", 20), ("Zoo", 20)];
    for (now, expected) in [
        (&[("Hill", 60), ("Quay", 20), ("Shop", 20), ("Town", 20), ("Zoo", 10)][..], None),
        (
            &[("Hill", 60), ("Quay", 2), ("Shop", 20), ("Town", 20), ("Zoo", 20)],
            Some("objects in Quay from 20 to 2"),
        ),
        (&[("Hill", 60), ("Quay", 20), ("Shop", 20), ("Town", 20)], Some("objects in Zoo from 20 to 0")),
        (
            &[("Hill", 90), ("Quay", 0), ("Shop", 0), ("Town", 0), ("Zoo", 0)],
            Some(
                "objects in Quay from 20 to 0, objects in Shop from 20 to 0, objects in Town from 20 to 0, and in 1 \
                 more region",
            ),
        ),
        // The sum says it.
        (
            &[("Hill", 0), ("Quay", 20), ("Shop", 20), ("Town", 0), ("Zoo", 20)],
            Some("objects from 140 to 60"),
        ),
    ] {
        let desk = Desk::with(&[]);
        desk.write("exports/Here-2026-11-09.oar", of_regions(&whole).gzip());
        desk.write("exports/Here-2026-11-10.oar", of_regions(now).gzip());
        desk.run_to(DONE, "audit exports --out report -q");
        // A night that was read from its tables knows as much.
        desk.run_to(DONE, "audit exports/Here-2026-11-09.oar --out old -q");
        desk.run_to(DONE, "audit exports/Here-2026-11-10.oar --out new --baseline old -q");
        for report in ["report", "new"] {
            let told = told(&desk, report);
            let message =
                expected.map(|words| format!("More than 50 % is gone: {words}, since Here-2026-11-09.oar"));
            assert_eq!(told.first().map(|[.., message]| message), message.as_ref(), "{report}");
        }
    }
}

#[test]
fn archives_of_one_thing_are_those_whose_paths_differ_in_dates_only() {
    let small = Backup { objects: 1, assets: 1, ..WHOLE }.gzip();
    for (old, new, series) in [
        ("2026-11-09/Here.oar", "2026-11-10/Here.oar", true),
        ("Here-20261109.oar", "Here-20261110.oar", true),
        ("Here.oar", "Here-20261110.oar", false),
        ("Here-20261109.oar", "There-20261110.oar", false),
        ("a/Here-20261109.oar", "b/Here-20261110.oar", false),
    ] {
        let desk = Desk::with(&[]);
        desk.write(&format!("exports/{old}"), WHOLE.gzip());
        desk.write(&format!("exports/{new}"), &small);
        desk.run_to(DONE, "audit exports --out report -q");
        assert_eq!(!told(&desk, "report").is_empty(), series, "{old} {new}");
        // Nor are backups of one region told to be copies of it.
        let copies = desk.column("report", "findings", "code").iter().any(|code| code == "XAR001");
        assert_eq!(copies, !series, "{old} {new}");
    }
    // The export's own time orders them before the names do.
    let desk = Desk::with(&[]);
    desk.write(&named(9), Backup { created: "1500000002", ..WHOLE }.gzip());
    desk.write(&named(10), Backup { objects: 1, created: "1500000001", ..WHOLE }.gzip());
    desk.run_to(DONE, "audit . --out report -q");
    assert!(told(&desk, "report").is_empty());
}

/// Audits with these expectations at this time: the findings.
fn expecting(desk: &Desk, expected: &str, now: &str) -> Vec<[String; 3]> {
    desk.write("expected.toml", format!("[expected]\n{expected}\n"));
    desk.run_to(DONE, &format!("audit exports --out report -q --config expected.toml --now {now}"));
    told(desk, "report")
}

/// An hour and a day after the export was made.
const NEXT_DAY: &str = "2017-07-15T03:40:00Z";

#[test]
fn an_expected_archive_that_is_absent_has_a_row() {
    let desk = Desk::with(&[]);
    desk.write(&format!("exports/{}", named(9)), WHOLE.gzip());
    let region = uuid(0x4e4e_4e4e, 9);
    let there = format!("names = ['here', '{region}', 'Here_*.oar', '*.[oi]ar', '{}']", named(9));
    assert!(expecting(&desk, &there, NEXT_DAY).is_empty());

    desk.write("list.txt", "# regions\nHERE\n\n  Harbour  \n");
    let absent = expecting(&desk, "names = ['*.iar']\nlist = 'list.txt'", NEXT_DAY);
    let message = |name: &str| {
        format!("The archive \"{name}\" is expected: there is no archive and no region of that name")
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
    // The archives.csv of that night is read again.
    assert_eq!(diff::of_report(&desk.at("report")).unwrap().inputs.len(), 1);
    // Other formats know it, and a report of one region does not forget it.
    desk.run_to(
        FINDINGS,
        &format!(
            "audit exports --out other -q --config expected.toml --now {NEXT_DAY} --fail-on blocker --region Here \
             --format csv,jsonl,xlsx,html,sarif,junit"
        ),
    );
    assert_eq!(told(&desk, "other").len(), 2);
    for file in ["audit.html", "audit.sarif", "audit.junit.xml", "findings.jsonl"] {
        let text = String::from_utf8(desk.files("other").remove(file).unwrap()).unwrap();
        assert!(text.contains("Harbour"), "{file}");
    }
    desk.run_to(DONE, "audit exports --out other -q --config expected.toml --ignore HIS --fail-on blocker");
    assert_eq!(desk.column("other", "archives", "kind"), ["oar"]);
}

#[test]
fn loose_files_are_no_archive_that_is_expected() {
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
        let absent: Vec<String> = told(&desk, "report").into_iter().map(|[archive, ..]| archive).collect();
        // What could not be read to its end is there; what was never begun is not.
        assert_eq!(absent, ["A", "B", "C", "exports"], "{max_age}");
    }
    // Unpacked it is an archive.
    desk.write("exports/A.oar/archive.xml", control(&uuid(0x4e4e_4e4e, 9), "256,256"));
    desk.run_to(INCOMPLETE, "audit exports --out report -q --config expected.toml");
    assert!(!told(&desk, "report").iter().any(|[archive, ..]| archive == "A"));
}

#[test]
fn an_expected_archive_may_be_too_old() {
    let desk = Desk::with(&[]);
    desk.write(&format!("exports/{}", named(9)), WHOLE.gzip());
    let old = expecting(&desk, "names = ['here']", "2017-07-15T14:46:00Z");
    assert_eq!(old[0][2], "The archive \"here\" is expected: the newest is 36.1 h old");
    assert!(old[0][0].ends_with(&named(9)) && old.len() == 1, "{old:?}");
    assert!(expecting(&desk, "names = ['here']", "2017-07-15T14:39:00Z").is_empty());
    assert!(expecting(&desk, "names = ['here']\nmax_age = ''", "2026-01-01T00:00:00Z").is_empty());
    assert_eq!(expecting(&desk, "names = ['here']\nmax_age = '1day'", NEXT_DAY).len(), 1);
    // One of a name is enough; of a pattern one of each thing.
    desk.write(&format!("exports/{}", named(10)), Backup { created: "1500086400", ..WHOLE }.gzip());
    desk.write("exports/Old-2016-01-01.oar", Backup { created: "1451606400", ..WHOLE }.gzip());
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
        let news = desk.column("report", "findings", "news").get(place).cloned().unwrap();
        (news, desk.audit_json("report")["changes"]["counts"]["worse"]["blocker"].clone())
    };
    desk.run_to(DONE, "audit exports --out report -q");
    assert_eq!(news("2017-07-16T12:00:00Z"), ("new".into(), 0.into()));
    assert_eq!(news("2017-07-17T12:00:00Z"), ("known".into(), 0.into()));
    // A save that is too old as well, and younger, is better.
    desk.write("exports/Here.oar", Backup { created: "1500080000", ..WHOLE }.gzip());
    news("2017-07-17T12:00:00Z");
    assert_eq!(desk.audit_json("report")["changes"]["counts"]["better"], 1);
}

#[test]
fn the_date_in_a_name_is_of_an_unknown_time_zone() {
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
    let judge = |now: &str| {
        let told = expecting(&desk, "names = ['people']", now).len();
        let codes = desk.column("report", "checks", "code");
        let unknown = desk.column("report", "checks", "not_evaluated");
        (told, unknown[codes.iter().position(|code| code == "HIS002").unwrap()].clone())
    };
    // The file was copied a month later: its name alone tells.
    changed(30 * 24);
    assert_eq!(judge("2026-11-23T01:00:00Z"), (0, "0".into()), "21 hours, 35 at most");
    assert_eq!(judge("2026-11-23T10:00:00Z"), (0, "1".into()), "30 hours, and 18 to 44 are possible");
    assert_eq!(judge("2026-11-24T05:00:00Z"), (1, "0".into()), "49 hours, 37 at least");
    // The time of the file is one that the name allows.
    changed(2);
    assert_eq!(judge("2026-11-23T10:00:00Z"), (0, "0".into()), "28 hours");
    assert_eq!(judge("2026-11-23T20:00:00Z"), (1, "0".into()), "38 hours");
}

#[test]
fn wrong_expectations_are_refused_before_anything_is_read() {
    let desk = Desk::with(&[("a.oar", b"")]);
    for (text, said) in [
        ("names = ['Welcome[']", "`Welcome[` is no pattern"),
        ("list = 'nowhere.txt'", "nowhere.txt cannot be read"),
        ("max_age = 'soon'", "`soon` is no age: use one as 36h"),
        ("nmes = []", "did you mean `names`?"),
    ] {
        desk.write("expected.toml", format!("[expected]\n{text}\n"));
        let run = desk.run_to(USAGE, "audit a.oar --out report --config expected.toml");
        assert!(run.stderr.contains(said), "{}", run.stderr);
        assert!(!desk.at("report/audit.json").exists());
    }
}

/// Reports on kept ledgers behind the night of a report.
fn since(desk: &Desk, earlier: &str, ledgers: &str, out: &str, config: &Config, profile: &Profile) {
    let night = diff::of_report(&desk.at(earlier)).unwrap();
    let history = History::new(config, SystemTime::UNIX_EPOCH)
        .unwrap()
        .since(night.inputs.clone(), night.is_of_other_target(profile));
    let reports = Reports::open(&desk.at(out), &config.report, Vec::new()).unwrap();
    let reports = reports.looking_back(history);
    let ledgers = ledger::find(&[desk.at(ledgers)]).unwrap();
    report::write(&ledgers, profile, Manifest::new(config, profile, None), 10, reports).unwrap();
}

#[test]
fn archives_are_compared_with_those_of_an_earlier_night() {
    let small = Backup { objects: 4, ..WHOLE };
    for (before, now, told_of) in [
        ("exports/Here.oar", "exports/Here.oar", 1),
        (&*named(9), &*named(10), 1),
        // The folder or the file was renamed: its region tells.
        ("a/Here.oar", "b/Here.oar", 1),
        ("a/Here.oar", "b/Renamed.oar", 1),
    ] {
        let desk = Desk::with(&[]);
        desk.write(before, WHOLE.gzip());
        desk.run_to(DONE, &format!("audit {before} --out old -q"));
        std::fs::remove_file(desk.at(before)).unwrap();
        desk.write(now, small.gzip());
        desk.run_to(DONE, &format!("scan {now} --ledgers kept -q"));
        since(&desk, "old", "kept", "new", &Config::default(), &Profile::default());
        assert_eq!(told(&desk, "new").len(), told_of, "{before} {now}");
        // The same night again is no news.
        since(&desk, "new", "kept", "again", &Config::default(), &Profile::default());
        assert!(told(&desk, "again").is_empty(), "{before} {now}");
    }
    // Two files of one region, of which one was always small: neither is the other.
    let desk = Desk::with(&[]);
    desk.write("here.oar", WHOLE.gzip());
    desk.write("here-without-assets.oar", small.gzip());
    desk.run_to(DONE, "audit . --out old -q --ledgers kept");
    since(&desk, "old", "kept", "new", &Config::default(), &Profile::default());
    assert!(told(&desk, "new").is_empty());
}

#[test]
fn costs_that_grew_since_an_earlier_night_are_told() {
    let desk = Desk::with(&[]);
    let region = |objects| Backup { objects, assets: 1, ..WHOLE }.gzip();
    desk.write("here.oar", region(400));
    desk.run_to(DONE, "audit here.oar --out old -q");
    for (objects, told_of) in [(480, 0), (490, 0), (505, 1)] {
        desk.write("here.oar", region(objects));
        desk.run_to(DONE, "scan here.oar --ledgers kept -q");
        since(&desk, "old", "kept", "new", &Config::default(), &Profile::default());
        let told = told(&desk, "new");
        assert_eq!(told.len(), told_of, "{objects}: {told:?}");
        assert!(told.iter().all(|[_, code, message]| code == "HIS004"
            && message.starts_with("It grew by more than 20 %: land impact from 400 to 505")));
    }
    // Other costs are no growth.
    let other = Profile::load("opensim-ubode").unwrap();
    since(&desk, "old", "kept", "other", &Config::default(), &other);
    assert!(told(&desk, "other").is_empty());
    let codes = desk.column("other", "checks", "code");
    let because = desk.column("other", "checks", "because");
    let because = &because[codes.iter().position(|code| code == "HIS004").unwrap()];
    assert_eq!(because, "the earlier night was judged for another target (1)");
}

/// A share of two that takes these inputs and not those, as the flag has it.
pub(crate) fn share(takes: &[&str], leaves: &[&str]) -> Option<String> {
    let shares = (1..2000).flat_map(|of| [format!("1/{of}"), format!("{of}/{of}")]);
    shares.into_iter().find(|words| {
        let share: Share = words.parse().unwrap();
        takes.iter().all(|name| is_in_sample(share, name))
            && !leaves.iter().any(|name| is_in_sample(share, name))
    })
}

/// What a rule could not judge in a report, and why, by archive; the run itself has no name.
fn unknown(desk: &Desk, report: &str, code: &str) -> Vec<(String, String)> {
    let column = |name| desk.column(report, "checks", name).into_iter();
    let rows = column("archive").zip(column("code")).zip(column("because"));
    rows.filter(|((_, of), because)| of == code && !because.is_empty())
        .map(|((archive, _), because)| (archive.rsplit('/').next().unwrap().to_owned(), because))
        .collect()
}

const PARTIAL: &str = "it depends on an input that this run does not cover (1)";

#[test]
fn a_series_of_which_all_that_counts_is_known_is_judged_on_a_partial_night() {
    let path = |day| format!("exports/{}", named(day));
    let (whole, fell) = (WHOLE.gzip(), Backup { objects: 2, ..WHOLE }.gzip());
    let small = Backup { objects: 30, ..WHOLE }.gzip();
    // Archives by day that the night covers, and those that it leaves; the codes, and what is not known.
    for (covered, left, codes, because) in [
        (&[9, 10][..], &[][..], &["HIS001"][..], &[][..]),
        // What came in between does not matter where what came later is known, and has not fallen.
        (&[8, 10, 11], &[9], &["HIS001"], &[]),
        (&[9, 11], &[10], &[], &[(11, PARTIAL)]),
        (&[9, 10], &[11], &[], &[(10, PARTIAL)]),
        (&[11], &[10], &[], &[(11, PARTIAL)]),
    ] {
        let desk = Desk::with(&[]);
        let last = *covered.iter().max().unwrap();
        for &day in covered {
            let before = if day == 8 { &small } else { &whole };
            desk.write(&path(day), if day == last { &fell } else { before });
        }
        // What is kept is covered on every night.
        desk.run_to(DONE, "scan exports --ledgers kept -q --now 2026-11-20T00:00:00Z");
        desk.write("exports/Another.oar", &whole);
        for &day in left {
            desk.write(&path(day), &whole);
        }
        let left: Vec<String> =
            left.iter().map(|&day| path(day)).chain(["exports/Another.oar".into()]).collect();
        let sample = share(&[], &left.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        desk.run_to(DONE, &format!("audit exports --out report --ledgers kept -q --sample {sample}"));
        let told: Vec<String> = told(&desk, "report").into_iter().map(|[_, code, _]| code).collect();
        assert_eq!(told, codes, "{covered:?} {left:?}");
        let partial: Vec<_> =
            unknown(&desk, "report", "HIS001").into_iter().filter(|(_, why)| why == PARTIAL).collect();
        let mut because: Vec<_> = because.iter().map(|(day, why)| (named(*day), (*why).to_owned())).collect();
        because.sort();
        assert_eq!(partial, because, "{covered:?} {left:?}");
        // That is how the night was asked for, and no fault of an archive.
        assert!(!desk.column("report", "findings", "code").contains(&"RUN003".into()));
    }
}

#[test]
fn what_is_expected_is_looked_for_on_a_partial_night_too() {
    let desk = Desk::with(&[("exports/Here.oar", &WHOLE.gzip())]);
    let isles = |region| of_regions(&[(region, 20), ("Zoo", 20)]).gzip();
    desk.write("exports/isles.oar", isles("Hill"));
    desk.run_to(DONE, "scan exports --ledgers kept -q --now 2026-11-20T00:00:00Z");
    desk.write("exports/isles.oar", isles("Quay"));
    let left = share(&[], &["exports/isles.oar", "exports/Shop-2026-11-20.oar"]).unwrap();
    let night = |expected: &str| {
        desk.write("expected.toml", format!("[expected]\n{expected}\n"));
        let flags = "--out report --ledgers kept -q --config expected.toml --now 2017-07-15T03:40:00Z";
        desk.run_to(DONE, &format!("audit exports {flags} --sample {left}"));
        let absent = told(&desk, "report").into_iter().map(|[archive, ..]| archive).collect::<Vec<_>>();
        (absent, unknown(&desk, "report", "HIS002"))
    };
    let run = |count: u32| vec![(String::new(), PARTIAL.replace('1', &count.to_string()))];
    // What is covered is young enough; the other is there, and how old it is nobody knows.
    assert_eq!(
        night("names = ['Here', 'Harbour', 'harbour.oar']"),
        (vec!["Harbour".into(), "harbour.oar".into()], vec![])
    );
    assert_eq!(night("names = ['isles', 'Hill']"), (vec![], run(2)));
    assert_eq!(night("names = ['isles', 'Hill', 'Attic*']\nmax_age = ''"), (vec!["Attic*".into()], vec![]));
    // One that was never read may be of any region, but not another file.
    desk.write("exports/Shop-2026-11-20.oar", WHOLE.gzip());
    assert_eq!(
        night("names = ['Harbour', 'harbour.oar', 'Shop']\nmax_age = ''"),
        (vec!["harbour.oar".into()], run(1))
    );
    // Of a thing of which the newest is not covered it is not said that it is too old.
    desk.write("exports/Shop-2026-11-19.oar", Backup { created: "1400000000", ..WHOLE }.gzip());
    desk.run_to(DONE, "scan exports/Shop-2026-11-19.oar --ledgers kept -q");
    let partial = vec![("Shop-2026-11-19.oar".to_owned(), PARTIAL.to_owned())];
    assert_eq!(night("names = ['Shop']"), (vec![], partial));
}

#[test]
fn an_archive_with_nothing_in_it_is_no_backup() {
    let desk = Desk::with(&[]);
    desk.write(&format!("exports/{}", named(9)), WHOLE.gzip());
    for empty in [gzip(b""), Vec::new()] {
        desk.write(&format!("exports/{}", named(10)), empty);
        let run = desk.run("audit exports --out report -q --fail-on blocker");
        assert_ne!(run.code, DONE, "a backup of nothing must not pass");
    }
}

const LAST_NIGHT: &str = "--baseline report";

/// The codes of the family in a report, by name: what is new stands first in it.
fn told_codes(desk: &Desk) -> Vec<String> {
    let mut told: Vec<String> = told(desk, "report").into_iter().map(|[_, code, _]| code).collect();
    told.sort();
    told
}

/// Nights over one archive that is written over: what it holds, and what is told of it.
fn night_after_night(baseline: &str, nights: &[(&[u8], &[&str])]) -> Desk {
    let desk = Desk::with(&[]);
    for (number, (archive, codes)) in nights.iter().enumerate() {
        desk.write("exports/Here.oar", archive);
        desk.run(format!("audit exports --out report --ledgers kept -q {baseline}").trim());
        assert_eq!(told_codes(&desk), *codes, "night {number} {baseline}");
    }
    desk
}

#[test]
fn a_fall_is_told_while_it_is_not_made_good() {
    let with = |objects, created| Backup { objects, created, ..WHOLE }.gzip();
    let (whole, fell) = (with(40, "1500000000"), with(2, "1500000001"));
    let cut = &whole[..whole.len() * 2 / 3];
    const FELL: &[&str] = &["HIS001"];
    for baseline in ["", LAST_NIGHT] {
        night_after_night(
            baseline,
            &[
                (&whole, &[]),
                (&fell, FELL),
                // The same run again, a save of the same, and little more than that.
                (&fell, FELL),
                (&with(2, "1500000002"), FELL),
                (&with(3, "1500000003"), FELL),
                (cut, &[]),
                (&fell, FELL),
                (&with(38, "1500000004"), &[]),
                // Little by little is how people clear a place.
                (&with(25, "1500000005"), &[]),
                (&with(15, "1500000006"), &[]),
            ],
        );
    }
}

/// What the family told in a report, by its fingerprint, the latest fall first.
fn fingerprints(desk: &Desk) -> Vec<(String, String)> {
    let column = |name| desk.column("report", "findings", name).into_iter();
    let rows = column("code").zip(column("fingerprint")).zip(column("message"));
    rows.filter(|((code, _), _)| code.starts_with("HIS"))
        .map(|((_, print), message)| (print, message))
        .collect()
}

#[test]
fn a_second_fall_hides_the_first_one_from_nobody() {
    let desk = Desk::with(&[]);
    let night = |objects, assets, created, baseline: &str| {
        desk.write("exports/Here.oar", Backup { objects, assets, created, ..WHOLE }.gzip());
        desk.run_to(DONE, format!("audit exports --out report --ledgers kept -q {baseline}").trim());
        fingerprints(&desk)
    };
    night(100, 100, "1500000000", "");
    let first = night(40, 60, "1500000001", "");
    assert_eq!(first.len(), 1, "{first:?}");
    assert!(first[0].1.contains("gone: objects from 100 to 40, since"), "{first:?}");
    // An earlier night that knows no more than the ledgers adds nothing.
    for baseline in ["", LAST_NIGHT] {
        let both = night(40, 20, "1500000002", baseline);
        assert_eq!(both.len(), 2, "{both:?}");
        assert!(both[0].1.contains("gone: assets from 60 to 20, since"), "{both:?}");
        assert!(both[1].1.contains("gone: objects from 100 to 40, assets from 100 to 20, since"), "{both:?}");
        assert_eq!(both[1].0, first[0].0, "it is the same as long as it is told");
        assert_ne!(both[0].0, first[0].0, "who waived the first has not waived the second");
    }
    // The first is made good, and the second is not.
    let second = night(40, 25, "1500000003", "");
    assert_eq!(second.len(), 2, "{second:?}");
    let second = night(70, 25, "1500000004", "");
    assert_eq!(second.len(), 2, "assets are missing since either");
    assert!(night(70, 55, "1500000005", "").is_empty());
}

#[test]
fn assets_that_went_in_two_nights_are_told_of_both() {
    let whole = WHOLE.gzip();
    let nights: [(&[u8], &[&str]); 4] = [
        (&whole, &[]),
        (&Backup { assets: 1, ..WHOLE }.gzip(), &["HIS001"]),
        (&Backup { assets: 0, ..WHOLE }.gzip(), &["HIS001", "HIS005"]),
        (&whole, &[]),
    ];
    for baseline in ["", LAST_NIGHT] {
        night_after_night(baseline, &nights);
    }
}

#[test]
fn only_assets_make_good_that_there_were_none() {
    const GONE: &[&str] = &["HIS005"];
    // Objects and assets from night to night, and what is told.
    for nights in [
        // One object fewer brings no asset back, whichever state comes again.
        &[(30, 5, &[][..]), (30, 0, GONE), (29, 0, GONE), (30, 0, GONE), (29, 0, GONE), (29, 5, &[])][..],
        &[(30, 5, &[]), (31, 0, GONE), (25, 0, GONE), (25, 1, &[]), (24, 1, &[])],
        // A few that went with an object are not missed, nor those of which nothing is left that used them.
        &[(30, 5, &[]), (29, 0, &[]), (28, 0, &[])],
        &[(3, 3, &[]), (0, 0, &[]), (3, 0, &[])],
        &[(3, 3, &[]), (3, 0, GONE), (2, 0, GONE), (0, 0, &[]), (3, 0, &[])],
        // Until there are as many objects again: that is no tidied plot.
        &[(30, 5, &[]), (29, 0, &[]), (30, 0, GONE)],
        // Many are missed whatever stands there.
        &[(12, 12, &[]), (9, 0, GONE), (0, 0, &["HIS001", "HIS005"]), (3, 0, GONE), (3, 2, &["HIS001"])],
    ] {
        // What has no byte in it is no asset.
        let backup = |&(objects, assets, _): &(u32, u32, &[&str])| match assets {
            0 => Backup { objects, assets: 1, bytes: 0, ..WHOLE }.gzip(),
            _ => Backup { objects, assets, ..WHOLE }.gzip(),
        };
        let archives: Vec<_> = nights.iter().map(backup).collect();
        let told = archives.iter().zip(nights).map(|(archive, (.., codes))| (&archive[..], *codes));
        night_after_night("", &told.collect::<Vec<_>>());
        // Nor in a series of files.
        let desk = Desk::with(&[]);
        for ((day, archive), (.., codes)) in (1..).zip(&archives).zip(nights) {
            desk.write(&format!("exports/{}", named(day)), archive);
            desk.run_to(DONE, "audit exports --out report -q");
            assert_eq!(told_codes(&desk), *codes, "{day} of {nights:?}");
        }
    }
}

#[test]
fn falls_of_what_does_not_say_when_it_was_made_are_told_apart() {
    let desk = Desk::with(&[]);
    let night = |objects| {
        let archive = Backup { objects, created: "0", ..WHOLE }.gzip();
        desk.write("exports/Here.oar", archive);
        desk.run_to(DONE, "audit exports --out report --ledgers kept -q");
        fingerprints(&desk)
    };
    night(100);
    let first = night(40);
    let both = night(10);
    assert_eq!(both.len(), 2, "{both:?}");
    assert!(both.iter().all(|(_, message)| message.ends_with("since an earlier Here.oar")), "{both:?}");
    assert_ne!(both[0].0, both[1].0);
    assert_eq!(both[1].0, first[0].0);
}

#[test]
fn a_fall_is_forgotten_after_a_week_of_other_states() {
    let nights: Vec<_> =
        [40, 1, 2, 3, 4, 5, 6, 7, 8].map(|objects| Backup { objects, ..WHOLE }.gzip()).into();
    let told = |night| if (1..8).contains(&night) { &["HIS001"] as &[&str] } else { &[] };
    let nights: Vec<_> =
        nights.iter().enumerate().map(|(night, archive)| (&archive[..], told(night))).collect();
    night_after_night("", &nights);
}

#[test]
fn the_night_after_a_broken_one_is_compared_with_the_last_whole_one() {
    let whole = WHOLE.gzip();
    let fell = Backup { objects: 2, created: "1500000001", ..WHOLE }.gzip();
    for baseline in ["", LAST_NIGHT] {
        let nights: [(&[u8], &[&str]); 4] =
            [(&whole, &[]), (&whole[..whole.len() * 2 / 3], &[]), (b"", &[]), (&fell, &["HIS001"])];
        let desk = night_after_night(baseline, &nights);
        let [_, _, message] = &told(&desk, "report")[0];
        let since = "objects from 40 to 2, since Here.oar (made 2017-07-14T02:40:00Z)";
        assert!(message.ends_with(since), "{message}");
        // It is the same finding as long as it is told.
        let fingerprint = desk.column("report", "findings", "fingerprint");
        desk.write("exports/Here.oar", Backup { objects: 3, created: "1500000002", ..WHOLE }.gzip());
        desk.run_to(DONE, "audit exports --out report --ledgers kept -q");
        assert_eq!(desk.column("report", "findings", "fingerprint"), fingerprint);
    }
}

#[test]
fn what_another_file_of_the_same_name_held_is_none_of_its_states() {
    let desk = Desk::with(&[("a/Here.oar", &WHOLE.gzip())]);
    desk.write("b/Here.oar", Backup { objects: 2, ..WHOLE }.gzip());
    for folder in ["a", "b"] {
        let hullmark = std::process::Command::new(env!("CARGO_BIN_EXE_hullmark"))
            .args(["audit", "Here.oar", "--ledgers", "../kept", "--out", "../report", "-q"])
            .current_dir(desk.at(folder))
            .status();
        assert!(hullmark.unwrap().success());
        assert!(told(&desk, "report").is_empty());
    }
}

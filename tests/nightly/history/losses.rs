//! Content that an archive lost since the backup before it.

use super::{PARTIAL, fingerprints, unknown};
use crate::support::{
    archive::{Archive, gzip},
    backups::{Backup, WHOLE, archive_of_regions, backup_name, history_findings, sample_flag},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE},
};

/// Returns the codes of a backup that follows another one.
fn after(old: &[u8], new: &[u8], exit: i32) -> Vec<String> {
    let desk = Desk::with(&[]);
    desk.write(&format!("exports/{}", backup_name(9)), old);
    desk.write(&format!("exports/{}", backup_name(10)), new);
    desk.run_to(exit, "audit exports --out report -q");
    let reported = history_findings(&desk, "report");
    let is_of = |day, archive: &str| archive.ends_with(&backup_name(day));
    assert!(
        reported.iter().all(|[archive, code, _]| is_of(10, archive) != (code == "HIS008")),
        "{reported:?}"
    );
    reported.into_iter().map(|[_, code, _]| code).collect()
}

#[test]
fn losses_of_a_failed_backup_are_reported_and_edits_are_not() {
    const NOTHING: [&str; 0] = [];
    let with = |objects, assets, bytes| Backup { objects, assets, bytes, ..WHOLE }.gzip();
    let whole = WHOLE.gzip();
    let expect = |old: &[u8], new: &[u8], codes: &[&str]| assert_eq!(after(old, new, DONE), codes);
    expect(&whole, &whole, &NOTHING);
    expect(&whole, &WHOLE.archive().tar(), &NOTHING);
    expect(&WHOLE.archive().tar(), &whole, &NOTHING);
    // One object is deleted; half of them are deleted; more than half are missing; all are missing.
    expect(&whole, &with(39, 20, 9), &NOTHING);
    expect(&whole, &with(20, 20, 9), &NOTHING);
    expect(&whole, &with(19, 20, 9), &["HIS001"]);
    expect(&whole, &with(0, 20, 9), &["HIS001"]);
    expect(&whole, &with(80, 40, 9), &NOTHING);
    // A small plot cannot lose much.
    expect(&with(3, 1, 9), &with(1, 1, 9), &NOTHING);
    expect(&with(3, 3, 9), &with(0, 0, 9), &NOTHING);
    // Assets are missing in part, all are missing, or all are empty.
    expect(&whole, &with(40, 9, 9), &["HIS001"]);
    expect(&whole, &with(40, 0, 9), &["HIS005"]);
    expect(&whole, &with(40, 20, 0), &["HIS005"]);
    expect(&with(3, 3, 9), &with(3, 0, 9), &["HIS005"]);
    // The number of assets is unchanged, but they have fewer bytes.
    expect(&with(40, 20, 100_000), &with(40, 20, 1000), &["HIS001"]);
    // Everything at once.
    expect(&whole, &with(0, 0, 9), &["HIS001", "HIS005"]);
    expect(&whole, &Archive::default().gzip(), &["HIS001", "HIS005"]);
}

#[test]
fn the_sentence_says_how_much_is_gone_and_since_when() {
    let desk = Desk::with(&[]);
    desk.write(&backup_name(9), WHOLE.gzip());
    desk.write(&backup_name(10), Backup { objects: 4, assets: 2, ..WHOLE }.gzip());
    desk.run_to(
        FINDINGS,
        &format!("audit {} {} --out report -q --fail-on blocker", backup_name(9), backup_name(10)),
    );
    let [_, _, message] = &history_findings(&desk, "report")[0];
    let expected = "Content fell by more than 50 %: objects from 40 to 4, assets from 20 to 2 since ";
    assert_eq!(*message, format!("{expected}{}", backup_name(9)));
    assert_eq!(desk.column("report", "archives", "blockers"), ["1", "0"], "the tenth stands first");
}

#[test]
fn incomplete_archives_are_not_compared() {
    let whole = WHOLE.gzip();
    let cut = &whole[..whole.len() * 2 / 3];
    assert_eq!(after(&whole, cut, INCOMPLETE), ["HIS006"]);
    assert_eq!(after(cut, &Backup { objects: 1, ..WHOLE }.gzip(), INCOMPLETE), ["HIS008"]);
    // The whole backup before the cut one is compared.
    let desk = Desk::with(&[]);
    desk.write(&backup_name(8), &whole);
    desk.write(&backup_name(9), cut);
    desk.write(&backup_name(10), Backup { objects: 1, ..WHOLE }.gzip());
    desk.run_to(INCOMPLETE, "audit . --out report -q");
    let reported = history_findings(&desk, "report");
    assert_eq!(reported.iter().map(|[_, code, _]| &**code).collect::<Vec<_>>(), ["HIS001", "HIS008"]);
    assert!(reported[0][2].ends_with(&backup_name(8)), "{reported:?}");
}

#[test]
fn a_broken_archive_behind_a_fall_does_not_end_it() {
    let whole = WHOLE.gzip();
    let fell = Backup { objects: 2, assets: 0, ..WHOLE }.gzip();
    let desk = Desk::with(&[]);
    desk.write(&backup_name(9), &whole);
    desk.write(&backup_name(10), &fell);
    desk.run_to(DONE, "audit . --out report -q");
    let first = falls(&desk);
    assert_eq!(first.len(), 2, "{first:?}");
    // One broken archive still has its archive.xml, the other has no content.
    for (day, broken) in [(11, &fell[..fell.len() * 2 / 3]), (12, b"")] {
        desk.write(&backup_name(day), broken);
        desk.run_to(INCOMPLETE, "audit . --out report -q");
        assert_eq!(falls(&desk), first, "{day}");
        let mut reported = history_findings(&desk, "report").into_iter();
        assert!(
            reported.all(|[archive, code, _]| archive.ends_with(&backup_name(10)) != (code == "HIS006")),
            "{day}"
        );
    }
    // Compared with an earlier run it is not new, and no finding is gone.
    desk.run_to(INCOMPLETE, "audit . --out report -q --baseline report --fail-on-new info");
    assert_eq!(falls(&desk), first);
    // The next whole archive is evaluated again.
    desk.write(&backup_name(13), &whole);
    desk.run_to(INCOMPLETE, "audit . --out report -q");
    assert_eq!(falls(&desk), []);
}

/// Returns fingerprints and messages of the falls that a report describes.
fn falls(desk: &Desk) -> Vec<(String, String)> {
    let mut all = fingerprints(desk);
    all.retain(|(_, message)| !message.contains("was not read to its end"));
    all
}

#[test]
fn the_newest_is_compared_with_copies_that_had_not_fallen() {
    let desk = Desk::with(&[]);
    let broken = Backup { objects: 2, ..WHOLE }.gzip();
    let [codes, reasons] = ["code", "reason"];
    for (nights, expected) in [([1, 0, 1], 0), ([1, 0, 0], 1), ([0, 0, 1], 0), ([1, 1, 0], 1)] {
        for (day, whole) in (9..).zip(nights) {
            desk.write(&backup_name(day), if whole == 1 { WHOLE.gzip() } else { broken.clone() });
        }
        desk.run_to(DONE, "audit . --out report -q");
        assert_eq!(history_findings(&desk, "report").len(), expected, "{nights:?}");
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
fn the_fall_that_is_reported_is_the_last_that_was_not_made_good() {
    // Objects of each day, and the days since which the newest copy has fallen.
    for (objects, since) in [
        (&[40, 2, 2][..], &[1][..]),
        (&[40, 2, 3, 2], &[1]),
        (&[40, 2, 38, 2], &[3]),
        // The second fall does not make the first one good.
        (&[100, 2, 40, 2, 2], &[3, 1]),
        (&[100, 40, 12, 4], &[2, 1]),
        // A fall is made good when half of the content is back.
        (&[40, 2, 20], &[]),
        (&[40, 2, 38, 36], &[]),
        // A slow decline is how people clear a place.
        (&[80, 60, 45, 30, 20], &[]),
        (&[200, 60, 45, 35], &[1]),
    ] {
        let desk = Desk::with(&[]);
        for (day, &objects) in (1..).zip(objects) {
            desk.write(&backup_name(day), Backup { objects, ..WHOLE }.gzip());
        }
        desk.run_to(DONE, "audit . --out report -q");
        let reported = history_findings(&desk, "report");
        let days: Vec<&str> =
            reported.iter().map(|[.., message]| message.rsplit(' ').next().unwrap()).collect();
        assert_eq!(days, since.iter().copied().map(backup_name).collect::<Vec<_>>(), "{objects:?}");
    }
}

#[test]
fn each_fall_is_a_separate_finding() {
    let night = |objects: &[u32]| {
        let desk = Desk::with(&[]);
        for (day, &objects) in (1..).zip(objects) {
            desk.write(&backup_name(day), Backup { objects, ..WHOLE }.gzip());
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

#[test]
fn a_region_that_empties_among_others_is_reported() {
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
        // The sum of all regions is reported.
        (
            &[("Hill", 0), ("Quay", 20), ("Shop", 20), ("Town", 0), ("Zoo", 20)],
            Some("objects from 140 to 60"),
        ),
    ] {
        let desk = Desk::with(&[]);
        desk.write("exports/Here-2026-11-09.oar", archive_of_regions(&whole).gzip());
        desk.write("exports/Here-2026-11-10.oar", archive_of_regions(now).gzip());
        desk.run_to(DONE, "audit exports --out report -q");
        // An earlier run that is read from its tables gives the same result.
        desk.run_to(DONE, "audit exports/Here-2026-11-09.oar --out old -q");
        desk.run_to(DONE, "audit exports/Here-2026-11-10.oar --out new --baseline old -q");
        for report in ["report", "new"] {
            let reported = history_findings(&desk, report);
            let message = expected
                .map(|words| format!("Content fell by more than 50 %: {words} since Here-2026-11-09.oar"));
            assert_eq!(reported.first().map(|[.., message]| message), message.as_ref(), "{report}");
        }
    }
}

#[test]
fn copies_have_paths_that_differ_only_in_dates() {
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
        assert_eq!(!history_findings(&desk, "report").is_empty(), series, "{old} {new}");
        // Backups of one region are not reported as copies of it either.
        let copies = desk.column("report", "findings", "code").iter().any(|code| code == "XAR001");
        assert_eq!(copies, !series, "{old} {new}");
    }
    // The creation time in the export orders them before the names do.
    let desk = Desk::with(&[]);
    desk.write(&backup_name(9), Backup { created: "1500000002", ..WHOLE }.gzip());
    desk.write(&backup_name(10), Backup { objects: 1, created: "1500000001", ..WHOLE }.gzip());
    desk.run_to(DONE, "audit . --out report -q");
    assert!(history_findings(&desk, "report").is_empty());
}

#[test]
fn a_partial_run_evaluates_a_series_with_all_relevant_copies() {
    let path = |day| format!("exports/{}", backup_name(day));
    let (whole, fell) = (WHOLE.gzip(), Backup { objects: 2, ..WHOLE }.gzip());
    let small = Backup { objects: 30, ..WHOLE }.gzip();
    // Archives by day that the run covers, and those that it leaves out; the codes, and the unknown results.
    for (covered, left, codes, because) in [
        (&[9, 10][..], &[][..], &["HIS001"][..], &[][..]),
        // A gap does not matter if a later archive is known and has not fallen.
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
        // Archives with kept ledgers are covered by every run.
        desk.run_to(DONE, "scan exports --ledgers kept -q --now 2026-11-20T00:00:00Z");
        desk.write("exports/Another.oar", &whole);
        for &day in left {
            desk.write(&path(day), &whole);
        }
        let left: Vec<String> =
            left.iter().map(|&day| path(day)).chain(["exports/Another.oar".into()]).collect();
        let sample = sample_flag(&[], &left.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        desk.run_to(DONE, &format!("audit exports --out report --ledgers kept -q --sample {sample}"));
        let reported: Vec<String> =
            history_findings(&desk, "report").into_iter().map(|[_, code, _]| code).collect();
        assert_eq!(reported, codes, "{covered:?} {left:?}");
        let partial: Vec<_> =
            unknown(&desk, "report", "HIS001").into_iter().filter(|(_, why)| why == PARTIAL).collect();
        let mut because: Vec<_> =
            because.iter().map(|(day, why)| (backup_name(*day), (*why).to_owned())).collect();
        because.sort();
        assert_eq!(partial, because, "{covered:?} {left:?}");
        // The operator asked for a partial run, so no archive is at fault.
        assert!(!desk.column("report", "findings", "code").contains(&"RUN003".into()));
    }
}

#[test]
fn an_archive_with_nothing_in_it_is_no_backup() {
    let desk = Desk::with(&[]);
    desk.write(&format!("exports/{}", backup_name(9)), WHOLE.gzip());
    for empty in [gzip(b""), Vec::new()] {
        desk.write(&format!("exports/{}", backup_name(10)), empty);
        let run = desk.run("audit exports --out report -q --fail-on blocker");
        assert_ne!(run.code, DONE, "a backup of nothing must not pass");
    }
}

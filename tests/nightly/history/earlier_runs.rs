//! Archives compared with those of earlier runs: by a report, and by kept ledgers.

use super::fingerprints;
use crate::support::{
    backups::{Backup, WHOLE, backup_name, history_findings},
    desk::{DONE, Desk},
};
use hullmark_ledger as ledger;
use hullmark_pages::{self as pages, Ledgers, ReportContext, Reports};
use hullmark_report::{Manifest, diff};
use hullmark_rules::history::History;
use hullmark_settings::{config::Config, profile::Profile};
use std::time::SystemTime;

/// Writes a report from kept ledgers, compared with an earlier report.
fn since(desk: &Desk, earlier: &str, ledgers: &str, out: &str, config: &Config, profile: &Profile) {
    let night = diff::of_report(&desk.at(earlier), &desk.at("."), diff::Extent::Objects).unwrap();
    let history = History::new(config, SystemTime::UNIX_EPOCH)
        .unwrap()
        .since(night.inputs.clone(), night.is_of_other_target(profile, None));
    let context = ReportContext { history: Some(history), ..ReportContext::new(config.report.clone()) };
    let reports = Reports::open(desk.at(out), context).unwrap();
    let ledgers = Ledgers { files: ledger::find(&[desk.at(ledgers)]).unwrap(), ..Ledgers::default() };
    pages::write(ledgers, profile, Manifest::new(config, profile, None), 10, reports).unwrap();
}

#[test]
fn archives_are_compared_with_those_of_an_earlier_run() {
    let small = Backup { objects: 4, ..WHOLE };
    for (before, now, reported_of) in [
        ("exports/Here.oar", "exports/Here.oar", 1),
        (&*backup_name(9), &*backup_name(10), 1),
        // The folder or the file was renamed. The region identifies the archive.
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
        assert_eq!(history_findings(&desk, "new").len(), reported_of, "{before} {now}");
        // A second report on the same ledgers has no news.
        since(&desk, "new", "kept", "again", &Config::default(), &Profile::default());
        assert!(history_findings(&desk, "again").is_empty(), "{before} {now}");
    }
    // Two files of one region. One was always small, so they are not states of one archive.
    let desk = Desk::with(&[]);
    desk.write("here.oar", WHOLE.gzip());
    desk.write("here-without-assets.oar", small.gzip());
    desk.run_to(DONE, "audit . --out old -q --ledgers kept");
    since(&desk, "old", "kept", "new", &Config::default(), &Profile::default());
    assert!(history_findings(&desk, "new").is_empty());
}

#[test]
fn costs_that_grew_since_an_earlier_run_are_reported() {
    let desk = Desk::with(&[]);
    let region = |objects| Backup { objects, assets: 1, ..WHOLE }.gzip();
    desk.write("here.oar", region(400));
    desk.run_to(DONE, "audit here.oar --out old -q --profile second-life");
    for (objects, reported_of) in [(480, 0), (490, 0), (505, 1)] {
        desk.write("here.oar", region(objects));
        desk.run_to(DONE, "scan here.oar --ledgers kept -q");
        since(&desk, "old", "kept", "new", &Config::default(), &Profile::default());
        let reported = history_findings(&desk, "new");
        assert_eq!(reported.len(), reported_of, "{objects}: {reported:?}");
        assert!(reported.iter().all(|[_, code, message]| {
            code == "HIS004"
                && message.starts_with(
                    "The costs of the region grew by more than 20 %: land impact from 400 to 505",
                )
        }));
    }
    // A change of the cost model is not growth.
    let other = Profile::load("opensim-ubode").unwrap();
    since(&desk, "old", "kept", "other", &Config::default(), &other);
    assert!(history_findings(&desk, "other").is_empty());
    let codes = desk.column("other", "checks", "code");
    let because = desk.column("other", "checks", "reason");
    let because = &because[codes.iter().position(|code| code == "HIS004").unwrap()];
    assert_eq!(because, "the earlier report is for another target (1)");
}

const LAST_NIGHT: &str = "--baseline report";

/// Returns the codes of the family HIS in a report, sorted. In the report, new findings come first.
fn reported_codes(desk: &Desk) -> Vec<String> {
    let mut reported: Vec<String> =
        history_findings(desk, "report").into_iter().map(|[_, code, _]| code).collect();
    reported.sort();
    reported
}

/// Overwrites one archive for each run, and checks the codes that the run reports.
fn night_after_night(baseline: &str, nights: &[(&[u8], &[&str])]) -> Desk {
    let desk = Desk::with(&[]);
    for (number, (archive, codes)) in nights.iter().enumerate() {
        desk.write("exports/Here.oar", archive);
        desk.run(format!("audit exports --out report --ledgers kept -q {baseline}").trim());
        assert_eq!(reported_codes(&desk), *codes, "night {number} {baseline}");
    }
    desk
}

#[test]
fn a_fall_is_reported_until_it_is_made_good() {
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
                // The same run again, another save of the same content, and one object more.
                (&fell, FELL),
                (&with(2, "1500000002"), FELL),
                (&with(3, "1500000003"), FELL),
                (cut, &[]),
                (&fell, FELL),
                (&with(38, "1500000004"), &[]),
                // A slow decline is how people clear a place.
                (&with(25, "1500000005"), &[]),
                (&with(15, "1500000006"), &[]),
            ],
        );
    }
}

#[test]
fn a_second_fall_does_not_hide_the_first() {
    let desk = Desk::with(&[]);
    let night = |objects, assets, created, baseline: &str| {
        desk.write("exports/Here.oar", Backup { objects, assets, created, ..WHOLE }.gzip());
        desk.run_to(DONE, format!("audit exports --out report --ledgers kept -q {baseline}").trim());
        fingerprints(&desk)
    };
    night(100, 100, "1500000000", "");
    let first = night(40, 60, "1500000001", "");
    assert_eq!(first.len(), 1, "{first:?}");
    assert!(first[0].1.contains(": objects from 100 to 40 since"), "{first:?}");
    // An earlier run that has no more information than the ledgers adds nothing.
    for baseline in ["", LAST_NIGHT] {
        let both = night(40, 20, "1500000002", baseline);
        assert_eq!(both.len(), 2, "{both:?}");
        assert!(both[0].1.contains(": assets from 60 to 20 since"), "{both:?}");
        assert!(both[1].1.contains(": objects from 100 to 40, assets from 100 to 20 since"), "{both:?}");
        assert_eq!(both[1].0, first[0].0, "it is the same as long as it is told");
        assert_ne!(both[0].0, first[0].0, "who waived the first has not waived the second");
    }
    // The first fall is made good, the second is not.
    let second = night(40, 25, "1500000003", "");
    assert_eq!(second.len(), 2, "{second:?}");
    let second = night(70, 25, "1500000004", "");
    assert_eq!(second.len(), 2, "assets are missing since either");
    assert!(night(70, 55, "1500000005", "").is_empty());
}

#[test]
fn assets_lost_in_two_runs_are_reported_for_both() {
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
fn only_assets_make_good_a_loss_of_all_assets() {
    const GONE: &[&str] = &["HIS005"];
    // Objects and assets in each run, and the reported codes.
    for nights in [
        // One object fewer brings no asset back, regardless of which state returns.
        &[(30, 5, &[][..]), (30, 0, GONE), (29, 0, GONE), (30, 0, GONE), (29, 0, GONE), (29, 5, &[])][..],
        &[(30, 5, &[]), (31, 0, GONE), (25, 0, GONE), (25, 1, &[]), (24, 1, &[])],
        // A few assets that were removed with an object are not missed. Assets are not missed either if no object is
        // left to use them.
        &[(30, 5, &[]), (29, 0, &[]), (28, 0, &[])],
        &[(3, 3, &[]), (0, 0, &[]), (3, 0, &[])],
        &[(3, 3, &[]), (3, 0, GONE), (2, 0, GONE), (0, 0, &[]), (3, 0, &[])],
        // The exception ends when the object count is back: that is not a tidied plot.
        &[(30, 5, &[]), (29, 0, &[]), (30, 0, GONE)],
        // Many missing assets are reported regardless of the objects that are left.
        &[(12, 12, &[]), (9, 0, GONE), (0, 0, &["HIS001", "HIS005"]), (3, 0, GONE), (3, 2, &["HIS001"])],
    ] {
        // An asset without bytes counts as no asset.
        let backup = |&(objects, assets, _): &(u32, u32, &[&str])| match assets {
            0 => Backup { objects, assets: 1, bytes: 0, ..WHOLE }.gzip(),
            _ => Backup { objects, assets, ..WHOLE }.gzip(),
        };
        let archives: Vec<_> = nights.iter().map(backup).collect();
        let reported = archives.iter().zip(nights).map(|(archive, (.., codes))| (&archive[..], *codes));
        night_after_night("", &reported.collect::<Vec<_>>());
        // A series of files gives the same codes.
        let desk = Desk::with(&[]);
        for ((day, archive), (.., codes)) in (1..).zip(&archives).zip(nights) {
            desk.write(&format!("exports/{}", backup_name(day)), archive);
            desk.run_to(DONE, "audit exports --out report -q");
            assert_eq!(reported_codes(&desk), *codes, "{day} of {nights:?}");
        }
    }
}

#[test]
fn falls_of_archives_without_a_date_are_separate_findings() {
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
    let reported = |night| if (1..8).contains(&night) { &["HIS001"] as &[&str] } else { &[] };
    let nights: Vec<_> =
        nights.iter().enumerate().map(|(night, archive)| (&archive[..], reported(night))).collect();
    night_after_night("", &nights);
}

#[test]
fn the_run_after_a_broken_backup_is_compared_with_the_last_whole_one() {
    let whole = WHOLE.gzip();
    let fell = Backup { objects: 2, created: "1500000001", ..WHOLE }.gzip();
    for baseline in ["", LAST_NIGHT] {
        let nights: [(&[u8], &[&str]); 4] =
            [(&whole, &[]), (&whole[..whole.len() * 2 / 3], &[]), (b"", &["HIS009"]), (&fell, &["HIS001"])];
        let desk = night_after_night(baseline, &nights);
        let [_, _, message] = &history_findings(&desk, "report")[0];
        let since = "objects from 40 to 2 since Here.oar (made 2017-07-14T02:40:00Z)";
        assert!(message.ends_with(since), "{message}");
        // The fingerprint stays the same as long as the finding is reported.
        let fingerprint = desk.column("report", "findings", "fingerprint");
        desk.write("exports/Here.oar", Backup { objects: 3, created: "1500000002", ..WHOLE }.gzip());
        desk.run_to(DONE, "audit exports --out report --ledgers kept -q");
        assert_eq!(desk.column("report", "findings", "fingerprint"), fingerprint);
    }
}

#[test]
fn states_of_another_file_with_the_same_name_are_not_used() {
    let desk = Desk::with(&[("a/Here.oar", &WHOLE.gzip())]);
    desk.write("b/Here.oar", Backup { objects: 2, ..WHOLE }.gzip());
    for folder in ["a", "b"] {
        let hullmark = std::process::Command::new(env!("CARGO_BIN_EXE_hullmark"))
            .args(["audit", "Here.oar", "--ledgers", "../kept", "--out", "../report", "-q"])
            .current_dir(desk.at(folder))
            .status();
        assert!(hullmark.unwrap().success());
        assert!(history_findings(&desk, "report").is_empty());
    }
}

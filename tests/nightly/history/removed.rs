//! Regions and archives that earlier runs had, and that no input has any more.

use crate::support::{
    archive::{Archive, control, settings},
    backups::{archive_of_regions, history_findings, sample_flag},
    desk::{DONE, Desk, FINDINGS, INCOMPLETE, USAGE},
    object::{Prim, uuid, xml2},
};
use proptest::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

/// Returns the backup of the region "Rn" with this number of objects.
fn region(number: u32, objects: u32) -> Vec<u8> {
    let region = Archive::new(&control(&uuid(0x4e4e_4e4e, number), "256,256"))
        .add(&format!("settings/R{number}.xml"), settings("1"))
        .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, number)), "a note");
    let object = |region: Archive, object| {
        region.add(&format!("objects/{object}.xml"), xml2(&[Prim::new("Box", 1000 * number + object)]))
    };
    (0..objects).fold(region, object).gzip()
}

fn inventory(item: u32) -> Vec<u8> {
    let archive = Archive::new("<archive major_version=\"0\" minor_version=\"3\"/>");
    archive.add(&format!("inventory/Hat__{}.xml", uuid(7, item)), "<InventoryItem/>").gzip()
}

/// Returns the names and messages of what is gone.
fn gone(desk: &Desk, report: &str) -> Vec<(String, String)> {
    let findings = history_findings(desk, report).into_iter();
    let gone = findings.filter(|[_, code, _]| code == "HIS009");
    let mut gone: Vec<_> = gone.map(|[name, _, message]| (name, message)).collect();
    gone.sort();
    gone
}

fn names_of_gone(desk: &Desk, report: &str) -> Vec<String> {
    gone(desk, report).into_iter().map(|(name, _)| name).collect()
}

/// The three that know an earlier night, each alone, and all of them.
const KNOWING: [&str; 4] = [
    "--ledgers kept --history none.csv",
    "--baseline report",
    "--ledgers kept",
    "--ledgers kept --baseline report",
];

#[test]
fn a_deleted_archive_is_reported_until_it_is_back_or_accepted() {
    for knowing in KNOWING {
        let desk = Desk::with(&[("exports/a.oar", &region(1, 12)), ("exports/b.oar", &region(2, 7))]);
        let audit = format!("audit exports --out report -q --format csv {knowing}");
        desk.run_to(DONE, &audit);
        assert!(gone(&desk, "report").is_empty());
        fs::rename(desk.at("exports/b.oar"), desk.at("b.oar")).unwrap();
        desk.write("exports/c.oar", region(3, 1));
        let is_compared = knowing.contains("baseline");
        let fails = if is_compared { "--fail-on-new warning" } else { "--fail-on warning" };
        let nights = if is_compared && !knowing.contains("ledgers") { 1 } else { 3 };
        for night in 0..nights {
            // In the second night it is known, and only --fail-on sees it.
            let code = if is_compared && night > 0 { DONE } else { FINDINGS };
            desk.run_to(code, &format!("{audit} {fails}"));
            let expected = "No input has it any more: exports/b.oar (made 20";
            let found = gone(&desk, "report");
            assert!(found.len() == 1 && found[0].0 == "R2", "{knowing}: {found:?}");
            assert!(found[0].1.starts_with(expected) && found[0].1.ends_with(" had 7 objects"), "{found:?}");
            assert_eq!(desk.audit_json("report")["findings"]["error"], 1, "{knowing}");
            assert_eq!(desk.audit_json("report")["totals"]["inputs"], 2, "it is no input");
        }
        let row = desk.table("report", "findings").into_iter().find(|row| row["code"] == "HIS009").unwrap();
        let waive =
            format!("waive {} --file waivers.toml --report report --until 2026-12-31", row["fingerprint"]);
        desk.run_to(DONE, &format!("{waive} --reason old --who Ann --now 2026-11-24T12:00:00Z"));
        let accepted = desk.run(&format!("{audit} --waivers waivers.toml --now 2026-11-24T12:00:00Z"));
        assert_eq!(accepted.code, DONE, "{}", accepted.stderr);
        if nights > 1 {
            assert_eq!(desk.audit_json("report")["findings"]["error"], 0, "{knowing}");
            for name in ["r2", "B.oar", &uuid(0x4e4e_4e4e, 2)] {
                desk.write("hullmark.toml", format!("[expected]\ngone = ['{name}']\n"));
                desk.run_to(DONE, &format!("{audit} --config hullmark.toml"));
                assert!(gone(&desk, "report").is_empty(), "{knowing} {name}");
            }
        }
        fs::rename(desk.at("b.oar"), desk.at("exports/back.oar")).unwrap();
        desk.run_to(DONE, &audit);
        assert!(gone(&desk, "report").is_empty(), "{knowing}");
    }
}

#[test]
fn an_archive_that_was_renamed_or_moved_is_not_gone() {
    for knowing in KNOWING {
        for (old, new) in [
            ("exports/b.oar", "exports/B renamed.oar"),
            ("exports/b.oar", "exports/deep/er/b.oar"),
            ("exports/b-2026-11-20.oar", "exports/b-2026-11-21.oar"),
            ("exports/Mon.oar", "exports/Tue.oar"),
        ] {
            let desk = Desk::with(&[("exports/a.oar", &region(1, 3)), (old, &region(2, 7))]);
            desk.write(&old.replace(".oar", ".iar"), inventory(1));
            let audit = format!("audit exports --out report -q --format csv {knowing}");
            desk.run_to(DONE, &audit);
            for ending in [".oar", ".iar"] {
                let (old, new) =
                    (desk.at(&old.replace(".oar", ending)), desk.at(&new.replace(".oar", ending)));
                fs::create_dir_all(new.parent().unwrap()).unwrap();
                fs::rename(old, new).unwrap();
            }
            for _ in 0..2 {
                desk.run_to(DONE, &audit);
                // A database of runs states no content of an inventory, so its file must keep its name.
                assert!(gone(&desk, "report").is_empty(), "{knowing} {new}: {:?}", gone(&desk, "report"));
            }
        }
    }
}

#[test]
fn an_inventory_that_was_deleted_is_reported_and_one_that_changed_is_not() {
    for knowing in ["--ledgers kept", "--baseline report"] {
        let desk = Desk::with(&[("x/a.oar", &region(1, 3)), ("x/hats.iar", &inventory(1))]);
        let audit = format!("audit x --out report -q --format csv {knowing}");
        desk.run_to(DONE, &audit);
        desk.write("x/hats.iar", inventory(2));
        desk.run_to(DONE, &audit);
        assert!(gone(&desk, "report").is_empty(), "{knowing}");
        fs::remove_file(desk.at("x/hats.iar")).unwrap();
        desk.run_to(DONE, &audit);
        assert_eq!(names_of_gone(&desk, "report"), ["x/hats.iar"], "{knowing}");
    }
}

/// Two archives of one region and one date count as two, so one of them is missed. A copy with equal content is not.
#[test]
fn one_of_two_archives_of_a_region_is_missed_if_it_was_another_state() {
    for knowing in KNOWING {
        for (other, expected) in [(region(1, 7), vec!["R1"]), (region(1, 3), vec![])] {
            let desk = Desk::with(&[("x/a.oar", &region(1, 3)), ("x/b.oar", &other)]);
            let audit = format!("audit x --out report -q --format csv {knowing}");
            desk.run_to(DONE, &audit);
            fs::remove_file(desk.at("x/b.oar")).unwrap();
            for _ in 0..if knowing.contains("ledgers") { 2 } else { 1 } {
                desk.run_to(DONE, &audit);
                assert_eq!(names_of_gone(&desk, "report"), expected, "{knowing}");
            }
        }
    }
}

#[test]
fn a_region_that_left_its_archive_is_reported_and_one_that_was_created_again_is_not() {
    for knowing in ["--ledgers kept --history none.csv", "--baseline report"] {
        let isles = |regions: &[(&str, u32)]| archive_of_regions(regions).gzip();
        let desk = Desk::with(&[("x/Isles.oar", &isles(&[("Hill", 5), ("Quay", 3)]))]);
        let audit = format!("audit x --out report -q --format csv {knowing}");
        desk.run_to(DONE, &audit);
        desk.write("x/Isles.oar", isles(&[("Hill", 5)]));
        desk.run_to(DONE, &audit);
        let found = gone(&desk, "report");
        assert!(found.len() == 1 && found[0].0 == "Quay", "{knowing} {found:?}");
        assert!(found[0].1.ends_with(" had 3 objects"), "{found:?}");
        // The same name in the same file, with another UUID.
        let desk = Desk::with(&[("x/Here.oar", &region(1, 3))]);
        desk.run_to(DONE, &audit);
        let again =
            Archive::new(&control(&uuid(0x4e4e_4e4e, 77), "256,256")).add("settings/R1.xml", settings("1"));
        desk.write("x/Here.oar", again.gzip());
        desk.run_to(DONE, &audit);
        assert!(gone(&desk, "report").is_empty(), "{knowing}: {:?}", gone(&desk, "report"));
        // Another region in its place.
        desk.write("x/Here.oar", region(2, 3));
        desk.run_to(DONE, &audit);
        assert!(names_of_gone(&desk, "report").contains(&"R1".to_owned()), "{knowing}");
    }
}

#[test]
fn a_run_that_reads_less_says_nothing_about_the_rest() {
    let names: Vec<String> = (1..=4).map(|number| format!("exports/{number}.oar")).collect();
    let desk = Desk::with(&[]);
    for (number, name) in (1..).zip(&names) {
        desk.write(name, region(number, number));
    }
    desk.write("elsewhere/e.oar", region(9, 9));
    let both = "--ledgers kept --baseline whole";
    desk.run_to(DONE, "audit exports elsewhere --out whole -q --ledgers kept");
    fs::remove_file(desk.at(&names[3])).unwrap();
    for less in [
        "audit exports/1.oar",
        "audit exports/1.oar exports/2.oar exports/3.oar",
        "audit elsewhere",
        "audit exports --region R1",
        "audit exports --owner 0a0a0a0a-0000-4000-8000-000000000001",
        "audit exports --min-severity blocker",
    ] {
        desk.run_to(DONE, &format!("{less} --out part -q {both}"));
        assert!(gone(&desk, "part").is_empty(), "{less}: {:?}", gone(&desk, "part"));
    }
    // What it looked for is news, whatever else it left out.
    desk.run_to(DONE, &format!("audit exports --out part -q {both}"));
    assert_eq!(names_of_gone(&desk, "part"), ["R4"]);
    // A file that was never read may be the one that is missed.
    desk.write("exports/never.oar", region(5, 1));
    let share = sample_flag(&[], &["exports/never.oar"]).unwrap();
    for limit in [format!("--sample {share}"), "--budget-time 1ns".into()] {
        desk.write("exports/1.oar", region(1, 2));
        desk.write("exports/also-never.oar", region(6, 1));
        let run = desk.run(&format!("audit exports --out part -q --baseline whole {limit}"));
        assert_eq!(run.code, DONE);
        if desk.column("part", "archives", "status").contains(&"not_covered".into()) {
            assert!(gone(&desk, "part").is_empty(), "{limit}: {:?}", gone(&desk, "part"));
            let unknown = super::unknown(&desk, "part", "HIS009");
            assert!(unknown.len() == 1 && unknown[0].1.starts_with("it depends on an input"), "{unknown:?}");
        }
    }
}

#[test]
fn a_report_from_ledgers_says_the_same() {
    let desk = Desk::with(&[("x/a.oar", &region(1, 3)), ("x/b.oar", &region(2, 7))]);
    desk.run_to(DONE, "scan x --ledgers kept -q");
    desk.run_to(DONE, "report kept --out before -q");
    fs::remove_file(desk.at("x/b.oar")).unwrap();
    desk.run_to(DONE, "scan x --ledgers kept -q");
    for baseline in ["", " --baseline before"] {
        desk.run_to(DONE, &format!("report kept --out after -q{baseline}"));
        assert_eq!(names_of_gone(&desk, "after"), ["R2"], "{baseline}");
    }
    // Ledgers alone say nothing about others.
    let ledger = desk.ledgers("kept").into_keys().find(|name| name.ends_with(".ledger")).unwrap();
    desk.run_to(DONE, &format!("report kept/{ledger} --out after -q --baseline before"));
    assert!(gone(&desk, "after").is_empty());
}

#[test]
fn an_earlier_run_that_is_gone_makes_the_audit_incomplete() {
    let desk = Desk::with(&[("x/a.oar", &region(1, 3))]);
    for audit in [
        "audit x --out report --baseline report --ledgers kept --fail-on-new warning",
        "audit x --out other --baseline report --ledgers kept",
    ] {
        desk.run_to(DONE, audit);
        desk.run_to(DONE, audit);
        fs::rename(desk.at("report"), desk.at("away")).unwrap();
        let run = desk.run_to(INCOMPLETE, audit);
        let out = audit.split(' ').nth(3).unwrap();
        let messages = history_findings(&desk, out);
        let words =
            "The earlier run report is gone, so nothing is compared: an earlier run of this --ledgers had it";
        assert!(messages.contains(&[String::new(), "HIS010".into(), words.into()]), "{messages:?}");
        assert!(
            run.stdout.contains("INCOMPLETE") || run.stderr.contains("INCOMPLETE"),
            "{}{}",
            run.stdout,
            run.stderr
        );
        if out == "report" {
            // The run wrote a new one.
            desk.run_to(DONE, audit);
        }
        let _ = fs::remove_dir_all(desk.at("report"));
        fs::rename(desk.at("away"), desk.at("report")).unwrap();
    }
    // A path that never was there is a mistake, and the first run of a folder has nothing to compare with.
    desk.run_to(USAGE, "audit x --out other --baseline nowhere --ledgers kept");
    desk.run_to(DONE, "audit x --out first --baseline first --ledgers kept");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6) })]

    /// Archives come, go, move and are renamed. What is reported is what was seen and is nowhere, with any number of
    /// threads, whoever knows of it.
    #[test]
    fn what_is_nowhere_is_reported(
        nights in prop::collection::vec(prop::collection::vec(0..5_u32, 4), 2..5),
        knowing in 0..3_usize,
    ) {
        let knowing = [KNOWING[0], KNOWING[2], KNOWING[3]][knowing];
        let desk = Desk::with(&[("exports/always.oar", &region(9, 1))]);
        let mut places: BTreeMap<u32, String> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for (night, moves) in nights.iter().enumerate() {
            for (number, what) in (1..).zip(moves) {
                let old = places.remove(&number);
                let new = match (&old, what) {
                    (None, 0) | (Some(_), 1) => None,
                    (None, _) => Some(format!("exports/{number}.oar")),
                    (Some(_), 2) => Some(format!("exports/{night}/{number}.oar")),
                    (Some(_), 3) => Some(format!("exports/{number} of {night}.oar")),
                    (Some(old), _) => Some(old.clone()),
                };
                if let Some(old) = old {
                    fs::remove_file(desk.at(&old)).unwrap();
                    // An empty folder is another finding.
                    let _ = fs::remove_dir(desk.at(&old).parent().unwrap());
                }
                if let Some(new) = new {
                    desk.write(&new, region(number, number));
                    places.insert(number, new);
                    seen.insert(format!("R{number}"));
                }
            }
            let here: BTreeSet<String> = places.keys().map(|number| format!("R{number}")).collect();
            let expected: Vec<String> = seen.difference(&here).cloned().collect();
            for threads in [1, 4] {
                desk.run_to(DONE, &format!("audit exports --out report -q --threads {threads} {knowing}"));
                prop_assert_eq!(&names_of_gone(&desk, "report"), &expected, "night {}, {}", night, knowing);
            }
        }
    }
}

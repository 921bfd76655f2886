//! Copies under rotating names: the region is the same, the date inside is another, and the name says nothing.

use super::{archives, evaluated};
use crate::support::{
    archive::{Archive, control, settings},
    backups::history_findings,
    desk::{DONE, Desk, FINDINGS, Row, assert_same},
    object::{Prim, uuid, xml2},
    repository,
    samples::dump_of,
    shared,
};
use proptest::prelude::*;
use std::{
    fs::{self, File},
    time::{Duration, SystemTime},
};

const DAY: u32 = 86_400;
const MONDAY: u32 = 1_763_856_000;

/// Returns a backup of a region that was made at this time. 0 is no time.
fn backup(region: u32, objects: u32, created: u32) -> Vec<u8> {
    let control = control(&uuid(0x4e4e_4e4e, region), "256,256");
    let control = match created {
        0 => control.replace("<datetime>1500000000</datetime>", ""),
        _ => control.replace("1500000000", &created.to_string()),
    };
    let archive = Archive::new(&control)
        .add("settings/Square.xml", settings("1"))
        .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, region)), "a note");
    let object = |archive: Archive, object| {
        archive.add(&format!("objects/{object}.xml"), xml2(&[Prim::new("Box", 1000 * region + object)]))
    };
    (0..objects).fold(archive, object).gzip()
}

fn touch(desk: &Desk, name: &str, seconds: u32) {
    let file = File::options().append(true).open(desk.at(name)).unwrap();
    file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.into())).unwrap();
}

/// Seven days, three weeks, and a region that lost most objects tonight.
fn rotation() -> Desk {
    let desk = Desk::with(&[]);
    for (day, name) in (0..).zip(["Thu", "Fri", "Sat", "Sun", "Mon", "Tue"]) {
        desk.write(&format!("oar/Main Square/Daily/{name}.oar"), backup(1, 40, MONDAY + day * DAY - 4 * DAY));
    }
    for week in 45..48 {
        desk.write(
            &format!("oar/Main Square/Weekly/{week}.oar"),
            backup(1, 40, MONDAY - (49 - week) * 7 * DAY),
        );
    }
    desk.write("oar/Main Square/Daily/Wed.oar", backup(1, 3, MONDAY + 2 * DAY));
    desk
}

#[test]
fn a_rotation_is_one_region_and_its_loss_is_heard_at_the_first_run() {
    let desk = rotation();
    let run = desk.run_to(FINDINGS, "audit oar --out report --fail-on error --now 2025-11-25T04:00:00Z");
    assert!(run.stdout.contains("1 region"), "{}", run.stdout);
    let totals = &desk.audit_json("report")["totals"];
    assert_eq!([&totals["regions"], &totals["objects"], &totals["older_copies"]], [1, 3, 9]);
    assert_eq!(evaluated(&desk, "report"), ["Wed.oar"]);
    let rows = archives(&desk, "report");
    assert!(rows.values().all(|row| row["series"] == "oar/Main Square/Daily/Fri.oar"), "{rows:?}");
    assert_eq!(rows["46.oar"]["superseded_by"], "oar/Main Square/Daily/Wed.oar");
    let found = history_findings(&desk, "report");
    assert!(found.len() == 1 && found[0][1] == "HIS001", "{found:?}");
    assert!(found[0][2].contains("objects from 40 to 3 since Tue.oar"), "{found:?}");
    desk.run_to(DONE, "audit oar --out all -q --all-copies");
    assert_eq!(desk.audit_json("all")["totals"]["objects"], 363);
}

#[test]
fn the_case_of_the_field_is_one_region() {
    let Some(shared) = shared() else { return };
    let case = shared.join("field/cases/20-rotating-backups/oar");
    if !case.is_dir() {
        return;
    }
    let desk = Desk::with(&[]);
    desk.run_to(FINDINGS, &format!("audit {} --out report -q --fail-on error", case.display()));
    let totals = &desk.audit_json("report")["totals"];
    assert_eq!([&totals["regions"], &totals["objects"]], [1, 3]);
    assert!(history_findings(&desk, "report").iter().any(|[_, code, _]| code == "HIS001"));
    let case = shared.join("field/cases/30-conflicted-copy/bin");
    desk.run_to(DONE, &format!("audit {} --out report -q", case.display()));
    let totals = &desk.audit_json("report")["totals"];
    assert_eq!([&totals["regions"], &totals["objects"], &totals["older_copies"]], [1, 125, 1]);
}

/// In the nights after, the rotation overwrites its files. Nothing of it is gone, added or removed.
#[test]
fn nights_of_a_rotation_are_compared_by_the_region() {
    let desk = rotation();
    let audit = "audit oar --out report -q --ledgers kept --baseline report --format csv";
    desk.run_to(DONE, audit);
    let fingerprint = |desk: &Desk| -> Vec<String> {
        let findings = desk.table("report", "findings").into_iter();
        findings.filter(|row| row["code"] == "HIS001").map(|row| row["fingerprint"].clone()).collect()
    };
    let first = fingerprint(&desk);
    for (night, name) in (3..10).zip(["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]) {
        desk.write(&format!("oar/Main Square/Daily/{name}.oar"), backup(1, 3, MONDAY + night * DAY));
        if night == 6 {
            fs::remove_file(desk.at("oar/Main Square/Weekly/45.oar")).unwrap();
            desk.write("oar/Main Square/Weekly/48.oar", backup(1, 3, MONDAY + night * DAY - 1));
        }
        desk.run_to(DONE, audit);
        assert_eq!(evaluated(&desk, "report"), [format!("{name}.oar")]);
        assert_eq!(fingerprint(&desk), first, "{name}: the same loss is the same finding");
        let codes: Vec<String> =
            history_findings(&desk, "report").into_iter().map(|[_, code, _]| code).collect();
        assert_eq!(codes, ["HIS001"], "{name}");
        let counts = &desk.audit_json("report")["changes"]["counts"];
        assert_eq!([&counts["archives_came"], &counts["archives_went"], &counts["objects_went"]], [0, 0, 0]);
        assert_eq!(counts["new"]["blocker"], 0, "{name}");
    }
    // The ledgers of weeks that were rotated away do not stay.
    assert!(!desk.ledgers("kept").keys().any(|name| name.starts_with("45.oar")));
}

#[test]
fn archives_of_one_date_stay_two_with_a_warning() {
    let same = backup(1, 4, MONDAY);
    let empty = |created| backup(1, 0, created);
    for (one, other, code) in
        [(same.clone(), same.clone(), "XAR001"), (empty(MONDAY), empty(MONDAY), "XAR004")]
    {
        let desk =
            Desk::with(&[("x/a.oar", &one), ("x/b.oar", &other), ("x/old.oar", &backup(1, 4, MONDAY - 1))]);
        desk.run_to(FINDINGS, "audit x --out report -q --fail-on warning");
        assert_eq!(evaluated(&desk, "report"), ["a.oar", "b.oar"], "{code}");
        assert_eq!(archives(&desk, "report")["old.oar"]["status"], "superseded");
        let findings = desk.table("report", "findings");
        let is_warned =
            |row: &Row| row["code"] == code && row["archive"] == "x/b.oar" && row["severity"] == "warning";
        assert!(findings.iter().any(is_warned), "{findings:?}");
    }
    // Other regions, other kinds.
    let iar = Archive::new("<archive major_version=\"0\" minor_version=\"3\"/>").gzip();
    let desk = Desk::with(&[("x/a.oar", &backup(1, 1, MONDAY)), ("x/b.oar", &backup(2, 1, MONDAY + 1))]);
    desk.write("x/a.iar", &iar);
    desk.write("x/b.iar", &iar);
    desk.run_to(DONE, "audit x --out report -q");
    assert_eq!(desk.audit_json("report")["totals"]["older_copies"], 0);
}

#[test]
fn without_a_date_inside_the_time_of_the_file_decides() {
    let desk = Desk::with(&[("x/Main_1.oar", &backup(1, 5, 0)), ("x/Main_2.oar", &backup(1, 4, 0))]);
    for (one, two, newest) in [(10, 20, "Main_2.oar"), (20, 10, "Main_1.oar")] {
        touch(&desk, "x/Main_1.oar", MONDAY + 60 * one);
        touch(&desk, "x/Main_2.oar", MONDAY + 60 * two);
        desk.run_to(DONE, "audit x --out report -q");
        assert_eq!(evaluated(&desk, "report"), [newest]);
    }
    touch(&desk, "x/Main_2.oar", MONDAY + 60 * 20 + 5);
    desk.run_to(DONE, "audit x --out report -q");
    assert_eq!(evaluated(&desk, "report").len(), 2, "neither is known to be newer");
}

#[test]
fn two_databases_of_one_region_are_copies() {
    let database = fs::read(repository().join("sample_data/databases/standalone/OpenSim.db")).unwrap();
    let copy = "bin/OpenSim (PC's conflicted copy 2026-11-24).db";
    for seconds in [0, 1, 3600] {
        let desk = Desk::with(&[("bin/OpenSim.db", &database), (copy, &database)]);
        touch(&desk, "bin/OpenSim.db", MONDAY);
        desk.run_to(DONE, "audit bin/OpenSim.db --out one -q");
        touch(&desk, copy, MONDAY + seconds);
        desk.run_to(DONE, "audit bin --out report -q");
        let [one, both] = ["one", "report"].map(|report| desk.audit_json(report)["totals"].clone());
        assert!(one["objects"].as_u64() > Some(0));
        assert_eq!([&both["objects"], &both["regions"]], [&one["objects"], &one["regions"]], "{seconds}");
        assert_eq!(both["older_copies"], 1);
    }
}

#[test]
fn the_loss_in_a_database_is_heard_by_the_copy_beside_it() {
    let desk = Desk::with(&[("x/opensim.sql", &dump_of(3)), ("x/opensim (old).sql", &dump_of(40))]);
    touch(&desk, "x/opensim.sql", MONDAY + DAY);
    touch(&desk, "x/opensim (old).sql", MONDAY);
    desk.run_to(FINDINGS, "audit x --out report -q --fail-on blocker");
    assert_eq!(evaluated(&desk, "report"), ["opensim.sql"]);
    let found = history_findings(&desk, "report");
    assert!(found.len() == 1 && found[0][1] == "HIS001", "{found:?}");
    assert!(found[0][2].contains(": objects from 41 to 4 since opensim (old).sql"), "{found:?}");
    // The other way round nothing is lost, and so it is with the same database compacted.
    touch(&desk, "x/opensim (old).sql", MONDAY + 2 * DAY);
    desk.run_to(DONE, "audit x --out report -q --fail-on blocker");
    assert_eq!(evaluated(&desk, "report"), ["opensim (old).sql"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(6) })]

    /// Of each region the newest backup counts, under whatever name. Names, the order of arguments, threads, shards and
    /// kept ledgers make no difference.
    #[test]
    fn the_newest_counts_under_any_name(
        nights in prop::collection::vec((1..4_u32, 0..6_usize, 1..9_u32), 1..9),
        share in 1..4_u32,
    ) {
        let desk = Desk::with(&[]);
        let mut held = std::collections::BTreeMap::new();
        for (night, &(region, name, objects)) in (1..).zip(&nights) {
            let names = ["Daily/Mon", "Daily/Tue", "Weekly/46", "Main_1", "Main (2)", "x-2026-11-01"];
            let name = format!("in/{}.oar", names[name]);
            desk.write(&name, backup(region, objects, MONDAY + night * DAY));
            held.insert(name, (region, night, objects));
            // A night is read as it comes, so ledgers know another order.
            desk.run_to(DONE, "audit in --out warm -q --ledgers kept --format csv --ignore HIS,RUN003");
        }
        let newest = |of: u32| held.values().filter(|(region, ..)| *region == of).max_by_key(|(_, night, _)| *night);
        let objects: u32 = (1..4).filter_map(newest).map(|(.., objects)| *objects).sum();
        desk.run_to(DONE, "audit in --out report -q --format csv --threads 1 --ignore HIS,RUN003");
        prop_assert_eq!(&desk.audit_json("report")["totals"]["objects"], objects);
        assert_same(&desk.files("warm"), &desk.files("report"));
        let names: Vec<&str> = held.keys().rev().map(String::as_str).collect();
        let named = format!("audit {} --out named -q --format csv --ignore HIS,RUN003", names.join(" "));
        if !named.contains("Main (2)") {
            desk.run_to(DONE, &named);
            assert_same(&desk.files("named"), &desk.files("report"));
        }
        desk.run_to(DONE, "plan in -o plan.json");
        for number in 1..=share {
            desk.run_to(DONE, &format!("scan --plan plan.json --shard {number}/{share} --ledgers parts -q"));
        }
        desk.run_to(DONE, "report parts --plan plan.json --out sharded -q --format csv --ignore HIS,RUN003");
        assert_same(&desk.files("sharded"), &desk.files("report"));
    }
}

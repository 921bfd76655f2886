//! What a backup lost is no improvement: it is counted apart from what got better.

use crate::support::{
    archive::{Archive, control, settings},
    backups::archive_of_regions,
    desk::{DONE, Desk},
    object::{Prim, uuid, xml2},
};
use proptest::prelude::*;
use serde_json::Value;
use std::{collections::BTreeMap, fs};

/// Returns a region with boxes, and a linkset that is too wide (LNK001) if there are any.
fn region(number: u32, boxes: u32) -> Vec<u8> {
    let region = Archive::new(&control(&uuid(0x4e4e_4e4e, number), "256,256"))
        .add(&format!("settings/R{number}.xml"), settings("1"))
        .add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, number)), "a note");
    let first = 1000 * number;
    let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Far end", first + 999) };
    let region = match boxes {
        0 => region,
        _ => region.add("objects/wide.xml", xml2(&[Prim::new("Wide", first + 998), far])),
    };
    let object = |region: Archive, number| {
        region.add(&format!("objects/{number}.xml"), xml2(&[Prim::new("Box", first + number)]))
    };
    (1..boxes).fold(region, object).gzip()
}

/// Returns the counts of a comparison: better findings, gone findings, lighter regions and objects, lost objects.
fn counts(desk: &Desk) -> [u64; 5] {
    let counts = &desk.audit_json("report")["changes"]["counts"];
    let number = |value: &Value| value.as_u64().unwrap();
    let gone = ["blocker", "error", "warning", "info"].map(|severity| number(&counts["gone"][severity]));
    let lighter = number(&counts["lighter"]["regions"]) + number(&counts["lighter"]["objects"]);
    [
        number(&counts["better"]),
        gone.iter().sum(),
        lighter,
        number(&counts["objects_went"]),
        number(&counts["lost"]["objects"]),
    ]
}

const NIGHT: &str = "audit exports --out report -q --format csv,html --baseline report --ignore RUN003";

#[test]
fn what_is_gone_with_its_archive_is_not_better() {
    let desk = Desk::with(&[("exports/a.oar", &region(1, 40)), ("exports/b.oar", &region(2, 20))]);
    desk.run_to(DONE, NIGHT);
    fs::rename(desk.at("report"), desk.at("before")).unwrap();
    fs::remove_file(desk.at("exports/b.oar")).unwrap();
    let run =
        desk.run_to(DONE, "audit exports --out report --format csv,html --baseline before --ignore RUN003");
    assert_eq!(counts(&desk), [0, 0, 0, 0, 20]);
    let lost = &desk.audit_json("report")["changes"]["counts"]["lost"];
    // 19 boxes, and a linkset of two prims.
    assert_eq!([&lost["archives"], &lost["regions"]], [1, 1]);
    assert_eq!(lost["difference"], -21.0);
    assert_eq!(lost["findings"]["error"], 1);
    assert!(
        run.stdout.contains("Lost: 1 archive; land impact −21 in 1 region; 20 objects; "),
        "{}",
        run.stdout
    );
    for word in ["Better", "Lighter", "Resolved", "Nothing got worse"] {
        assert!(!run.stdout.contains(word), "{word}: {}", run.stdout);
    }
    let page = fs::read_to_string(desk.at("report/audit.html")).unwrap();
    assert!(page.contains("<h2>Lost, by land impact</h2>") && !page.contains("<h2>Lighter"));
}

#[test]
fn what_ends_with_another_archive_is_not_resolved() {
    let twin = |number: u32| {
        let boxes = xml2(&[Prim::new("Box", 1)]);
        Archive::new(&control(&uuid(0x4e4e_4e4e, number), "256,256")).add("objects/box.xml", boxes).gzip()
    };
    let desk = Desk::with(&[("exports/a.oar", &twin(1)), ("exports/b.oar", &twin(2))]);
    desk.run_to(DONE, NIGHT);
    let across = || {
        let findings = desk.table("report", "findings").into_iter();
        findings.filter(|row| row["code"].starts_with("XAR")).count()
    };
    assert!(across() > 0);
    fs::remove_file(desk.at("exports/b.oar")).unwrap();
    desk.run_to(DONE, NIGHT);
    assert_eq!((across(), counts(&desk)), (0, [0, 0, 0, 0, 1]));
    let changes = desk.table("report", "changes");
    let ended = changes.iter().find(|row| row["code"] == "XAR001").unwrap();
    assert_eq!(ended["change"], "lost");
}

#[test]
fn what_is_gone_with_most_of_an_archive_is_not_better() {
    let desk = Desk::with(&[("exports/a.oar", &region(1, 40)), ("exports/b.oar", &region(2, 20))]);
    desk.run_to(DONE, NIGHT);
    desk.write("exports/a.oar", region(1, 0));
    // One object of another archive is gone on purpose.
    desk.write("exports/b.oar", region(2, 19));
    desk.run_to(DONE, NIGHT);
    // The region and the object that is gone are lighter.
    assert_eq!(counts(&desk), [0, 0, 2, 1, 40]);
    let changes = desk.table("report", "changes");
    let lost = changes.iter().filter(|row| row["change"] == "lost" && row["kind"] == "finding");
    let codes: Vec<&str> = lost.map(|row| row["code"].as_str()).collect();
    assert!(codes.contains(&"LNK001"), "{codes:?}");
    // In the next run the loss is known. What goes then, goes by itself.
    desk.write("exports/b.oar", region(2, 18));
    desk.run_to(DONE, NIGHT);
    assert_eq!(counts(&desk), [0, 0, 2, 1, 0]);
}

#[test]
fn a_region_that_left_its_archive_is_lost_if_no_other_has_it() {
    let both = archive_of_regions(&[("Hill", 5), ("Quay", 3)]).gzip();
    let desk = Desk::with(&[("exports/Isles.oar", &both)]);
    desk.run_to(DONE, NIGHT);
    desk.write("exports/Isles.oar", archive_of_regions(&[("Hill", 5)]).gzip());
    desk.run_to(DONE, NIGHT);
    assert_eq!(counts(&desk), [0, 0, 0, 0, 3]);
    // The same, but an archive of its own has the region.
    let desk = Desk::with(&[("exports/Isles.oar", &both)]);
    desk.run_to(DONE, NIGHT);
    desk.write("exports/Isles.oar", archive_of_regions(&[("Hill", 5)]).gzip());
    desk.write("exports/Quay.oar", archive_of_regions(&[("Quay", 3)]).gzip());
    desk.run_to(DONE, NIGHT);
    assert_eq!(counts(&desk)[3..], [3, 0]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// Archives are deleted, fail, and stay. Nothing of that is better, and the lost objects are those that are missing.
    #[test]
    fn no_loss_is_an_improvement(nights in prop::collection::vec(prop::collection::vec(0..4_u32, 4), 2..4)) {
        let desk = Desk::with(&[("exports/always.oar", &region(9, 12))]);
        let mut held: BTreeMap<u32, u32> = BTreeMap::new();
        for (number, night) in nights.iter().enumerate() {
            let mut missing = 0;
            for (archive, what) in (1..).zip(night) {
                let name = format!("exports/{archive}.oar");
                let before = held.remove(&archive);
                let now = match (before, what) {
                    (_, 0) => None,
                    // A backup that fails.
                    (Some(before), 1) if before > 0 => Some(0),
                    (Some(before), _) => Some(before),
                    (None, _) => Some(20 + archive),
                };
                match now {
                    Some(now) => desk.write(&name, region(archive, now)),
                    None => drop(fs::remove_file(desk.at(&name))),
                }
                missing += before.unwrap_or(0).saturating_sub(now.unwrap_or(0));
                held.extend(now.map(|now| (archive, now)));
            }
            desk.run_to(DONE, NIGHT);
            if number > 0 {
                prop_assert_eq!(counts(&desk), [0, 0, 0, 0, u64::from(missing)]);
            }
        }
    }
}

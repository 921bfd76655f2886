//! Archives are copies of each other if they have the same folder, name and region.

use super::{archives, region};
use crate::support::{
    archive::{Archive, control, settings},
    backups::{archive_of_regions, backup_name},
    desk::{DONE, Desk, INCOMPLETE, Row},
    object::{Prim, uuid, xml2},
};
use hullmark_report::diff;
use hullmark_util::dates_in_names::undated;

/// Two archives by name and content, and whether they are copies of each other.
type Pair<'a> = (&'a str, Vec<u8>, &'a str, Vec<u8>, bool);

#[test]
fn copies_share_folder_name_and_region() {
    let chairs = |number| region(number, 1, "1500000000").gzip();
    let inventory = || Archive::new("<archive major_version=\"0\" minor_version=\"3\"/>");
    let item = |archive: Archive| {
        archive.add(&format!("inventory/Hat__{}.xml", uuid(7, 7)), "<InventoryItem/>").gzip()
    };
    let isles = |regions: &[(&str, u32)]| archive_of_regions(regions).gzip();
    let cases: [Pair<'_>; 12] = [
        ("Here-2026-11-09.oar", chairs(1), "Here-2026-11-10.oar", chairs(1), true),
        ("2026-11-09/Here.oar", chairs(1), "2026-11-10/Here.oar", chairs(1), true),
        // Names without dates are two exports.
        ("Here.oar", chairs(1), "Here-2026-11-10.oar", chairs(1), false),
        ("Here-1.oar", chairs(1), "Here-2.oar", chairs(1), false),
        ("Here-#.oar", chairs(1), "Here-2026-11-10.oar", chairs(1), false),
        // Another folder, another name, another region.
        ("a/Here-2026-11-09.oar", chairs(1), "b/Here-2026-11-10.oar", chairs(1), false),
        ("Here-2026-11-09.oar", chairs(1), "There-2026-11-10.oar", chairs(1), false),
        ("Here-2026-11-09.oar", chairs(1), "Here-2026-11-10.oar", chairs(2), false),
        // Archives with several regions are copies if all regions are the same, in any order.
        (
            "Isles-2026-11-09.oar",
            isles(&[("Hill", 1), ("Quay", 1)]),
            "Isles-2026-11-10.oar",
            isles(&[("Quay", 1), ("Hill", 1)]),
            true,
        ),
        (
            "Isles-2026-11-09.oar",
            isles(&[("Hill", 1), ("Quay", 1)]),
            "Isles-2026-11-10.oar",
            isles(&[("Hill", 1)]),
            false,
        ),
        // Inventories have no region.
        ("People-2026-11-09.iar", item(inventory()), "People-2026-11-10.iar", item(inventory()), true),
        ("Here-2026-11-09.tgz", item(inventory()), "Here-2026-11-10.tgz", chairs(1), false),
    ];
    for (old, old_bytes, new, new_bytes, are_copies) in cases {
        let desk = Desk::with(&[]);
        desk.write(&format!("exports/{old}"), &old_bytes);
        desk.write(&format!("exports/{new}"), &new_bytes);
        desk.run_to(DONE, "audit exports --out report -q");
        let superseded = desk.column("report", "archives", "status").contains(&"superseded".into());
        assert_eq!(superseded, are_copies, "{old} {new}");
        let totals = &desk.audit_json("report")["totals"];
        assert_eq!([&totals["inputs"], &totals["older_copies"]], [2, u64::from(are_copies)], "{old} {new}");
        // A comparison with another run uses one archive of each path.
        let night = diff::of_report(&desk.at("report"), &desk.at("."), diff::Extent::Objects).unwrap();
        let is_one_path = are_copies || undated(old) == undated(new) && !old.contains('#');
        assert_eq!(night.archives.len(), if is_one_path { 1 } else { 2 }, "{old} {new}");
    }
}

#[test]
fn a_copy_that_could_not_be_read_belongs_to_its_folder_and_name() {
    // Two regions use the same name, one after the other. The broken copy belongs to the later region.
    let desk = Desk::with(&[]);
    for (day, number) in [(1, 1), (2, 1), (3, 2), (4, 2)] {
        desk.write(
            &format!("exports/{}", backup_name(day)),
            region(number, day, &format!("150000000{day}")).gzip(),
        );
    }
    desk.write(&format!("exports/{}", backup_name(5)), b"\x1f\x8b\x08\0");
    desk.run_to(INCOMPLETE, "audit exports --out report -q");
    let rows = archives(&desk, "report");
    let reported: Vec<_> = rows.values().map(|row| [&*row["status"], &*row["in_place_of"]]).collect();
    let newest = format!("exports/{}", backup_name(5));
    // The earlier region is evaluated, but it is not compared with another run.
    assert_eq!(
        [&*rows[&backup_name(2)]["series"], &*rows[&backup_name(4)]["series"]],
        ["", "exports/Here_#.oar"]
    );
    desk.run_to(INCOMPLETE, "audit exports --out report -q --baseline report");
    let findings = desk.table("report", "findings");
    let news = |day: u32| -> Vec<&str> {
        let is_of = |row: &&Row| row["archive"].ends_with(&backup_name(day)) && row["code"] == "LNK001";
        findings.iter().filter(is_of).map(|row| &*row["baseline_status"]).collect()
    };
    assert_eq!([news(2), news(4)], [["not_compared"], ["known"]]);
    assert_eq!(
        reported,
        [
            ["superseded", ""],
            ["complete", ""],
            ["superseded", ""],
            ["complete", &*newest],
            ["unreadable", ""]
        ]
    );
}

#[test]
fn unpacked_copies_count_once_and_folders_of_loose_files_are_no_copies() {
    let desk = Desk::with(&[]);
    for day in ["2026-11-09", "2026-11-10"] {
        desk.write(&format!("trees/Here-{day}/archive.xml"), control(&uuid(0x4e4e_4e4e, 1), "256,256"));
        desk.write(&format!("trees/Here-{day}/settings/Here.xml"), settings("1"));
        desk.write(&format!("trees/Here-{day}/objects/Box.xml"), xml2(&[Prim::new("Box", 7)]));
        desk.write(&format!("loose/{day}/Box.xml"), xml2(&[Prim::new("Box", 9)]));
    }
    desk.run_to(DONE, "audit trees loose --out report -q");
    let statuses = desk.column("report", "archives", "status");
    assert_eq!(statuses.iter().filter(|status| *status == "superseded").count(), 1, "{statuses:?}");
    let totals = &desk.audit_json("report")["totals"];
    assert_eq!([&totals["objects"], &totals["loose_objects"], &totals["older_copies"]], [1, 2, 1]);
}

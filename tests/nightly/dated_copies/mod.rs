//! Dated copies of one archive: one copy counts, and the report names the others.

mod newest;
mod rotating;
mod series;

use crate::support::{
    archive::{Archive, control, settings},
    backups::backup_name,
    desk::{Desk, Row},
    object::{Prim, uuid, xml2},
};
use std::collections::BTreeMap;

/// Returns a region with chairs and a linkset that is too wide (LNK001).
fn region(number: u32, chairs: u32, created: &str) -> Archive {
    let control = control(&uuid(0x4e4e_4e4e, number), "256,256").replace("1500000000", created);
    let far = Prim { offset: [60.0, 0.0, 0.0], ..Prim::new("Far end", 1000 * number + 2) };
    let bridge = xml2(&[Prim::new("Bridge", 1000 * number + 1), far]);
    let archive = Archive::new(&control).add("settings/Here.xml", settings("1"));
    let archive = archive.add("objects/bridge.xml", bridge);
    let archive = archive.add(&format!("assets/{}_notecard.txt", uuid(0x1010_1010, number)), "a note");
    (0..chairs).fold(archive, |archive, chair| {
        let chair = 1000 * number + 10 + chair;
        archive.add(&format!("objects/{chair}.xml"), xml2(&[Prim::new("Chair", chair)]))
    })
}

/// Creates seven daily copies of one region, each with one more chair. Their archive.xml and their names agree.
fn week() -> Desk {
    let desk = Desk::with(&[]);
    for day in 1..=7 {
        let archive = region(1, day, &format!("{}", 1_500_000_000 + 86_400 * day));
        desk.write(&format!("exports/{}", backup_name(day)), archive.gzip());
    }
    desk
}

/// Returns the rows of the table `archives`, keyed by the last component of the path.
fn archives(desk: &Desk, report: &str) -> BTreeMap<String, Row> {
    let rows = desk.table(report, "archives").into_iter();
    rows.map(|row| (row["archive"].rsplit('/').next().unwrap().to_owned(), row)).collect()
}

/// Returns the archives that a report evaluates.
fn evaluated(desk: &Desk, report: &str) -> Vec<String> {
    let mut evaluated = desk.column(report, "checks", "archive");
    evaluated.retain(|name| !name.is_empty());
    evaluated.dedup();
    evaluated.iter().map(|name| name.rsplit('/').next().unwrap().to_owned()).collect()
}

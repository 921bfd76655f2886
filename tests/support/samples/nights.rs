//! Daily backups of one region, as AutoBackup names them. The names do not sort by day.

use super::{File, REGION, object};
use crate::support::{
    archive::{Archive, control, settings},
    object::{Prim, uuid},
};

pub(super) fn all() -> Vec<File> {
    let backup = |region: &str, day: u32, archive: Archive| {
        (format!("{region}_2026y_11M_{day}d_4h_0m_7s.oar"), archive.gzip())
    };
    vec![
        backup("Harbour", 9, region(1, 12).add(&note(1), "a note")),
        backup("Harbour", 10, region(1, 1).add(&note(1), "a note")),
        backup("Quay", 9, region(21, 2).add(&note(2), "a note")),
        backup("Quay", 10, region(21, 2).add(&note(2), "")),
    ]
}

/// Returns a region with this number of crates.
fn region(first: u32, crates: u32) -> Archive {
    (0..crates)
        .fold(Archive::new(&control(REGION, "256,256")), |archive, number| {
            let position = [10.0 + 5.0 * f64::from(number), 20.0, 21.0];
            let (path, xml) = object(&Prim { position, ..Prim::new("Crate", 7000 + first + number) });
            archive.add(&path, xml)
        })
        .add("settings/Here.xml", settings("1"))
        .flat_ground("terrains/Here.r32", 256)
}

fn note(number: u32) -> String {
    format!("assets/{}_notecard.txt", uuid(0x1010_1010, 7000 + number))
}

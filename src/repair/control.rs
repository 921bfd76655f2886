//! Control files: archive.xml, which comes first.

use crate::mend::Change;
use hullmark_finding::Code;
use hullmark_ledger::{InputKind, Ledger, facts::RegionFacts};
use quick_xml::escape::escape;
use uuid::Uuid;

/// Returns the control file of an inventory.
pub(crate) fn of_inventory() -> Vec<u8> {
    with_version("0.3", "")
}

/// Returns the control file of one region with these sides, in metres.
pub(crate) fn of_region(size: [u32; 2], id: Option<Uuid>) -> Vec<u8> {
    let id = id.map(|id| format!("<creation_info><id>{id}</id></creation_info>")).unwrap_or_default();
    let [east, north] = size;
    with_version(
        "0.8",
        &format!(
            "{id}<region_info><is_megaregion>False</is_megaregion>\
             <size_in_meters>{east},{north}</size_in_meters></region_info>"
        ),
    )
}

/// Returns the control file of several regions, from west to east.
fn of_regions(regions: &[RegionFacts]) -> Vec<u8> {
    let rows = regions.iter().map(|region| {
        let folder = escape(&region.folder);
        let [east, north] = size_of(region);
        format!("<region><dir>{folder}</dir><size_in_meters>{east},{north}</size_in_meters></region>")
    });
    with_version("1.0", &format!("<regions><row>{}</row></regions>", rows.collect::<String>()))
}

fn with_version(version: &str, content: &str) -> Vec<u8> {
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<archive major_version=\"{major}\" minor_version=\"{minor}\">\
         <assets_included>True</assets_included>{content}</archive>"
    );
    text.into_bytes()
}

/// Returns a control file for an archive without one.
pub(crate) fn new_control(ledger: &Ledger) -> (Vec<u8>, Change) {
    let bytes = match ledger.regions.as_slice() {
        _ if matches!(ledger.kind, InputKind::Iar | InputKind::IarTree) => of_inventory(),
        regions if regions.iter().any(|region| !region.folder.is_empty()) => of_regions(regions),
        regions => of_region(regions.first().map_or([256, 256], size_of), None),
    };
    let why = "without it nothing is loaded; its sizes are those of the terrain";
    let change = Change::new(Code::ARC003, "archive.xml", why);
    let change = change.replacing("", &String::from_utf8_lossy(&bytes));
    (bytes, change)
}

/// Returns the sides of a region by its terrain: four bytes for each square metre.
fn size_of(region: &RegionFacts) -> [u32; 2] {
    let bytes = region.terrain.as_ref().map_or(0, |terrain| terrain.bytes);
    let side = (bytes / 4).isqrt();
    let is_region = side >= 256 && side.is_multiple_of(256) && side * side * 4 == bytes;
    let side = u32::try_from(side).ok().filter(|_| is_region).unwrap_or(256);
    [side, side]
}

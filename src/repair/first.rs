//! The first member of a name, and the control file, which comes first.

use crate::mend::Change;
use hullmark_finding::Code;
use hullmark_format::member::Kind;
use hullmark_ledger::{InputKind, Ledger, facts::RegionFacts};
use hullmark_source::{Input, Item, ReadRequest, Visitor, Wants, reread};
use quick_xml::escape::escape;

/// A member as it is in an archive.
pub(crate) struct FirstMember {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    /// Whether no member comes before it.
    pub(crate) is_first: bool,
}

/// Returns the first member with a wanted name.
pub(crate) fn first_member(
    input: &Input,
    request: &ReadRequest<'_>,
    is_stopped: &dyn Fn() -> bool,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<FirstMember> {
    let mut search = Search { is_wanted, members: 0, found: None, is_stopped };
    reread(input, request, &mut search);
    search.found
}

struct Search<'v> {
    is_wanted: &'v dyn Fn(&str) -> bool,
    members: u64,
    found: Option<FirstMember>,
    is_stopped: &'v dyn Fn() -> bool,
}

impl Visitor for Search<'_> {
    fn wants(&mut self, name: &str, _kind: Kind, _bytes: u64) -> Wants {
        self.members += 1;
        if (self.is_wanted)(name) { Wants::Whole } else { Wants::Nothing }
    }

    fn enough(&self) -> bool {
        self.found.is_some() || (self.is_stopped)()
    }

    fn item(&mut self, Item { name, bytes, .. }: Item) {
        self.found.get_or_insert(FirstMember { name, bytes, is_first: self.members == 1 });
    }
}

/// Returns a control file for an archive without one.
pub(crate) fn new_control(ledger: &Ledger) -> (Vec<u8>, Change) {
    let is_inventory = matches!(ledger.kind, InputKind::Iar | InputKind::IarTree);
    let has_folders = ledger.regions.iter().any(|region| !region.folder.is_empty());
    let (major, minor) = match (is_inventory, has_folders) {
        (true, _) => (0, 3),
        (false, true) => (1, 0),
        (false, false) => (0, 8),
    };
    let regions: String = match (is_inventory, has_folders) {
        (true, _) => String::new(),
        (false, true) => {
            let rows = ledger.regions.iter().map(|region| {
                let folder = escape(&region.folder);
                format!("<region><dir>{folder}</dir>{}</region>", size_of(region))
            });
            format!("<regions><row>{}</row></regions>", rows.collect::<String>())
        }
        (false, false) => {
            let size = ledger.regions.first().map(size_of).unwrap_or_default();
            format!("<region_info><is_megaregion>False</is_megaregion>{size}</region_info>")
        }
    };
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"utf-16\"?>\n<archive major_version=\"{major}\" minor_version=\"{minor}\">\
         <assets_included>True</assets_included>{regions}</archive>"
    );
    let change = Change::new(
        Code::ARC003,
        "archive.xml",
        "without it nothing is loaded; its sizes are those of the terrain",
    );
    (text.clone().into_bytes(), change.replacing("", &text))
}

/// Returns the size of a region by its terrain: four bytes for each square metre.
fn size_of(region: &RegionFacts) -> String {
    let bytes = region.terrain.as_ref().map_or(0, |terrain| terrain.bytes);
    let side = (bytes / 4).isqrt();
    let is_region = side >= 256 && side.is_multiple_of(256) && side * side * 4 == bytes;
    let side = if is_region { side } else { 256 };
    format!("<size_in_meters>{side},{side}</size_in_meters>")
}

//! Mends region settings and parcels.

use super::{Change, Mended, document::Document, edits::Edits};
use base64::{Engine, prelude::BASE64_STANDARD};
use glam::DVec3;
use hullmark_analysis::land::CELL_M;
use hullmark_finding::Code;
use hullmark_format::{
    defect::{Defect, DefectKind, DocumentDefect, DocumentType, LoadFault},
    loader::is_setting,
    region::{Parcel, decode_parcel, decode_settings},
};
use hullmark_ledger::{Ledger, facts::ParcelFacts};
use std::collections::HashMap;
use uuid::Uuid;

/// Most turns: each mends one setting, and files have fewer.
const TURNS: usize = 64;

/// Groups without which OpenSim takes no setting.
const GROUPS: [&str; 3] = ["General", "GroundTextures", "Terrain"];

/// Area of a cell of a parcel, in square metres.
const CELL_M2: usize = (CELL_M * CELL_M) as usize;

/// Mends region settings so that OpenSim takes them. `materials`: it is 0.9.3 or later.
pub(crate) fn settings(bytes: &[u8], materials: bool) -> Mended {
    let mut document = Document::new(bytes, DocumentType::Settings, Code::REG005);
    for _ in 0..TURNS {
        let Some(defect) = ignored_for(&document.text, materials) else { return document.mended(bytes) };
        let DefectKind::Document(kind) = &defect.kind else { break };
        let offset = defect.place.offset.unwrap_or_default() as usize;
        let is_changed = match kind {
            DocumentDefect::IllFormed { .. } => document.mend_markup(),
            DocumentDefect::SettingsCrowded => crowded(&mut document),
            DocumentDefect::SettingsTooNew => {
                document.remove_element(offset, Code::REG007, "the target does not know this setting")
            }
            DocumentDefect::SettingsIgnored { why } => {
                setting(&mut document, &defect.place.within, offset, why, materials)
            }
            _ => false,
        };
        if !is_changed {
            break;
        }
    }
    Mended::Hopeless(Change::new(Code::REG005, "", "no change lets OpenSim take the settings"))
}

/// Returns the first defect for which OpenSim takes no setting.
fn ignored_for(text: &str, materials: bool) -> Option<Defect> {
    let (_, defects) = decode_settings(text.as_bytes());
    let is_known = |defect: &Defect| {
        materials && matches!(defect.kind, DefectKind::Document(DocumentDefect::SettingsTooNew))
    };
    defects.into_iter().find(|defect| !is_known(defect))
}

/// Separates elements: OpenSim skips one directly behind the end of another.
fn crowded(document: &mut Document) -> bool {
    let mut edits = Edits::default();
    let bytes = document.text.as_bytes();
    for at in memchr::memmem::find_iter(bytes, b"><") {
        let before = &bytes[..at];
        let begins = memchr::memrchr(b'<', before).map_or(0, |begin| begin + 1);
        let is_end = bytes.get(begins) == Some(&b'/') || before.last() == Some(&b'/');
        if is_end {
            edits.replace(at + 1..at + 1, "\n");
        }
    }
    document.edit(edits, Change::new(Code::REG005, "", "OpenSim skips an element directly behind another"))
}

/// Mends the setting, or the group, at which OpenSim gives up.
fn setting(document: &mut Document, name: &str, offset: usize, why: &LoadFault, materials: bool) -> bool {
    if !GROUPS.contains(&name) && is_setting(name, materials) {
        return document.remove_element(offset, Code::REG005, &why.to_string());
    }
    let mut edits = Edits::default();
    for (element, range) in document.elements() {
        if element.depth == 2 && !is_setting(&element.name, materials) {
            edits.replace(range, "");
        }
    }
    if !edits.is_empty() {
        return document
            .edit(edits, Change::new(Code::REG005, name, "the target does not know these settings"));
    }
    if !GROUPS.contains(&name) {
        return false;
    }
    let new = format!("<{name}>\n</{name}>\n");
    edits.replace(offset..offset, new.clone());
    let change = Change::new(Code::REG005, name, "without this group OpenSim takes no setting");
    document.edit(edits, change.replacing("", &new))
}

/// Mends a parcel so that OpenSim takes it. `share`: the cells that are left to it.
pub(crate) fn parcel(bytes: &[u8], share: Option<&[u8]>) -> Mended {
    let mut document = Document::new(bytes, DocumentType::Parcel, Code::REG006);
    let (mut parcel, defects) = decode_parcel(document.text.as_bytes());
    let ends_early =
        |defect: &Defect| matches!(defect.kind, DefectKind::Document(DocumentDefect::ParcelEndsEarly));
    if parcel.is_none() || defects.iter().any(ends_early) {
        document.mend_markup();
        parcel = decode_parcel(document.text.as_bytes()).0;
    }
    let Some(parcel) = parcel else {
        return Mended::Hopeless(Change::new(Code::REG006, "", "no change lets OpenSim load the parcel"));
    };
    if let Some(share) = share {
        divide(&mut document, &parcel, share);
    }
    document.mended(bytes)
}

/// Leaves these cells to a parcel.
fn divide(document: &mut Document, parcel: &Parcel, share: &[u8]) {
    let edits = with_texts(document, &land_of(share));
    let change = Change::new(
        Code::REG008,
        "Bitmap",
        "two parcels have this land, so OpenSim would drop the later one",
    );
    let m2 = |bitmap| format!("{} m²", area(bitmap));
    document.edit(edits, change.replacing(&m2(&parcel.bitmap), &m2(share)));
}

/// Returns a parcel of a square of its region: with these cells, its landing point moved, and another UUID if given.
pub(crate) fn cut_parcel(bytes: &[u8], cells: &[u8], by: DVec3, uuid: Option<Uuid>) -> Vec<u8> {
    let document = Document::new(bytes, DocumentType::Parcel, Code::REG006);
    let landing = decode_parcel(document.text.as_bytes()).0.and_then(|parcel| parcel.landing);
    let side = (8 * cells.len()).isqrt() as f64 * CELL_M;
    let is_here =
        |place: &DVec3| place.truncate().min_element() >= 0.0 && place.truncate().max_element() < side;
    let mut texts = land_of(cells).to_vec();
    if let Some(landing) = landing.filter(|landing| *landing != DVec3::ZERO) {
        // Zero is a parcel without a landing point.
        let [x, y, z] = Some(landing + by).filter(is_here).unwrap_or_default().as_vec3().to_array();
        texts.push(("UserLocation", format!("&lt;{x}, {y}, {z}&gt;")));
    }
    texts.extend(uuid.map(|uuid| ("GlobalID", uuid.to_string())));
    with_texts(&document, &texts).apply(&document.text).into_bytes()
}

/// Returns the elements that state the land of a parcel.
fn land_of(cells: &[u8]) -> [(&'static str, String); 2] {
    [("Bitmap", BASE64_STANDARD.encode(cells)), ("Area", area(cells).to_string())]
}

fn area(bitmap: &[u8]) -> usize {
    CELL_M2 * bitmap.iter().map(|byte| byte.count_ones() as usize).sum::<usize>()
}

/// Replaces the texts of elements directly below the root.
fn with_texts(document: &Document, texts: &[(&str, String)]) -> Edits {
    let mut edits = Edits::default();
    for (element, range) in document.elements() {
        let text = texts.iter().find(|(name, _)| element.depth == 1 && *name == element.name);
        if let Some((name, text)) = text {
            edits.replace(range, format!("<{name}>{text}</{name}>"));
        }
    }
    edits
}

/// Divides land that several parcels of a region have. Returns the cells of parcels that lose some, by their members.
///
/// The first parcel keeps a cell. A later one without any cell of its own gets all of its cells, if no other parcel loses
/// its last.
pub(crate) fn shares(ledger: &Ledger) -> HashMap<&str, Vec<u8>> {
    let mut shares = HashMap::new();
    for region in &ledger.regions {
        let mut parcels: Vec<&ParcelFacts> = region.parcels.iter().collect();
        parcels.sort_by_key(|parcel| parcel.order);
        let length = parcels.first().map_or(0, |parcel| parcel.parcel.bitmap.len());
        parcels.retain(|parcel| {
            parcel.parcel.bitmap.len() == length && cells(&parcel.parcel.bitmap).next().is_some()
        });
        let (mut owners, mut counts) = (vec![None; 8 * length], vec![0_usize; parcels.len()]);
        for (number, parcel) in parcels.iter().enumerate() {
            for cell in
                cells(&parcel.parcel.bitmap).filter(|&cell| owners[cell].is_none()).collect::<Vec<_>>()
            {
                owners[cell] = Some(number);
                counts[number] += 1;
            }
        }
        for (number, parcel) in parcels.iter().enumerate() {
            if counts[number] > 0 {
                continue;
            }
            for cell in cells(&parcel.parcel.bitmap) {
                if let Some(owner) = owners[cell].filter(|owner| counts[*owner] > 1) {
                    owners[cell] = Some(number);
                    counts[owner] -= 1;
                    counts[number] += 1;
                }
            }
        }
        for (number, parcel) in parcels.iter().enumerate() {
            let mut share = vec![0_u8; length];
            let own = cells(&parcel.parcel.bitmap).filter(|&cell| owners[cell] == Some(number));
            own.for_each(|cell| share[cell / 8] |= 1 << (cell % 8));
            if share != parcel.parcel.bitmap && counts[number] > 0 {
                shares.insert(parcel.entry.as_str(), share);
            }
        }
    }
    shares
}

/// Returns the numbers of the cells that a bitmap marks.
fn cells(bitmap: &[u8]) -> impl Iterator<Item = usize> {
    (0..8 * bitmap.len()).filter(|cell| bitmap[cell / 8] >> (cell % 8) & 1 == 1)
}

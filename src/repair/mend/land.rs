//! Mends region settings and parcels.

use super::{Change, Mended, document::Document, edits::Edits};
use base64::{Engine, prelude::BASE64_STANDARD};
use hullmark_finding::Code;
use hullmark_format::{
    defect::{DefectKind, DocumentDefect, DocumentType, LoadFault},
    loader::is_setting,
    region::{Parcel, decode_parcel, decode_settings},
};
use std::collections::HashMap;

/// Most turns: each mends one setting, and files have fewer.
const TURNS: usize = 64;

/// Groups without which OpenSim takes no setting.
const GROUPS: [&str; 3] = ["General", "GroundTextures", "Terrain"];

/// Side of a cell of a parcel, in square metres.
const CELL_M2: usize = 16;

/// Mends region settings so that OpenSim takes them. `materials`: it is 0.9.3 or later.
pub(crate) fn settings(bytes: &[u8], materials: bool) -> Mended {
    let mut document = Document::new(bytes, DocumentType::Settings, Code::REG005);
    for _ in 0..TURNS {
        let (_, defects) = decode_settings(document.text.as_bytes());
        let kinds = defects.iter().filter_map(|defect| match &defect.kind {
            DefectKind::Document(DocumentDefect::SettingsTooNew) if materials => None,
            DefectKind::Document(kind) => Some((kind, defect)),
            _ => None,
        });
        let Some((kind, defect)) = kinds.into_iter().next() else { break };
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
            return Mended::Hopeless(Change::new(
                Code::REG005,
                &*defect.place.within,
                "no change lets OpenSim take the settings",
            ));
        }
    }
    document.mended(bytes)
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

/// The land of earlier parcels, by the folder of their region.
#[derive(Debug, Default)]
pub(crate) struct Taken(HashMap<String, Vec<u8>>);

impl Taken {
    /// Mends a parcel so that OpenSim takes it. Land that an earlier parcel of the region has is taken from it.
    pub(crate) fn parcel(&mut self, bytes: &[u8], folder: &str) -> Mended {
        let mut document = Document::new(bytes, DocumentType::Parcel, Code::REG006);
        let (mut parcel, defects) = decode_parcel(document.text.as_bytes());
        let ends_early = defects
            .iter()
            .any(|defect| matches!(defect.kind, DefectKind::Document(DocumentDefect::ParcelEndsEarly)));
        if parcel.is_none() || ends_early {
            document.mend_markup();
            parcel = decode_parcel(document.text.as_bytes()).0;
        }
        let Some(parcel) = parcel else {
            return Mended::Hopeless(Change::new(Code::REG006, "", "no change lets OpenSim load the parcel"));
        };
        self.land(&mut document, &parcel, folder);
        document.mended(bytes)
    }

    fn land(&mut self, document: &mut Document, parcel: &Parcel, folder: &str) {
        let taken = self.0.entry(folder.to_owned()).or_insert_with(|| vec![0; parcel.bitmap.len()]);
        if taken.len() != parcel.bitmap.len() {
            return;
        }
        let free: Vec<u8> = parcel.bitmap.iter().zip(&*taken).map(|(land, taken)| land & !taken).collect();
        let is_changed = free != parcel.bitmap && free.iter().any(|&byte| byte != 0);
        // A parcel without any land of its own is dropped in any case.
        if is_changed {
            let cells: usize = free.iter().map(|byte| byte.count_ones() as usize).sum();
            let lost = parcel.bitmap.iter().map(|byte| byte.count_ones() as usize).sum::<usize>() - cells;
            let texts = [("Bitmap", BASE64_STANDARD.encode(&free)), ("Area", (cells * CELL_M2).to_string())];
            let mut edits = Edits::default();
            for (element, range) in document.elements() {
                let text = texts.iter().find(|(name, _)| element.depth == 1 && *name == element.name);
                if let Some((name, text)) = text {
                    edits.replace(range, format!("<{name}>{text}</{name}>"));
                }
            }
            let why = "an earlier parcel has part of its land, so OpenSim would drop this one";
            let change = Change::new(Code::REG008, "Bitmap", why);
            let area = |cells: usize| format!("{} m²", cells * CELL_M2);
            document.edit(edits, change.replacing(&area(cells + lost), &area(cells)));
        }
        taken.iter_mut().zip(free).for_each(|(taken, land)| *taken |= land);
    }
}

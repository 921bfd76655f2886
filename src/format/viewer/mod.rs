//! Files that viewers write: exports of objects, and cached assets.
//!
//! ```text
//! oxp.rs ────────── binary LLSD in zlib (Firestorm) ─┐
//! llsd_xml.rs ─▶ backup.rs ── LLSD XML (Singularity) ─┼─▶ prim.rs ─▶ volume.rs ─▶ linksets
//! hpa.rs ────────── XML of its own (Phoenix, Hippo) ──┘
//! cached_mesh.rs    a mesh of which a viewer fetched some blocks
//! ```
//!
//! These files have no meshes. A placeholder of a mesh is marked, because its form is not that of the part.

mod backup;
pub mod cached_mesh;
mod hpa;
mod inventory;
mod llsd_xml;
pub mod oxp;
mod prim;
#[cfg(test)]
mod tests;
pub mod volume;

use crate::{
    defect::{Defect, ObjectDefect, ViewerFault},
    object::{Layout, Linkset, Part},
    xml,
};
use hullmark_settings::limits::Limits;

/// Bytes that show the format of a file.
pub const START: usize = 16 * 1024;

#[derive(Debug, Clone, PartialEq)]
pub struct Export {
    pub layout: Layout,
    /// The objects that could be read, in file order.
    pub linksets: Vec<Linkset>,
}

/// Returns the format of an export from the first bytes of a file. `None` for any other file.
pub fn sniff(start: &[u8]) -> Option<Layout> {
    if oxp::is_oxp(start) {
        return Some(Layout::Oxp);
    }
    let has = |text: &str| memchr::memmem::find(start, text.as_bytes()).is_some();
    match xml::root_element(start)?.as_str() {
        "project" if has("<schema") && has("<platform") => Some(Layout::Hpa),
        "llsd" if has("<key>group_body</key>") => Some(Layout::LlsdXml),
        "llsd" if has("<key>Header</key>") && has("<key>Objects</key>") => Some(Layout::LlsdXml),
        _ => None,
    }
}

/// Decodes an export. Objects that cannot be read are left out, each with a defect. The function is total.
pub fn decode(bytes: &[u8], limits: &Limits) -> (Export, Vec<Defect>) {
    let mut objects = Objects::new(limits);
    // As much as decided that the file is an export. More would be copied.
    let layout = sniff(&bytes[..bytes.len().min(START)]).unwrap_or(Layout::Oxp);
    match layout {
        Layout::Hpa => hpa::read(bytes, &mut objects),
        Layout::LlsdXml => backup::read(bytes, &mut objects),
        _ => oxp::read(bytes, &mut objects),
    }
    let Objects { linksets, mut defects, .. } = objects;
    defects.truncate(limits.findings_per_code);
    (Export { layout, linksets }, defects)
}

/// Creates the defect of an export that cannot be read.
fn fault(why: ViewerFault) -> Defect {
    Defect::new(ObjectDefect::ViewerExport { why })
}

/// Creates the defect of an export with more values than allowed.
fn too_many_values(limits: &Limits) -> Defect {
    let limit = limits.llsd_values as f64;
    fault(ViewerFault::TooManyValues).within("llsd_values").measured(limit + 1.0).limit(limit)
}

type Read = (Part, Vec<Defect>);

/// Collects objects within the limits of one document.
struct Objects<'a> {
    limits: &'a Limits,
    linksets: Vec<Linkset>,
    defects: Vec<Defect>,
    parts: usize,
    items: usize,
    /// Whether objects are left out, because those before have as many parts or items as one document may have.
    is_full: bool,
}

impl<'a> Objects<'a> {
    fn new(limits: &'a Limits) -> Self {
        Self { limits, linksets: Vec::new(), defects: Vec::new(), parts: 0, items: 0, is_full: false }
    }

    fn defect(&mut self, defect: Defect) {
        if self.defects.len() < self.limits.findings_per_code {
            self.defects.push(defect);
        }
    }

    /// Whether there is room for so many further parts. Reports the limit once.
    fn has_room(&mut self, parts: usize) -> bool {
        let Limits { parts: most, items: most_items, .. } = *self.limits;
        let (kind, measured, limit, within) = match self.parts.saturating_add(parts) {
            all if all > most => (ObjectDefect::TooManyParts, all, most, "parts"),
            _ if self.items > most_items => (ObjectDefect::TooManyItems, self.items, most_items, "items"),
            _ => return true,
        };
        if !std::mem::replace(&mut self.is_full, true) {
            let defect = Defect::new(kind).within(within).measured(measured as f64);
            self.defect(defect.limit(limit as f64));
        }
        false
    }

    /// Adds an object of these parts, the root first. Link numbers follow from the order.
    fn add(&mut self, parts: Vec<Read>) {
        if parts.is_empty() || !self.has_room(parts.len()) {
            return;
        }
        self.parts += parts.len();
        let (is_alone, root) = (parts.len() == 1, parts[0].0.uuid);
        let mut linkset = Linkset { document_in_link_order: true, ..Linkset::default() };
        for ((mut part, defects), number) in parts.into_iter().zip(1..) {
            part.link_number = if is_alone { 0 } else { number };
            self.items += part.inventory.len();
            part.references.sort_unstable();
            part.references.dedup();
            for mut defect in defects {
                defect.place.object = Some(root).filter(|root| !root.is_nil());
                defect.place.part = Some(part.uuid).filter(|part| !part.is_nil());
                defect.place.link_number = Some(part.link_number);
                self.defect(defect);
            }
            linkset.parts.push(part);
        }
        self.linksets.push(linkset);
    }
}

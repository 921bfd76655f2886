//! Model files (glTF 2.0 and COLLADA), and the mesh assets that an upload would make of them.
//!
//! A reader of each format makes a [`Scene`], as the loader of the viewer does. `parts` joins the levels of detail
//! of each part by their names. `upload` builds the asset of each part. The order of the work, the limits and the
//! rounding are those of the Second Life viewer 7.2.3.

mod asset;
mod collada;
mod faces;
mod gltf;
mod levels;
#[cfg(any(test, feature = "testing"))]
pub mod maker;
mod names;
mod parts;
mod physics;
mod scene;
mod shape;
mod upload;
mod weld;

pub use gltf::{DOMAIN, OLDER, PURPOSE, UPLOADER, buffers};
pub use names::{Slot, file_of};
pub use upload::UploadPart;

use hullmark_finding::Capped;
use hullmark_format::defect::{Defect, ModelDefect};
use hullmark_settings::limits::Limits;
use hullmark_util::work::Work;
use scene::Scene;

/// The uploader whose work this crate repeats.
pub const UPLOADER_VERSION: &str = "Second Life viewer 7.2.3";

/// Maximum number of triangles of all parts together. A region shows fewer.
const MOST_TRIANGLES: usize = 1_000_000;

/// Maximum number of characters in the place of a defect.
const MOST_CHARACTERS: usize = 256;

/// A file of a model: its name without folders, and its content.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    pub name: &'a str,
    pub bytes: &'a [u8],
}

/// A model file with the other files of its upload.
#[derive(Debug, Clone, Copy)]
pub struct Model<'a> {
    pub file: File<'a>,
    /// Buffers, and the files of levels and of the physics model.
    pub beside: &'a [File<'a>],
}

/// The linkset that an upload makes of a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Upload {
    /// The root first.
    pub parts: Vec<UploadPart>,
}

impl Model<'_> {
    /// Builds the linkset. The function is total: what cannot be read is left out, and a defect gives the reason. The
    /// place of a defect has the part, level or physics model in `within`, and no entry.
    pub fn upload(&self, limits: &Limits, work: &mut Work) -> (Upload, Vec<Defect>) {
        let defects = Capped::new(limits.findings_per_code);
        let mut reading = Reading { beside: self.beside, limits, work, defects, triangles: 0 };
        let model = read(self.file, &mut reading);
        let mut files = Vec::new();
        for slot in Slot::ALL {
            let name = file_of(self.file.name, slot);
            if let Some(file) = self.beside.iter().find(|file| Some(file.name) == name.as_deref()) {
                files.push((slot, read(*file, &mut reading)));
            }
        }
        let parts = parts::join(model, files, &mut reading);
        if parts.is_empty() && reading.defects.is_empty() {
            reading.note(ModelDefect::Empty);
        }
        let parts = upload::build(parts, &mut reading);
        (Upload { parts }, reading.defects.finish())
    }
}

/// Reads a file in the format that its first bytes show.
fn read<'a>(file: File<'a>, reading: &mut Reading<'a>) -> Scene {
    if gltf::is_it(file.bytes) { gltf::read(file.bytes, reading) } else { collada::read(file.bytes, reading) }
}

/// What a reader needs in addition to its file.
pub(crate) struct Reading<'a> {
    /// The other files of the model: buffers, and files of levels.
    pub(crate) beside: &'a [File<'a>],
    pub(crate) limits: &'a Limits,
    /// Charged before something is read into memory, at least one unit for each byte that it takes.
    pub(crate) work: &'a mut Work,
    pub(crate) defects: Capped<Defect>,
    /// Triangles so far.
    triangles: usize,
}

impl Reading<'_> {
    /// Notes a defect of the file.
    pub(crate) fn note(&mut self, kind: ModelDefect) {
        self.defects.push(Defect::new(kind));
    }

    /// Notes a defect with the part, node or geometry of this name.
    pub(crate) fn note_within(&mut self, name: &str, defect: Defect) {
        self.defects.push(defect.within(name.chars().take(MOST_CHARACTERS).collect::<String>()));
    }

    /// Charges triangles before they are made, at `corner` units for each of their corners.
    pub(crate) fn charge_triangles(&mut self, triangles: usize, corner: u64) -> Result<(), ModelDefect> {
        self.triangles = self.triangles.saturating_add(triangles);
        if self.triangles > MOST_TRIANGLES {
            return Err(over_limit("triangles"));
        }
        charge(self.work, 3 * triangles as u64 * corner)
    }
}

/// Charges units of work.
///
/// # Errors [`ModelDefect::OverLimit`] if the budget is used up.
pub(crate) fn charge(work: &mut Work, units: u64) -> Result<(), ModelDefect> {
    work.charge(units).map_err(|_| over_limit("work"))
}

pub(crate) fn over_limit(what: &str) -> ModelDefect {
    ModelDefect::OverLimit { what: what.into() }
}

//! Model files (glTF 2.0 and COLLADA), and the mesh assets that an upload would make of them.
//!
//! A reader of each format makes a [`Scene`], as the loader of the viewer does. `parts` joins the levels of detail
//! of each part by their names. `upload` builds the asset of each part. The order of the work, the limits and the
//! rounding are those of the Second Life viewer 7.2.3.

mod collada;
mod gltf;
mod scene;

use hullmark_finding::Capped;
use hullmark_format::defect::Defect;
use hullmark_settings::limits::Limits;
use hullmark_util::work::Work;
use scene::Scene;

/// A file of a model: its name without folders, and its content.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    pub name: &'a str,
    pub bytes: &'a [u8],
}

/// What a reader needs besides the bytes of its file.
pub(crate) struct Reading<'a> {
    /// Files beside the model: buffers, and files of levels.
    pub(crate) beside: &'a [File<'a>],
    pub(crate) limits: &'a Limits,
    /// Charged before something is read into memory, at least one unit for each byte that it takes.
    pub(crate) work: &'a mut Work,
    pub(crate) defects: Capped<Defect>,
}

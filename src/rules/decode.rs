//! Decodes single assets for other programs: the value, and findings about the bytes.

use super::families::decoding;
use hullmark_finding::Finding;
use hullmark_format::{
    defect::Defect,
    mesh::{self, Mesh},
    object::{self, Document},
};
use hullmark_settings::limits::Limits;

/// A decoded value, and findings about the bytes.
#[derive(Debug, Clone)]
pub struct Decoded<T> {
    /// Everything that could be read.
    pub value: T,
    /// Findings about the rest, with place, measured value and limit.
    pub findings: Vec<Finding>,
}

impl<T> Decoded<T> {
    fn new(value: T, defects: &[Defect]) -> Self {
        Self { value, findings: decoding::of_file(defects).collect() }
    }
}

/// Decodes a mesh asset: its levels of detail, base hull, decomposition and physics mesh. If a block cannot be read, it
/// is absent and a finding reports the reason. The other blocks are present.
///
/// # Example
/// ```
/// use hullmark::{Limits, decode_mesh};
///
/// let bytes = std::fs::read("sample_data/meshes/hull-of-256-points.llmesh")?;
/// let mesh = decode_mesh(&bytes, &Limits::default());
/// let convex = mesh.value.convex.expect("it has a convex block");
/// assert!(convex.hull_sizes.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode_mesh(bytes: &[u8], limits: &Limits) -> Decoded<Mesh> {
    let (mesh, defects) = mesh::decode(bytes, limits);
    Decoded::new(mesh, &defects)
}

/// Decodes an object as OpenSimulator writes it into archives and inventories. A coalesced object or a scene has
/// several linksets. A linkset that cannot be read is left out, and a finding reports the reason.
///
/// # Example
/// ```
/// use hullmark::{Limits, decode_object};
///
/// let xml = std::fs::read("sample_data/objects/link-number-twice.xml")?;
/// let document = decode_object(&xml, &Limits::default());
/// assert_eq!(document.value.linksets.len(), 1);
/// assert!(document.value.linksets[0].parts.len() > 1);
/// assert!(!document.findings.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn decode_object(bytes: &[u8], limits: &Limits) -> Decoded<Document> {
    let (document, defects) = object::decode(bytes, limits);
    Decoded::new(document, &defects)
}

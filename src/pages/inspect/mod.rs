//! The facts of one mesh that `inspect` prints, as plain data and as pictures. The page of `web/` shows the same.

pub mod finding;
pub mod mesh;
pub mod picture;

use super::gltf::{self, GltfError};

use finding::FindingView;
use glam::DVec3;
use hullmark_analysis::Measured;
use hullmark_format::mesh::Mesh;
use hullmark_ledger::{self as ledger, library::Ledger};
use hullmark_report::Evaluated;
use hullmark_settings::profile::Profile;
use mesh::MeshView;

/// One mesh of a ledger: its facts, costs at a scale, findings, and pictures.
///
/// # Example
/// ```
/// use hullmark::{Limits, MeshInspection, Profile, ScanOptions, Source, read_mesh, scan};
///
/// let chair = Source::path("sample_data/meshes/chair.llmesh");
/// let profile = Profile::load("second-life")?;
/// scan([chair.clone()], &ScanOptions::default(), |ledger| {
///     let mesh = read_mesh(chair.clone(), &ledger, "chair.llmesh", &Limits::default()).expect("it is there");
///     let inspection = MeshInspection::new(&ledger, "chair.llmesh").expect("it is there");
///     assert!(inspection.to_json(&profile, [0.5, 0.5, 1.0]).contains("\"streaming_cost\""));
///     assert!(inspection.to_glb(&mesh, &profile, [0.5, 0.5, 1.0]).is_ok_and(|glb| glb.starts_with(b"glTF")));
/// })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MeshInspection {
    /// A ledger with this mesh and its defects alone.
    ledger: ledger::Ledger,
}

impl MeshInspection {
    /// Returns the names of the meshes of a ledger: their file or member. `#n` follows for the n-th mesh of a scene, and
    /// `#name` for a part of a model.
    pub fn names(ledger: &Ledger) -> impl Iterator<Item = &str> {
        ledger.0.meshes.iter().map(|mesh| mesh.entry.as_str())
    }

    /// Creates the inspection of a mesh. `None` if the ledger has none of this name.
    pub fn new(ledger: &Ledger, name: &str) -> Option<Self> {
        let ledger = &ledger.0;
        let mesh = ledger.meshes.iter().find(|mesh| mesh.entry == name)?;
        let ledger = ledger::Ledger {
            meshes: vec![mesh.clone()],
            defects: ledger
                .defects
                .iter()
                .filter(|defect| mesh.is_at(&defect.place.entry, &defect.place.within))
                .cloned()
                .collect(),
            ..ledger::Ledger::empty(&ledger.input, ledger.kind, ledger.status)
        };
        Some(Self { ledger })
    }

    /// Returns the size of the mesh in metres, if it has one of its own: a part of a model.
    pub fn own_size(&self) -> Option<[f64; 3]> {
        let part = self.ledger.meshes.first()?.model.as_ref()?;
        Some(part.size.to_array())
    }

    /// Returns what `hullmark inspect --json` prints about the mesh at this scale in metres, as JSON.
    pub fn to_json(&self, profile: &Profile, scale: [f64; 3]) -> String {
        serde_json::json!(self.view(profile, scale)).to_string()
    }

    /// Returns the hulls from four sides as SVG. `None` if there is no hull that could be drawn.
    pub fn to_svg(&self, mesh: &Mesh, profile: &Profile, scale: [f64; 3]) -> Option<String> {
        picture::draw(mesh, self.view(profile, scale).as_ref()?, &profile.hulls)
    }

    /// Returns levels of detail, hulls and physics triangles as binary glTF 2.0.
    ///
    /// # Errors
    /// Nothing can be drawn, or the file would be too large.
    pub fn to_glb(&self, mesh: &Mesh, profile: &Profile, scale: [f64; 3]) -> Result<Vec<u8>, GltfError> {
        let view = self.view(profile, scale).ok_or(GltfError::NothingToDraw)?;
        gltf::glb(mesh, &view)
    }

    fn view(&self, profile: &Profile, scale: [f64; 3]) -> Option<MeshView> {
        let measured = Measured::new(&self.ledger, profile);
        let mesh = self.ledger.meshes.first()?;
        let findings = Evaluated::without_context(&measured).findings;
        let about =
            findings.iter().filter(|(_, finding)| mesh.is_at(&finding.place.entry, &finding.place.within));
        let views = about.map(|(severity, finding)| FindingView::new(*severity, finding, profile));
        Some(MeshView::new(mesh, DVec3::from_array(scale), profile, views.collect()))
    }
}

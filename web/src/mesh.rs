//! One mesh for its view: the facts at a scale, and the picture as glTF and as SVG.

use crate::{Session, blob, loaded};
use hullmark::{Ledger, Limits, MeshInspection, Source, mesh::Mesh, read_mesh};
use wasm_bindgen::prelude::*;
use web_sys::Blob;

/// The mesh that is shown.
pub struct Opened {
    inspection: MeshInspection,
    mesh: Mesh,
}

#[wasm_bindgen]
impl Session {
    /// Returns the meshes of all inputs as JSON: for each, the number of its input and its name.
    pub fn meshes(&self) -> String {
        let mut ledgers: Vec<(usize, &Ledger)> =
            self.ledgers.iter().enumerate().map(|(number, ledger)| (number, &**ledger)).collect();
        // Several workers read, so the ledgers come in any order.
        ledgers.sort_by_key(|(_, ledger)| ledger.name());
        let of_ledger = |(number, ledger)| MeshInspection::names(ledger).map(move |name| (number, name));
        serde_json::json!(ledgers.into_iter().flat_map(of_ledger).collect::<Vec<_>>()).to_string()
    }

    /// Takes all files, because the mesh of the view is read again.
    pub fn hold(&mut self, paths: Vec<String>, blobs: Vec<Blob>) {
        self.files = Some(Source::files(blob::files(paths, blobs)));
    }

    /// Reads a mesh again, because ledgers have no triangles. The other calls are about this mesh. Returns its size in
    /// metres if it has one of its own.
    ///
    /// # Errors
    /// A sentence: it is no longer there.
    #[wasm_bindgen(js_name = openMesh)]
    pub fn open_mesh(&mut self, ledger: usize, name: &str) -> Result<Option<Vec<f64>>, String> {
        self.mesh = None;
        let gone = || format!("The mesh {name} cannot be read again. Choose the files again.");
        let ledger = self.ledgers.get(ledger).ok_or_else(gone)?;
        let inspection = MeshInspection::new(ledger, name).ok_or_else(gone)?;
        let files = self.files.clone().ok_or_else(gone)?;
        let mesh = read_mesh(files, ledger, name, &Limits::default()).ok_or_else(gone)?;
        let size = inspection.own_size();
        self.mesh = Some(Opened { inspection, mesh });
        Ok(size.map(Vec::from))
    }

    /// Returns the facts that `hullmark inspect --json` prints at this scale in metres, as JSON.
    #[wasm_bindgen(js_name = meshFacts)]
    pub fn mesh_facts(&self, target: &str, profile: &str, scale: &[f64]) -> Result<String, String> {
        Ok(self.opened()?.inspection.to_json(&loaded(target, profile)?, sides(scale)?))
    }

    /// Returns the mesh as binary glTF.
    #[wasm_bindgen(js_name = meshGlb)]
    pub fn mesh_glb(&self, target: &str, profile: &str, scale: &[f64]) -> Result<Vec<u8>, String> {
        let Opened { inspection, mesh } = self.opened()?;
        let glb = inspection.to_glb(mesh, &loaded(target, profile)?, sides(scale)?);
        glb.map_err(|error| format!("The mesh cannot be drawn: {error}."))
    }

    /// Returns the still picture of the hulls. Empty without a hull.
    #[wasm_bindgen(js_name = meshSvg)]
    pub fn mesh_svg(&self, target: &str, profile: &str, scale: &[f64]) -> Result<String, String> {
        let Opened { inspection, mesh } = self.opened()?;
        Ok(inspection.to_svg(mesh, &loaded(target, profile)?, sides(scale)?).unwrap_or_default())
    }

    fn opened(&self) -> Result<&Opened, String> {
        self.mesh.as_ref().ok_or_else(|| "Choose a mesh first.".into())
    }
}

fn sides(scale: &[f64]) -> Result<[f64; 3], String> {
    let sides: Option<[f64; 3]> = scale.try_into().ok();
    let are_lengths = |sides: &[f64; 3]| sides.iter().all(|side| side.is_finite() && *side > 0.0);
    sides.filter(are_lengths).ok_or_else(|| "Each side needs a length in metres above 0.".into())
}

//! The scene that a viewer writes for an uploaded model (`.slm`): mesh assets and their placement.
//!
//! The viewer's `saveUploadData` (`llmodelpreview.cpp`) writes the file, and `loadFromSLM` (`llmodelloader.cpp`) reads
//! it. Bare mesh assets have the same extension: [`sniff`](super::sniff()) distinguishes them.

use super::{diagnostics::Notes, header::doubled_keys};
use crate::{
    defect::{Defect, LlsdDocument, MeshDefect},
    llsd::{self, Map, Value},
};
use hullmark_settings::limits::Limits;
use std::borrow::Cow;

/// The only `version` of a scene that viewers read.
const VERSION: i64 = 3;

/// Maximum number of characters kept of a name.
const NAME_CHARS: usize = 256;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene<'a> {
    /// `version`; viewers read only 3.
    pub version: Option<i64>,
    /// `name`.
    pub name: String,
    /// Bytes of the mesh assets, each for [`super::decode`]; empty if an element is not a mesh.
    pub meshes: Vec<Cow<'a, [u8]>>,
    pub instances: Vec<Instance>,
}

/// One placed mesh in a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Instance {
    /// Index of the mesh; `None` if the scene does not contain it.
    pub mesh: Option<usize>,
    pub label: String,
    /// Transform in metres, row by row; `None` if it is not a list of sixteen numbers.
    pub transform: Option<[f64; 16]>,
    pub materials: usize,
}

/// Decodes a scene without decoding its meshes. The function is total: data that cannot be read is left out, and a
/// defect gives the reason.
pub fn decode_scene<'a>(bytes: &'a [u8], limits: &Limits) -> (Scene<'a>, Vec<Defect>) {
    let mut notes = Notes::default();
    let scene = read(bytes, limits, &mut notes).unwrap_or_default();
    (scene, notes.finish().0)
}

fn read<'a>(bytes: &'a [u8], limits: &Limits, notes: &mut Notes) -> Option<Scene<'a>> {
    let document = match llsd::parse_at_most(bytes, limits.llsd_depth, limits.llsd_values) {
        Ok(document) => document,
        Err(error) => {
            let kind = MeshDefect::Llsd { of: LlsdDocument::Scene, problem: error.problem };
            notes.find(Defect::new(kind).offset(error.offset));
            return None;
        }
    };
    let Value::Map(map) = document.value else {
        notes.find(Defect::new(MeshDefect::SceneNotMap));
        return None;
    };
    if let Some(doubles) = &document.doubles {
        notes.find(doubled_keys(LlsdDocument::Scene, doubles));
    }
    let version = read_version(&map, notes);
    let meshes = read_meshes(&map, notes);
    let instances = read_instances(&map, meshes.len(), notes);
    Some(Scene { version, name: text(map.get("name")), meshes, instances })
}

fn read_version(map: &Map<'_>, notes: &mut Notes) -> Option<i64> {
    let version = map.get("version").and_then(Value::as_i64);
    if version != Some(VERSION) {
        notes.find(Defect::new(MeshDefect::SceneVersion { version }));
    }
    version
}

fn read_meshes<'a>(map: &Map<'a>, notes: &mut Notes) -> Vec<Cow<'a, [u8]>> {
    let Some(list) = map.get("mesh").and_then(Value::as_array) else {
        notes.find(Defect::new(MeshDefect::SceneMeshesMissing).within("mesh"));
        return Vec::new();
    };
    let element = |(index, value): (usize, &Value<'a>)| match value {
        // The viewer writes mesh assets as strings, although they are not text.
        Value::String(bytes) => bytes.clone(),
        Value::Binary(bytes) => Cow::Borrowed(*bytes),
        other => {
            let kind = MeshDefect::SceneMeshNotString { found: other.kind().into() };
            notes.find(Defect::new(kind).within("mesh").index(index));
            Cow::Borrowed(&[][..])
        }
    };
    list.iter().enumerate().map(element).collect()
}

fn read_instances(map: &Map<'_>, meshes: usize, notes: &mut Notes) -> Vec<Instance> {
    let list = map.get("instance").and_then(Value::as_array).unwrap_or_default();
    let mut instances = Vec::new();
    for (index, value) in list.iter().enumerate() {
        let Some(instance) = value.as_map() else {
            let kind = MeshDefect::SceneInstanceNotMap { found: value.kind().into() };
            notes.find(Defect::new(kind).within("instance").index(index));
            continue;
        };
        let id = instance.get("mesh_id").and_then(Value::as_i64);
        let mesh = id.and_then(|id| usize::try_from(id).ok()).filter(|&mesh| mesh < meshes);
        if mesh.is_none() {
            let defect = Defect::new(MeshDefect::SceneInstanceWithoutMesh);
            notes.find(defect.within("instance").index(index));
        }
        instances.push(Instance {
            mesh,
            label: text(instance.get("label")),
            transform: instance.get("transform").and_then(transform),
            materials: instance.get("material").and_then(Value::as_array).map_or(0, <[_]>::len),
        });
    }
    instances
}

fn transform(value: &Value<'_>) -> Option<[f64; 16]> {
    let numbers: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
    numbers?.try_into().ok()
}

fn text(value: Option<&Value<'_>>) -> String {
    let Some(bytes) = value.and_then(Value::as_string) else { return String::new() };
    // A character takes at most four bytes.
    let bytes = &bytes[..bytes.len().min(4 * NAME_CHARS)];
    String::from_utf8_lossy(bytes).chars().take(NAME_CHARS).collect()
}

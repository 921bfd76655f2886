//! Decodes a model: the meshes and the linkset that an upload would make of it.

use super::decode::MemberDecoder;
use glam::DVec3;
use hullmark_format::{
    defect::Defect,
    object::{Linkset, Part, Sculpt, Shape},
};
use hullmark_ledger::facts::{MeshFacts, ModelPart, ObjectFacts, Role};
use hullmark_model::{File, Model, Upload, UploadPart};
use hullmark_settings::limits::Limits;
use hullmark_source::{
    Item,
    content::{Decoded, MemberContent},
};
use hullmark_util::{
    stable_hash::hashed_uuid,
    timings::{Stage, within},
    work::Work,
};
use uuid::Uuid;

/// Type of a sculpt that is a mesh.
const MESH: u8 = 5;
/// Most characters of the name of a part.
const NAME_CHARS: usize = 128;

/// Builds the upload of a model file.
pub(super) fn upload(item: &Item, limits: &Limits, work: &mut Work) -> (Upload, Vec<Defect>) {
    let beside: Vec<File<'_>> = item.beside.iter().map(|(name, bytes)| File { name, bytes }).collect();
    let model = Model { file: File { name: &item.name, bytes: &item.bytes }, beside: &beside };
    within(Stage::Meshes, || model.upload(limits, work))
}

/// Returns the name of a part as a member: the file, and the part in it.
pub(super) fn entry(file: &str, part: &UploadPart) -> String {
    let name: String = part.name.chars().take(NAME_CHARS).collect();
    format!("{file}#{name}")
}

impl MemberDecoder<'_> {
    /// Decodes the mesh of each part, and adds the linkset that they make.
    pub(super) fn decode_model(&self, item: &Item, work: &mut Work) -> Decoded {
        let (upload, mut defects) = upload(item, self.limits, work);
        for defect in &mut defects {
            defect.place.entry.clone_from(&item.name);
        }
        let (mut meshes, mut parts) = (Vec::new(), Vec::new());
        for part in &upload.parts {
            let entry = entry(&item.name, part);
            let Some((facts, found)) = self.decode_built(&part.asset, work) else { break };
            let uuid = hashed_uuid(&facts.content_hash);
            for mut defect in found {
                (defect.place.entry, defect.place.asset) = (entry.clone(), Some(uuid));
                defects.push(defect);
            }
            let model = Some(Box::new(of_part(part)));
            meshes.push(MeshFacts { entry, uuid: Some(uuid), model, ..facts });
            parts.push((part, uuid));
        }
        let objects = linkset(&item.name, &parts).into_iter().map(|linkset| ObjectFacts {
            entry: item.name.clone(),
            role: Role::Loose,
            ..ObjectFacts::rezzed(linkset)
        });
        let content = MemberContent::Assets(meshes, objects.collect());
        Decoded { content, defects, ..Decoded::default() }
    }
}

fn of_part(part: &UploadPart) -> ModelPart {
    ModelPart { name: part.name.clone(), size: part.size, origins: part.origins, generated: part.generated }
}

/// Returns the linkset of the parts, the first one as its root. `None` without parts.
fn linkset(file: &str, parts: &[(&UploadPart, Uuid)]) -> Option<Linkset> {
    let (root, _) = parts.first()?;
    let part = |(index, (part, mesh)): (usize, &(&UploadPart, Uuid))| Part {
        uuid: hashed_uuid(&(file, index)),
        name: part.name.clone(),
        link_number: if parts.len() == 1 { 0 } else { index as i32 + 1 },
        scale: part.size,
        offset_position: match index {
            0 => DVec3::ZERO,
            _ => root.rotation.inverse() * (part.position - root.position),
        },
        rotation: if index == 0 { root.rotation } else { root.rotation.inverse() * part.rotation },
        physics_shape_type: Some(part.shape_type),
        shape: Shape { sculpt: Some(Sculpt { asset: *mesh, kind: MESH }), ..Shape::default() },
        ..Part::default()
    };
    Some(Linkset {
        parts: parts.iter().enumerate().map(part).collect(),
        document_in_link_order: true,
        ..Linkset::default()
    })
}

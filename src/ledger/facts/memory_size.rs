//! The memory size of facts, which is charged to the budget of an input.
//!
//! The size counts the values and all data that they point to, by length. It is the same on all machines of one kind,
//! and close to the size that the allocator reports.

use super::{AssetFacts, Content, HullPoints, ItemFacts, MeshFacts, ObjectFacts, SculptFacts};
use hullmark_format::{object::Part, reference::Use, text::Text};
use hullmark_media::image::sculpt_map::SculptMap;
use uuid::Uuid;

/// Bytes of an asset in addition to its facts: its name and UUID in the index of duplicates, and the number of its
/// entry.
const ALONGSIDE: usize = 64;

fn texts<T: AsRef<str>>(list: &[T]) -> usize {
    size_of_val(list) + list.iter().map(|text| text.as_ref().len()).sum::<usize>()
}

pub fn asset_size(asset: &AssetFacts) -> usize {
    let content = match &asset.content {
        Content::Damaged(why) | Content::NotEvaluated(why) => why.len(),
        Content::Text(text) => text_size(text),
        Content::CutShort(cut) => size_of_val(&**cut),
        _ => 0,
    };
    size_of_val(asset) + ALONGSIDE + asset.entry.beyond() + content
}

fn text_size(text: &Text) -> usize {
    let code = text.script.as_ref().and_then(|script| script.code.as_ref()).map_or(0, |code| {
        let calls: usize =
            code.calls.iter().map(|(name, count)| size_of_val(&(name, count)) + name.len()).sum();
        calls + texts(&code.urls) + texts(&code.hosts) + size_of_val(&*code.uuids)
    });
    let appearance = text.appearance.len() * size_of::<(Uuid, Use)>();
    let uuids = size_of_val(&*text.references) + size_of_val(&*text.mentions);
    size_of_val(text) + uuids + appearance + code
}

pub fn item_size(item: &ItemFacts) -> usize {
    size_of_val(item) + item.entry.len() + item.item.name.len()
}

pub fn object_size(object: &ObjectFacts) -> usize {
    let linkset = &object.linkset;
    let part = |part: &Part| {
        let items: usize = part.inventory.iter().map(|item| size_of_val(item) + item.name.len()).sum();
        let names = part.name.len() + part.creator_data.as_ref().map_or(0, String::len);
        let faces = size_of_val(&*part.references) + size_of_val(&*part.colors.exceptions);
        size_of_val(part) + names + faces + items
    };
    let parts: usize = linkset.parts.iter().map(part).sum();
    size_of_val(object)
        + object.entry.len()
        + texts(&object.oddities)
        + size_of_val(&*linkset.script_states)
        + parts
}

pub fn sculpt_size(sculpt: &SculptFacts) -> usize {
    size_of_val(sculpt) + sculpt.entry.len() + sculpt.pixels().map_or(0, SculptMap::bytes)
}

pub fn mesh_size(mesh: &MeshFacts) -> usize {
    let blocks: usize = mesh.blocks.iter().map(|block| size_of_val(block) + block.name.len()).sum();
    let hulls = mesh.convex.as_ref().map_or(0, |convex| {
        size_of_val(&*convex.hulls) + convex.points.as_ref().map_or(0, HullPoints::beyond)
    });
    let faces = mesh.physics_mesh.iter().chain(&mesh.physics_shape).flat_map(|mesh| &mesh.submeshes);
    let triangles: usize = faces
        .map(|face| size_of_val(face) + size_of_val(&*face.points) + size_of_val(&*face.triangles))
        .sum();
    let costs = mesh.cost_data.as_ref().map_or(0, |data| size_of_val(&*data.mesh));
    let names = mesh.entry.len() + mesh.content_hash.len() + texts(&mesh.oddities) + texts(&mesh.absent);
    let model = mesh.model.as_ref().map_or(0, |model| size_of_val(&**model) + model.name.len());
    size_of_val(mesh) + names + blocks + hulls + triangles + costs + model
}

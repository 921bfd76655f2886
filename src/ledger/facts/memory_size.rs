//! The memory that facts take, which is charged to the budget of an input.
//!
//! The size counts the values and everything they point to, by length. It is the same on all machines of one kind, and
//! close to the allocator's figure.

use super::{
    AssetFacts, Content, CutShort, ItemFacts, MeshFacts, ObjectFacts, ParcelFacts, SculptFacts, SculptState,
};
use crate::format::{
    Defect,
    archive_xml::ArchiveManifest,
    object::{Item, Part},
    region::Settings,
    text::Text,
};
use std::{borrow::Cow, mem::size_of};

/// Something that takes memory.
pub trait HeapSize: Sized {
    /// Bytes of what it points to.
    fn beyond(&self) -> usize;

    /// Bytes of it and of what it points to.
    fn weight(&self) -> usize {
        size_of::<Self>() + self.beyond()
    }
}

/// Bytes of a list of things that point to nothing.
fn plain<T: Copy>(list: &[T]) -> usize {
    size_of_val(list)
}

impl<T: HeapSize> HeapSize for Vec<T> {
    fn beyond(&self) -> usize {
        self.iter().map(HeapSize::weight).sum()
    }
}

impl<T: HeapSize> HeapSize for Option<T> {
    fn beyond(&self) -> usize {
        self.as_ref().map_or(0, HeapSize::beyond)
    }
}

impl HeapSize for String {
    fn beyond(&self) -> usize {
        self.len()
    }
}

impl HeapSize for Cow<'static, str> {
    fn beyond(&self) -> usize {
        if let Self::Owned(text) = self { text.len() } else { 0 }
    }
}

impl HeapSize for Defect {
    fn beyond(&self) -> usize {
        // More than its texts take, and few are: lists of defects are capped.
        self.place.entry.len() + self.place.within.beyond() + format!("{:?}", self.kind).len()
    }
}

/// Bytes that an asset takes besides its facts: its name and its UUID in what tells doubles, and the number of its member.
const ALONGSIDE: usize = 64;

impl HeapSize for AssetFacts {
    fn beyond(&self) -> usize {
        let content = match &self.content {
            Content::Damaged(why) | Content::NotEvaluated(why) => why.len(),
            Content::Text(text) => text.weight(),
            Content::CutShort(_) => size_of::<CutShort>(),
            _ => 0,
        };
        ALONGSIDE + self.entry.beyond() + content
    }
}

impl HeapSize for Text {
    fn beyond(&self) -> usize {
        let code = self.script.as_ref().and_then(|script| script.code.as_ref()).map_or(0, |code| {
            let calls: usize = code.calls.keys().map(|name| name.weight() + size_of::<u32>()).sum();
            calls + code.urls.beyond() + code.hosts.beyond() + plain(&code.uuids)
        });
        plain(&self.references) + plain(&self.mentions) + code
    }
}

impl HeapSize for ObjectFacts {
    fn beyond(&self) -> usize {
        let linkset = plain(&self.linkset.script_states) + self.linkset.parts.beyond();
        self.entry.len() + self.oddities.beyond() + linkset
    }
}

impl HeapSize for Part {
    fn beyond(&self) -> usize {
        self.name.len() + self.creator_data.beyond() + plain(&self.references) + self.inventory.beyond()
    }
}

impl HeapSize for Item {
    fn beyond(&self) -> usize {
        self.name.len()
    }
}

impl HeapSize for MeshFacts {
    fn beyond(&self) -> usize {
        let blocks: usize = self.blocks.iter().map(|block| size_of_val(block) + block.name.len()).sum();
        let hulls = self.convex.as_ref().map_or(0, |convex| size_of_val(&*convex.hulls));
        let meshes = self.physics_mesh.iter().chain(&self.physics_shape);
        let faces = meshes.flat_map(|mesh| &mesh.submeshes);
        let triangles: usize =
            faces.map(|face| size_of_val(face) + plain(&face.points) + plain(&face.triangles)).sum();
        let names = self.entry.len() + self.content_hash.len() + self.oddities.beyond();
        names + blocks + hulls + triangles + self.cost_data.as_ref().map_or(0, |data| plain(&data.mesh))
    }
}

impl HeapSize for SculptFacts {
    fn beyond(&self) -> usize {
        let state = match &self.state {
            SculptState::Decoded(pixels) => {
                pixels.rgb.len() + pixels.nearest.as_ref().map_or(0, |pixels| pixels.rgb.len())
            }
            SculptState::Broken(why) => why.len(),
        };
        self.entry.len() + state
    }
}

impl HeapSize for ParcelFacts {
    fn beyond(&self) -> usize {
        let parcel = &self.parcel;
        self.entry.len() + parcel.name.len() + parcel.bitmap.len() + plain(&parcel.references)
    }
}

impl HeapSize for Settings {
    fn beyond(&self) -> usize {
        plain(&self.references)
    }
}

impl HeapSize for ItemFacts {
    fn beyond(&self) -> usize {
        self.entry.len() + self.item.name.len()
    }
}

impl HeapSize for ArchiveManifest {
    fn beyond(&self) -> usize {
        self.regions.iter().map(|region| size_of_val(region) + region.folder.len()).sum()
    }
}

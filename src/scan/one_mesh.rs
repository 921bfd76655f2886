//! Reads one mesh of an input again. The facts of a mesh have only the numbers of its hulls, and not their points.

use hullmark_format::{
    mesh::{self, Mesh},
    viewer::cached_mesh::CachedMesh,
};
use hullmark_settings::limits::Limits;
use hullmark_source::{self as source, Input, Item, Kind, ReadRequest, Visitor, Wants};

/// Reads the mesh with this name: its file or member, followed by `#n` for the n-th mesh of a scene. `None` if it is no
/// longer there.
pub fn read_mesh(input: &Input, entry: &str, limits: &Limits) -> Option<Mesh> {
    let mut take = Take { entry, taken: None };
    source::reread(input, &ReadRequest::new(limits), &mut take);
    let item = take.taken?;
    let number = entry.strip_prefix(&item.name).and_then(|rest| rest.strip_prefix('#'));
    Some(match number.map(str::parse::<usize>) {
        None => match CachedMesh::of_file(&item.name, &item.bytes) {
            Some(cached) => cached.decode(limits).0,
            None => mesh::decode(&item.bytes, limits).0,
        },
        Some(number) => {
            let (scene, _) = mesh::decode_scene(&item.bytes, limits);
            mesh::decode(scene.meshes.get(number.ok()?)?, limits).0
        }
    })
}

/// A visitor that takes the member with a mesh.
struct Take<'a> {
    entry: &'a str,
    taken: Option<Item>,
}

impl Visitor for Take<'_> {
    fn wants(&mut self, name: &str, _: Kind, _: u64) -> Wants {
        let rest = self.entry.strip_prefix(name);
        let is_it = self.taken.is_none() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'));
        if is_it { Wants::Whole } else { Wants::Nothing }
    }

    fn enough(&self) -> bool {
        self.taken.is_some()
    }

    fn item(&mut self, item: Item) {
        self.taken.get_or_insert(item);
    }
}

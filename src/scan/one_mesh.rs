//! Reads meshes of an input again. The facts of a mesh have only the numbers of its hulls and levels, and not their
//! points.

use crate::models;
use hullmark_format::{
    mesh::{self, Mesh},
    viewer::cached_mesh::CachedMesh,
};
use hullmark_settings::limits::Limits;
use hullmark_source::{self as source, Input, Item, Kind, ReadRequest, Visitor, Wants};
use hullmark_util::{catch_panic::caught, deadline::Deadline, work::Work};
use std::{collections::BTreeSet, ops::Bound};

/// Reads the mesh with this name: its file or member, followed by `#n` for the n-th mesh of a scene, or by `#`
/// and the part of a model. `None` if it is no longer there.
pub fn read_mesh(input: &Input, entry: &str, limits: &Limits) -> Option<Mesh> {
    let mut found = None;
    let entries = BTreeSet::from([entry.to_owned()]);
    read_meshes(input, &entries, &ReadRequest::new(limits), &mut |_, mesh| found = Some(mesh));
    found
}

/// Reads the meshes with these names, in the order of the input, and passes each on with its name. One mesh is in memory
/// at a time. Names that are no longer there are left out.
pub fn read_meshes(
    input: &Input,
    entries: &BTreeSet<String>,
    request: &ReadRequest<'_>,
    take: &mut dyn FnMut(&str, Mesh),
) {
    let mut visitor = Take { left: entries.clone(), limits: request.limits, take };
    source::reread(input, request, &mut visitor);
}

/// A visitor that takes the members with meshes.
struct Take<'a> {
    /// The names that were not found yet.
    left: BTreeSet<String>,
    limits: &'a Limits,
    take: &'a mut dyn FnMut(&str, Mesh),
}

impl Take<'_> {
    /// Returns the names of meshes in a member: its own, or those in a scene or a model.
    fn within<'l>(&'l self, member: &'l str) -> impl Iterator<Item = &'l String> {
        let numbered = format!("{member}#");
        let after = self.left.range((Bound::Included(numbered.clone()), Bound::Unbounded));
        let of_scene = after.take_while(move |entry| entry.starts_with(&numbered));
        self.left.get(member).into_iter().chain(of_scene)
    }

    fn decode(&self, item: &Item) -> Mesh {
        match CachedMesh::of_file(&item.name, &item.bytes) {
            Some(cached) => cached.decode(self.limits).0,
            None => mesh::decode(&item.bytes, self.limits).0,
        }
    }

    /// Decodes meshes of a scene by their numbers, or of a model by the names of its parts.
    fn decode_within(&self, item: &Item, entries: &[String]) -> Vec<(String, Mesh)> {
        if item.kind == Kind::Model {
            let (upload, _) = models::upload(
                item,
                self.limits,
                &mut Work::new(self.limits.asset_work, Deadline::default()),
            );
            let parts = upload.parts.iter().map(|part| (models::entry(&item.name, part), part));
            let wanted = parts.filter(|(entry, _)| entries.contains(entry));
            return wanted.map(|(entry, part)| (entry, mesh::decode(&part.asset, self.limits).0)).collect();
        }
        let (scene, _) = mesh::decode_scene(&item.bytes, self.limits);
        let decoded = entries.iter().filter_map(|entry| {
            let number = entry.strip_prefix(&item.name)?.strip_prefix('#')?.parse::<usize>().ok()?;
            Some((entry.clone(), mesh::decode(scene.meshes.get(number)?, self.limits).0))
        });
        decoded.collect()
    }
}

impl Visitor for Take<'_> {
    fn wants(&mut self, name: &str, _: Kind, _: u64) -> Wants {
        if self.within(name).next().is_some() { Wants::Whole } else { Wants::Nothing }
    }

    fn enough(&self) -> bool {
        self.left.is_empty()
    }

    fn item(&mut self, item: Item) {
        // A fault of the decoder costs this member alone.
        if self.left.remove(&item.name)
            && let Ok(mesh) = caught(|| self.decode(&item))
        {
            (self.take)(&item.name, mesh);
        }
        let numbered: Vec<String> = self.within(&item.name).cloned().collect();
        if numbered.is_empty() {
            return;
        }
        numbered.iter().for_each(|entry| _ = self.left.remove(entry));
        for (entry, mesh) in caught(|| self.decode_within(&item, &numbered)).unwrap_or_default() {
            (self.take)(&entry, mesh);
        }
    }
}

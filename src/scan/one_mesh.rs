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

/// Reads the mesh with this name. After its file or member, `#` and its number in a scene or its part of a model may
/// follow. `None` if it is no longer there.
pub fn read_mesh(input: &Input, entry: &str, limits: &Limits) -> Option<Mesh> {
    let mut found = None;
    let entries = BTreeSet::from([entry.to_owned()]);
    read_meshes(input, &entries, &ReadRequest::new(limits), &mut |_, mesh| found = Some(mesh));
    found
}

/// Reads the bytes of the mesh asset with this name. For a part of a model, they are those of its upload.
pub fn read_asset(input: &Input, entry: &str, limits: &Limits) -> Option<Vec<u8>> {
    let mut found = None;
    let mut take = |_: &str, asset: Asset<'_>| found = Some(asset.bytes().to_owned());
    let mut visitor = Take { left: BTreeSet::from([entry.to_owned()]), limits, take: &mut take };
    source::reread(input, &ReadRequest::new(limits), &mut visitor);
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
    let limits = request.limits;
    let mut take = |entry: &str, asset: Asset<'_>| {
        // A fault of the decoder costs this mesh alone.
        if let Ok(mesh) = caught(|| asset.decode(limits)) {
            take(entry, mesh);
        }
    };
    let mut visitor = Take { left: entries.clone(), limits, take: &mut take };
    source::reread(input, request, &mut visitor);
}

/// The bytes of a mesh.
enum Asset<'a> {
    Whole(&'a [u8]),
    /// What a viewer fetched into its cache.
    Cached(CachedMesh<'a>),
}

impl<'a> Asset<'a> {
    fn bytes(&self) -> &'a [u8] {
        match self {
            Self::Whole(bytes) => bytes,
            Self::Cached(cached) => cached.asset,
        }
    }

    fn decode(&self, limits: &Limits) -> Mesh {
        match self {
            Self::Whole(bytes) => mesh::decode(bytes, limits).0,
            Self::Cached(cached) => cached.decode(limits).0,
        }
    }
}

/// A visitor that takes the members with meshes.
struct Take<'a> {
    /// The names that were not found yet.
    left: BTreeSet<String>,
    limits: &'a Limits,
    take: &'a mut dyn FnMut(&str, Asset<'_>),
}

impl Take<'_> {
    /// Returns the names of meshes in a member: its own, or those in a scene or a model.
    fn within<'l>(&'l self, member: &'l str) -> impl Iterator<Item = &'l String> {
        let numbered = format!("{member}#");
        let after = self.left.range((Bound::Included(numbered.clone()), Bound::Unbounded));
        let of_scene = after.take_while(move |entry| entry.starts_with(&numbered));
        self.left.get(member).into_iter().chain(of_scene)
    }

    /// Passes on the meshes of a scene by their numbers.
    fn take_of_scene(&mut self, item: &Item, entries: &[String]) {
        let (scene, _) = mesh::decode_scene(&item.bytes, self.limits);
        for entry in entries {
            let number = entry.strip_prefix(&item.name).and_then(|rest| rest.strip_prefix('#'));
            let number = number.and_then(|number| number.parse::<usize>().ok());
            if let Some(bytes) = number.and_then(|number| scene.meshes.get(number)) {
                (self.take)(entry, Asset::Whole(bytes));
            }
        }
    }

    /// Passes on the meshes of a model by the names of its parts.
    fn take_of_model(&mut self, item: &Item, entries: &[String]) {
        let mut work = Work::new(self.limits.asset_work, Deadline::default());
        let (upload, _) = models::upload(item, self.limits, &mut work);
        for part in &upload.parts {
            let entry = models::entry(&item.name, part);
            if entries.contains(&entry) {
                (self.take)(&entry, Asset::Whole(&part.asset));
            }
        }
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
        if self.left.remove(&item.name) {
            let cached = CachedMesh::of_file(&item.name, &item.bytes);
            (self.take)(&item.name, cached.map_or(Asset::Whole(&item.bytes), Asset::Cached));
        }
        let within: Vec<String> = self.within(&item.name).cloned().collect();
        if within.is_empty() {
            return;
        }
        within.iter().for_each(|entry| _ = self.left.remove(entry));
        let _ = caught(|| match item.kind {
            Kind::Model => self.take_of_model(&item, &within),
            _ => self.take_of_scene(&item, &within),
        });
    }
}

//! Decodes one member to its facts.

use hullmark_format::{
    archive_xml,
    defect::{Defect, InputDefect, MeshDefect},
    inventory, member, mesh, region,
    viewer::{self, Export, cached_mesh::CachedMesh},
};
use hullmark_ledger::{
    decoded::{DecodedDocument, DecodedMesh},
    facts::{ItemFacts, MeshFacts, ObjectFacts, ParcelFacts, Role},
};
use hullmark_settings::limits::Limits;
use hullmark_source::{
    Item, Kind,
    content::{Decoded, MemberContent, decode_document},
};
use hullmark_storage::contents::ContentCache;
use hullmark_util::{
    catch_panic::caught,
    timings::{Stage, pass, within},
    work::Work,
};

/// Decodes members of one input.
pub(super) struct MemberDecoder<'a> {
    pub(super) limits: &'a Limits,
    pub(super) contents: Option<&'a ContentCache>,
    /// Whether the members are files of a folder.
    pub(super) is_loose: bool,
}

impl MemberDecoder<'_> {
    /// Decodes one member by its kind and catches panics. Work is charged for meshes.
    pub(super) fn decode_caught(&self, item: &Item, work: &mut Work) -> Decoded {
        caught(|| self.decode(item, work)).unwrap_or_else(|words| {
            Decoded::defect(Defect::new(InputDefect::Panicked { words }).entry(&item.name))
        })
    }

    fn decode(&self, item: &Item, work: &mut Work) -> Decoded {
        #[cfg(test)]
        assert!(!item.name.contains(PANICS), "injected");
        let member = member::classify(&item.name);
        let folder = member.region.to_owned();
        let bytes = item.bytes.as_slice();
        let stage = if matches!(item.kind, Kind::Mesh | Kind::Scene | Kind::Model) {
            Stage::Meshes
        } else {
            Stage::Xml
        };
        pass(stage, bytes.len());
        let (content, mut defects) = match item.kind {
            Kind::Mesh | Kind::Scene => return Decoded { folder, ..self.decode_meshes(item, work) },
            Kind::Model => return self.decode_model(item, work),
            Kind::ArchiveManifest => {
                let (control, defects) = within(Stage::Xml, || archive_xml::decode(bytes));
                (MemberContent::ArchiveManifest(control), defects)
            }
            Kind::Settings => {
                let (settings, defects) = within(Stage::Xml, || region::decode_settings(bytes));
                (MemberContent::Settings(file_stem(member.file).to_owned(), settings), defects)
            }
            Kind::Parcel => {
                let (parcel, defects) = within(Stage::Xml, || region::decode_parcel(bytes));
                (
                    MemberContent::Parcel(parcel.map(|parcel| ParcelFacts {
                        entry: item.name.clone(),
                        order: 0,
                        parcel,
                    })),
                    defects,
                )
            }
            Kind::InventoryItem => {
                let (decoded, defects) = within(Stage::Xml, || inventory::decode(bytes));
                (
                    MemberContent::Item(
                        decoded.map(|decoded| ItemFacts { entry: item.name.clone(), item: decoded }),
                    ),
                    defects,
                )
            }
            Kind::Object | Kind::NestedObject => {
                let role = match (item.kind, self.is_loose) {
                    (_, true) => Role::Loose,
                    (Kind::NestedObject, _) => Role::Nested,
                    _ => Role::Rezzed,
                };
                let (objects, defects) = self.decode_objects(item, role);
                (MemberContent::Assets(Vec::new(), objects), defects)
            }
            Kind::ViewerExport => {
                let (objects, defects) = self.decode_export(item);
                (MemberContent::Assets(Vec::new(), objects), defects)
            }
            Kind::Terrain | Kind::Texture | Kind::Text | Kind::Asset | Kind::Other => {
                return Decoded::default();
            }
        };
        at_entry(&mut defects, item);
        Decoded { folder, content, defects }
    }

    /// Decodes a mesh asset, or all meshes of an uploader's scene, until the work budget is spent.
    fn decode_meshes(&self, item: &Item, work: &mut Work) -> Decoded {
        let (mut meshes, mut defects) = (Vec::new(), Vec::new());
        let mut left_out = 0;
        let mut add = |entry: String, content: Option<DecodedMesh>| {
            let Some(DecodedMesh { facts, defects: found, .. }) = content else {
                left_out += 1;
                return;
            };
            let uuid = member::uuid_in(&entry);
            for mut defect in found {
                defect.place.entry.clone_from(&entry);
                defect.place.asset = uuid;
                defects.push(defect);
            }
            meshes.push(MeshFacts { entry, uuid, ..facts });
        };
        if item.kind == Kind::Mesh {
            let fetched = CachedMesh::of_file(&item.name, &item.bytes);
            add(item.name.clone(), self.known_mesh(&item.bytes, fetched, work));
        } else {
            let (scene, mut found) = within(Stage::Meshes, || mesh::decode_scene(&item.bytes, self.limits));
            for (number, bytes) in scene.meshes.iter().enumerate() {
                add(format!("{}#{number}", item.name), self.decode_mesh(bytes, None, work));
            }
            at_entry(&mut found, item);
            defects.extend(found);
        }
        if left_out > 0 {
            let mut defect = self.spent(InputDefect::SceneWork { left_out }, work);
            defect.place.asset = member::uuid_in(&item.name);
            defect.place.entry.clone_from(&item.name);
            defects.push(defect);
        }
        Decoded { content: MemberContent::Assets(meshes, Vec::new()), defects, ..Decoded::default() }
    }

    /// Returns the content of a mesh asset from the cache, or decodes it.
    fn known_mesh(
        &self,
        bytes: &[u8],
        fetched: Option<CachedMesh<'_>>,
        work: &mut Work,
    ) -> Option<DecodedMesh> {
        let Some(contents) = self.contents else { return self.decode_mesh(bytes, fetched, work) };
        let key = contents.key(if fetched.is_some() { "fetched mesh" } else { "mesh" }, bytes);
        if let Some(content) = DecodedMesh::kept(contents, key) {
            // It was within the same budget.
            let _ = work.charge(content.units);
            return Some(content);
        }
        let content = self.decode_mesh(bytes, fetched, work)?;
        let lacked_memory = content.defects.iter().any(|defect| defect.is(MeshDefect::BlockWithoutMemory));
        if !work.is_spent() && work.over().is_none() && !lacked_memory {
            content.keep(contents, key);
        }
        Some(content)
    }

    /// Decodes a mesh, which may be from the cache of a viewer. `None` if the work budget is spent.
    fn decode_mesh(
        &self,
        bytes: &[u8],
        fetched: Option<CachedMesh<'_>>,
        work: &mut Work,
    ) -> Option<DecodedMesh> {
        work.charge(bytes.len() as u64).ok()?;
        let (mesh, mut defects) = within(Stage::Meshes, || match &fetched {
            Some(fetched) => fetched.decode_geometry(self.limits),
            None => mesh::decode_geometry(bytes, self.limits),
        });
        let bytes = fetched.map_or(bytes, |fetched| fetched.asset);
        // The next charge reports the excess.
        let _ = work.charge(mesh.inflated);
        let mut facts = within(Stage::Geometry, || MeshFacts::new(String::new(), None, bytes, &mesh, work));
        if !facts.absent.is_empty() {
            // It is not the hash of the asset, so it must not be compared with one.
            facts.content_hash.clear();
        }
        if work.is_spent() {
            defects.push(self.spent(InputDefect::AssetWork, work));
        }
        Some(DecodedMesh { units: work.done(), facts, defects })
    }

    /// Returns the defect for an asset whose work budget is spent.
    fn spent(&self, kind: InputDefect, work: &Work) -> Defect {
        let defect = Defect::new(kind).within("asset_work");
        defect.measured(work.done() as f64).limit(self.limits.asset_work as f64)
    }

    /// Decodes a mesh that this program built. `None` if the work budget is spent.
    pub(super) fn decode_built(&self, asset: &[u8], work: &mut Work) -> Option<(MeshFacts, Vec<Defect>)> {
        let content = self.decode_mesh(asset, None, work)?;
        Some((content.facts, content.defects))
    }

    fn decode_objects(&self, item: &Item, role: Role) -> (Vec<ObjectFacts>, Vec<Defect>) {
        let decode = || within(Stage::Xml, || decode_document(&item.bytes, self.limits));
        let DecodedDocument { mut objects, mut defects } =
            DecodedDocument::of(self.contents, &item.bytes, &decode);
        let is_asset = role == Role::Nested;
        let asset = is_asset.then(|| member::uuid_in(&item.name)).flatten();
        for object in &mut objects {
            object.entry.clone_from(&item.name);
            (object.role, object.asset) = (role, asset);
        }
        for defect in &mut defects {
            (defect.in_asset, defect.place.asset) = (is_asset, asset);
        }
        (objects, defects)
    }

    fn decode_export(&self, item: &Item) -> (Vec<ObjectFacts>, Vec<Defect>) {
        let (Export { layout, linksets }, defects) =
            within(Stage::Xml, || viewer::decode(&item.bytes, self.limits));
        let objects = linksets.into_iter().enumerate().map(|(index, linkset)| ObjectFacts {
            entry: item.name.clone(),
            index: index as u32,
            role: Role::Loose,
            layout,
            ..ObjectFacts::rezzed(linkset)
        });
        (objects.collect(), defects)
    }
}

fn at_entry(defects: &mut [Defect], item: &Item) {
    for defect in defects {
        defect.place.entry.clone_from(&item.name);
    }
}

pub(super) fn file_stem(file: &str) -> &str {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// The decoder panics on a member whose name contains this text, for tests.
#[cfg(test)]
pub(super) const PANICS: &str = "panics";

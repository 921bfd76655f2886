//! Derives the kind of an archive entry from its path in OpenSim's layout.

use super::viewer::cached_mesh::name_in_cache;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// `archive.xml`.
    ArchiveManifest,
    /// `objects/…xml`: an object in a region.
    Object,
    /// `assets/…_object.xml`: an object in an inventory.
    NestedObject,
    /// `assets/…_mesh.llmesh`.
    Mesh,
    /// The uploader's scene of several meshes. It exists only as a loose file.
    Scene,
    /// A model before its upload (glTF or COLLADA). It exists only as a loose file.
    Model,
    /// A viewer's export of objects. It exists only as a loose file.
    ViewerExport,
    /// `settings/…xml`.
    Settings,
    /// `landdata/…xml`.
    Parcel,
    /// `terrains/…`.
    Terrain,
    /// `inventory/…xml`: an item of an IAR.
    InventoryItem,
    /// `assets/…_texture.jp2`: decoded only if it is a sculpt map.
    Texture,
    /// `assets/…_script.lsl`, `…_notecard.txt` and other assets whose text is read.
    Text,
    Asset,
    Other,
}

impl Kind {
    /// Whether entries of this kind are decoded, regardless of the rest of the input.
    pub fn is_decoded(self) -> bool {
        !matches!(self, Self::Terrain | Self::Texture | Self::Asset | Self::Other)
    }

    pub fn is_asset(self) -> bool {
        matches!(self, Self::NestedObject | Self::Mesh | Self::Texture | Self::Text | Self::Asset)
    }
}

/// The components of an entry's path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member<'a> {
    pub kind: Kind,
    /// The folder below `regions/`; empty in a single-region archive.
    pub region: &'a str,
    /// The name below the folder of its kind.
    pub file: &'a str,
}

/// The suffixes by which OpenSim restores assets (`ArchiveConstants`).
pub const ASSET_SUFFIXES: [&str; 22] = [
    "_animation.bvh",
    "_bodypart.txt",
    "_bytecode.lso",
    "_callingcard.txt",
    "_clothing.txt",
    "_folder.txt",
    "_gesture.txt",
    "_image.jpg",
    "_image.tga",
    "_landmark.txt",
    "_material.xml",
    "_mesh.llmesh",
    "_notecard.txt",
    "_object.xml",
    "_prmat.dat",
    "_script.lsl",
    "_settings.bin",
    "_simstate.bin",
    "_sound.ogg",
    "_sound.wav",
    "_texture.jp2",
    "_texture.tga",
];

/// The endings of files that hold terrain alone.
const TERRAIN_ENDINGS: [&str; 3] = [".r32", ".f32", ".ter"];

/// Whether the path is that of terrain. No loader reads it unless its kind is [`Kind::Terrain`].
pub fn is_terrain(path: &str) -> bool {
    TERRAIN_ENDINGS.iter().any(|ending| path.ends_with(ending))
}

/// Files that macOS and Windows add to folders.
const ADDED: [&str; 3] = [".DS_Store", "desktop.ini", "Thumbs.db"];

/// The first bytes of metadata that macOS keeps of another file (AppleDouble, RFC 1740).
pub const APPLE_DOUBLE: [u8; 4] = [0, 5, 0x16, 7];

/// Whether this is the path of metadata that macOS keeps of another file: `._archive.xml` for `archive.xml`.
pub fn is_named_as_metadata(path: &str) -> bool {
    file_name(path).starts_with("._")
}

/// Whether macOS or Windows added the file of this path, which no export has. `begins_with` is asked about files with
/// names of metadata alone: whether they begin with these bytes.
pub fn is_added<E>(path: &str, begins_with: impl FnOnce(&[u8]) -> Result<bool, E>) -> Result<bool, E> {
    if is_named_as_metadata(path) {
        return begins_with(&APPLE_DOUBLE);
    }
    Ok(ADDED.iter().any(|added| file_name(path).eq_ignore_ascii_case(added)))
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Splits the path of an entry. A leading `./`, which other tools write, is ignored.
pub fn classify(path: &str) -> Member<'_> {
    let path = path.strip_prefix("./").unwrap_or(path);
    let (region, inner) = match path.strip_prefix("regions/").and_then(|rest| rest.split_once('/')) {
        Some((region, inner)) => (region, inner),
        None => ("", path),
    };
    if path == "archive.xml" {
        return Member { kind: Kind::ArchiveManifest, region: "", file: path };
    }
    let (folder, file) = inner.split_once('/').unwrap_or(("", inner));
    let kind = match folder {
        "objects" => Kind::Object,
        "settings" => Kind::Settings,
        "landdata" => Kind::Parcel,
        "terrains" => Kind::Terrain,
        "inventory" if file.ends_with(".xml") => Kind::InventoryItem,
        "assets" => asset_kind(file),
        _ => Kind::Other,
    };
    Member { kind, region, file }
}

pub fn asset_kind(file: &str) -> Kind {
    match suffix(file) {
        Some("_mesh.llmesh") => Kind::Mesh,
        Some("_object.xml") => Kind::NestedObject,
        Some("_texture.jp2") => Kind::Texture,
        Some(
            "_bodypart.txt" | "_clothing.txt" | "_gesture.txt" | "_landmark.txt" | "_material.xml"
            | "_notecard.txt" | "_prmat.dat" | "_script.lsl" | "_settings.bin",
        ) => Kind::Text,
        _ => Kind::Asset,
    }
}

/// Returns the UUID at the start or end of a file name: `UUID_mesh.llmesh`, `UUID.mesh`, `name__UUID.xml`.
pub fn uuid_in(name: &str) -> Option<Uuid> {
    let file = file_name(name);
    let file = name_in_cache(file).unwrap_or(file);
    let leading = file.get(..36).and_then(|text| Uuid::try_parse(text).ok());
    leading.or_else(|| {
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let start = stem.len().checked_sub(36)?;
        Uuid::try_parse(stem.get(start..)?).ok()
    })
}

/// Returns the path that an archive would give to an asset of this type.
pub fn asset_path(uuid: Uuid, asset_type: i64) -> String {
    format!("assets/{uuid}{}", suffix_of_type(asset_type))
}

/// Returns the suffix of an asset of this type. Empty if archives have no such type.
pub fn suffix_of_type(asset_type: i64) -> &'static str {
    match asset_type {
        0 => "_texture.jp2",
        1 => "_sound.ogg",
        2 => "_callingcard.txt",
        3 => "_landmark.txt",
        5 => "_clothing.txt",
        6 => "_object.xml",
        7 => "_notecard.txt",
        8 => "_folder.txt",
        10 => "_script.lsl",
        11 => "_bytecode.lso",
        12 => "_texture.tga",
        13 => "_bodypart.txt",
        17 => "_sound.wav",
        18 => "_image.tga",
        19 => "_image.jpg",
        20 => "_animation.bvh",
        21 => "_gesture.txt",
        22 => "_simstate.bin",
        49 => "_mesh.llmesh",
        56 => "_settings.bin",
        57 => "_prmat.dat",
        -2 => "_material.xml",
        _ => "",
    }
}

/// Whether a file name begins with a UUID. Such a file is an asset, even if nothing else is known about it.
pub fn begins_with_uuid(file: &str) -> bool {
    let file = name_in_cache(file).unwrap_or(file);
    file.get(..36).is_some_and(|text| Uuid::try_parse(text).is_ok())
}

/// Returns the suffix that gives an asset's type; `None` if OpenSim does not know the type.
pub fn suffix(file: &str) -> Option<&'static str> {
    ASSET_SUFFIXES.iter().find(|suffix| file.ends_with(**suffix)).copied()
}

/// Like [`suffix`], but also `None` if no UUID precedes the suffix, because OpenSim does not restore such an asset.
pub fn asset_suffix(file: &str) -> Option<&'static str> {
    let suffix = suffix(file)?;
    Uuid::try_parse(&file[..file.len() - suffix.len()]).ok().map(|_| suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_decide_kinds() {
        let kind = |path| classify(path).kind;
        assert_eq!(kind("archive.xml"), Kind::ArchiveManifest);
        assert_eq!(kind("./archive.xml"), Kind::ArchiveManifest);
        assert_eq!(kind("objects/A/B_1-2-3__x.xml"), Kind::Object, "names hold slashes");
        assert_eq!(kind("assets/u_mesh.llmesh"), Kind::Mesh);
        assert_eq!(kind("assets/u_object.xml"), Kind::NestedObject);
        assert_eq!(kind("assets/u_texture.jp2"), Kind::Texture);
        assert_eq!(kind("assets/u_sound.ogg"), Kind::Asset);
        assert_eq!(kind("assets/u_script.lsl"), Kind::Text);
        assert_eq!(kind("assets/u_prmat.dat"), Kind::Text);
        assert_eq!(kind("inventory/Mesh__u/Item__u.xml"), Kind::InventoryItem);
        assert_eq!(kind("inventory/Mesh__u/"), Kind::Other);
        assert_eq!(kind("thumbs.db"), Kind::Other);
    }

    #[test]
    fn a_multi_region_path_names_its_region() {
        let member = classify("regions/1_1_Main_Street/landdata/p.xml");
        assert_eq!(member, Member { kind: Kind::Parcel, region: "1_1_Main_Street", file: "p.xml" });
    }

    #[test]
    fn uuids_are_found_at_either_end() {
        let uuid = Uuid::try_parse("47397b0a-7c25-4905-b82d-946cbe329328").unwrap();
        assert_eq!(uuid_in("assets/47397b0a-7c25-4905-b82d-946cbe329328_mesh.llmesh"), Some(uuid));
        assert_eq!(uuid_in("objects/ Bed_203-127-022__47397b0a-7c25-4905-b82d-946cbe329328.xml"), Some(uuid));
        assert_eq!(uuid_in("47397b0a-7c25-4905-b82d-946cbe329328"), Some(uuid));
        let cached = "a/sl_cache_47397b0a-7c25-4905-b82d-946cbe329328_0.asset";
        assert_eq!(uuid_in(cached), Some(uuid));
        assert_eq!(uuid_in("testslm.slm"), None);
        assert_eq!(uuid_in("€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€€.x"), None);
    }

    #[test]
    fn asset_names_need_a_uuid_and_a_known_suffix() {
        assert_eq!(asset_suffix("47397b0a-7c25-4905-b82d-946cbe329328_sound.ogg"), Some("_sound.ogg"));
        assert_eq!(asset_suffix("47397b0a-7c25-4905-b82d-946cbe329328_sound.mp3"), None);
        assert_eq!(asset_suffix("mine_sound.ogg"), None);
    }
}

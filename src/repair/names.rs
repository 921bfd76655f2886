//! The paths of members in an archive that a loader takes.

use hullmark_analysis::asset_uses;
use hullmark_format::{
    defect::{DefectKind, InputDefect},
    member::{self, Member},
};
use hullmark_ledger::Ledger;
use std::collections::HashMap;
use uuid::Uuid;

/// Returns the folder that all members are in, with its slash. Empty without one.
pub(crate) fn top_folder(ledger: &Ledger) -> String {
    let below = ledger
        .defects
        .iter()
        .find(|defect| matches!(defect.kind, DefectKind::Input(InputDefect::ControlBelowFolder)));
    let control = below.map_or("", |defect| &*defect.place.entry);
    control.strip_suffix("archive.xml").unwrap_or_default().to_owned()
}

/// Returns the path of a member as loaders compare it, given the folder that all members are in.
pub(crate) fn inside<'n>(name: &'n str, folder: &str) -> &'n str {
    let path = name.strip_prefix("./").unwrap_or(name);
    path.strip_prefix(folder).unwrap_or(path)
}

/// Whether a path stays in its archive.
pub(crate) fn is_safe(path: &str) -> bool {
    !path.starts_with('/') && path.split('/').all(|step| step != "..")
}

/// Whether this is the control file of an archive whose members are in a folder.
pub(crate) fn is_control(name: &str, folder: &str) -> bool {
    inside(name, folder) == "archive.xml"
}

/// A path by which a loader restores an asset.
pub(crate) struct Renamed {
    pub(crate) path: String,
    pub(crate) why: &'static str,
}

/// The suffixes of assets by what uses them.
pub(crate) type Suffixes = HashMap<Uuid, &'static str>;

/// Returns the suffixes of the assets that an archive uses.
pub(crate) fn suffixes(ledger: &Ledger) -> Suffixes {
    let uses = asset_uses::collect(ledger).into_iter();
    uses.filter_map(|(asset, used)| Some((asset, asset_uses::suffix_of_kind(used.kind)?))).collect()
}

/// Returns another path for an asset that a loader would not restore. `None` if its path is right, or its type unknown.
pub(crate) fn of_asset(path: &str, member: Member<'_>, bytes: &[u8], suffixes: &Suffixes) -> Option<Renamed> {
    let is_restored =
        member::asset_suffix(member.file).is_some_and(|suffix| member.file.len() == suffix.len() + 36);
    if !member.kind.is_asset() || is_restored {
        return None;
    }
    let folder = path.strip_suffix(member.file)?;
    let uuid = uuid_at_start(member.file)?;
    let (suffix, why) = match member::suffix(member.file) {
        Some(suffix) => (suffix, "OpenSim restores an asset only by a plain UUID"),
        None => (
            suffix_of(member.file, uuid, bytes, suffixes)?,
            "OpenSim restores an asset only by the name of its type",
        ),
    };
    Some(Renamed { path: format!("{folder}{uuid}{suffix}"), why })
}

/// Returns the UUID at the start of a name, also one in braces.
fn uuid_at_start(file: &str) -> Option<Uuid> {
    let name = file.trim_start_matches([' ', '{']);
    Uuid::try_parse(name.get(..36)?).ok()
}

/// Returns the suffix of an asset by its ending, its first bytes or its uses.
pub(crate) fn suffix_of(file: &str, uuid: Uuid, bytes: &[u8], suffixes: &Suffixes) -> Option<&'static str> {
    let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
    Some(match ending.to_ascii_lowercase().as_str() {
        "jp2" | "j2k" | "j2c" | "jpc" => "_texture.jp2",
        "ogg" => "_sound.ogg",
        "wav" => "_sound.wav",
        "llmesh" => "_mesh.llmesh",
        "lsl" => "_script.lsl",
        "bvh" | "anim" => "_animation.bvh",
        _ if bytes.starts_with(b"\xFF\x4F\xFF\x51") || bytes.starts_with(b"\0\0\0\x0CjP  ") => "_texture.jp2",
        _ if bytes.starts_with(b"OggS") => "_sound.ogg",
        _ if bytes.starts_with(b"Linden text version") => "_notecard.txt",
        _ if bytes.starts_with(b"Landmark version") => "_landmark.txt",
        _ => return suffixes.get(&uuid).copied(),
    })
}

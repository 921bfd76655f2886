//! Unpacked archives: which folders are unpacked archives, and which files below them are members.
//!
//! A folder with the control file `archive.xml` is an unpacked archive. Without this file it is recognized by what
//! OpenSim writes: assets and objects, or assets and inventory items, whose names contain a UUID. Other files below
//! such a folder, without the name of a member, are audited separately.

use super::{
    Kind, Loose, LooseFile,
    list::{ListedFile, PathState},
    sniff,
};
use hullmark_format::{
    member::{self, Member, classify},
    xml,
};
use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
};

const CONTROL: &str = "archive.xml";

/// The folders in which OpenSim writes members.
const LAYOUT: [&str; 7] = ["assets", "inventory", "landdata", "objects", "regions", "settings", "terrains"];

/// The extensions of terrains that OpenSim loads.
const TERRAINS: [&str; 9] = [".bmp", ".f32", ".gif", ".jpg", ".png", ".r32", ".raw", ".ter", ".tif"];

/// Unpacked archives by folder, with their members in reading order.
pub(super) type Trees = BTreeMap<PathBuf, Vec<LooseFile>>;

/// Whether a folder has the name of a folder in an archive.
pub(super) fn is_layout_folder(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| LAYOUT.contains(&name))
}

/// Whether a file of this name may be a member of some unpacked archive.
pub(super) fn may_hold(name: &str) -> bool {
    name.split('/').any(|step| step == CONTROL || LAYOUT.contains(&step))
}

/// Whether a path is one of these folders or below one.
pub(super) fn is_within(path: &Path, folders: &HashSet<&Path>) -> bool {
    path.ancestors().any(|ancestor| folders.contains(ancestor))
}

/// Files by the unpacked archive around them.
#[derive(Debug, Default)]
pub(super) struct Claimed {
    pub(super) trees: Trees,
    /// Files in a member's folder without a member's name, with the archive around them. They are members unless they
    /// are archives themselves.
    pub(super) doubtful: Vec<(ListedFile, PathBuf)>,
    /// Files that are no members.
    pub(super) others: Vec<ListedFile>,
}

/// Sorts files below `folders` by the unpacked archives around them. An alias that is no member is dropped.
pub(super) fn claim(files: Vec<ListedFile>, aliases: Vec<ListedFile>, folders: &[PathBuf]) -> Claimed {
    let mut roots = roots_among(files.iter().chain(&aliases));
    // A file argument does not make its folder an input.
    let folders = folders.iter().map(PathBuf::as_path).collect();
    roots.retain(|root| is_within(root, &folders));
    let mut claimed = Claimed::default();
    if roots.is_empty() {
        claimed.others = files;
        return claimed;
    }
    let mut nearest = Nearest { roots: &roots, folder: PathBuf::new(), root: None };
    let files = files.into_iter().map(|found| (found, false));
    for (found, is_alias) in files.chain(aliases.into_iter().map(|found| (found, true))) {
        let root = nearest.root_of(&found.path);
        match root.map(|root| (root, claim_of(&found, root))) {
            Some((root, Claim::Member)) => claimed.add(found, root),
            Some((root, Claim::Doubtful)) if !is_alias => claimed.doubtful.push((found, root.clone())),
            _ if is_alias => {}
            _ => claimed.others.push(found),
        }
    }
    claimed
}

impl Claimed {
    pub(super) fn add(&mut self, found: ListedFile, root: &Path) {
        let name = relative_name(&found.path, root);
        let ListedFile { path, bytes, stamp, state, .. } = found;
        let what = match state {
            PathState::Unreadable(why) => Loose::Unreadable(why),
            PathState::NoFile(what) => Loose::Unknown(what.into()),
            PathState::File => Loose::Known(classify(&name).kind),
        };
        self.trees.entry(root.to_owned()).or_default().push(LooseFile { path, name, bytes, stamp, what });
    }

    /// Returns the unpacked archives with all their members, each once and in reading order.
    pub(super) fn into_trees(mut self) -> Trees {
        for members in self.trees.values_mut() {
            members.sort_by(reading_order);
            members.dedup_by(|a, b| a.path == b.path);
        }
        self.trees
    }
}

/// Compares members of an unpacked archive: the control file comes first.
pub(super) fn reading_order(a: &LooseFile, b: &LooseFile) -> Ordering {
    (a.name != CONTROL, &a.name).cmp(&(b.name != CONTROL, &b.name))
}

/// Finds the innermost unpacked archive around a file. Files of one folder must come one after another.
struct Nearest<'a> {
    roots: &'a BTreeSet<PathBuf>,
    folder: PathBuf,
    root: Option<&'a PathBuf>,
}

impl<'a> Nearest<'a> {
    fn root_of(&mut self, path: &Path) -> Option<&'a PathBuf> {
        let folder = path.parent()?;
        if self.folder != folder || self.folder.as_os_str().is_empty() {
            self.folder = folder.to_owned();
            self.root = folder.ancestors().find_map(|folder| self.roots.get(folder));
        }
        self.root
    }
}

/// Whether a file is a member of the unpacked archive around it.
enum Claim {
    Member,
    Doubtful,
    No,
}

fn claim_of(found: &ListedFile, root: &Path) -> Claim {
    let name = relative_name(&found.path, root);
    let first = name.split('/').next().unwrap_or_default();
    match &found.state {
        PathState::Unreadable(_) if name == CONTROL || LAYOUT.contains(&first) => Claim::Member,
        PathState::Unreadable(_) => Claim::No,
        PathState::File if is_added(found) => Claim::No,
        PathState::File | PathState::NoFile(_) if is_member(&name) => Claim::Member,
        PathState::File if !matches!(classify(&name).kind, Kind::Other) => Claim::Doubtful,
        PathState::File | PathState::NoFile(_) => Claim::No,
    }
}

/// Whether this is the name of a member, as OpenSim writes them.
fn is_member(name: &str) -> bool {
    let Member { kind, file, .. } = classify(name);
    let ends = |ending: &&str| file.to_ascii_lowercase().ends_with(ending);
    match kind {
        Kind::ArchiveManifest | Kind::InventoryItem => true,
        Kind::Object | Kind::Settings | Kind::Parcel => ends(&".xml"),
        Kind::Terrain => TERRAINS.iter().any(ends),
        Kind::Other | Kind::Scene | Kind::Model | Kind::ViewerExport => false,
        kind => kind.is_asset() && member::begins_with_uuid(file),
    }
}

/// Returns the folders that are unpacked archives.
fn roots_among<'a>(files: impl Iterator<Item = &'a ListedFile>) -> BTreeSet<PathBuf> {
    let mut roots = BTreeSet::new();
    let mut signs: HashMap<PathBuf, Signs> = HashMap::new();
    for found in files {
        let ListedFile { path, state, .. } = found;
        let Some(folder) = path.parent() else { continue };
        if path.file_name().is_some_and(|name| name == CONTROL) {
            if *state == PathState::File && is_control(found) {
                roots.insert(folder.to_owned());
            }
        } else if *state == PathState::File {
            for (folder, name) in archives_around(path) {
                let Member { kind, region, file } = classify(&name);
                match kind {
                    Kind::Object | Kind::InventoryItem
                        if is_member(&name) && member::uuid_in(file).is_some() =>
                    {
                        signs.entry(folder).or_default().objects = true;
                    }
                    // Regions share the assets of their archive.
                    kind if kind.is_asset() && region.is_empty() && member::asset_suffix(file).is_some() => {
                        signs.entry(folder).or_default().assets = true;
                    }
                    _ => {}
                }
            }
        }
    }
    roots.extend(
        signs.into_iter().filter(|(_, signs)| signs.assets && signs.objects).map(|(folder, _)| folder),
    );
    roots
}

/// Signs of an unpacked archive without its control file.
#[derive(Default)]
struct Signs {
    assets: bool,
    objects: bool,
}

/// The folders whose member a file could be, with its name in each.
fn archives_around(path: &Path) -> impl Iterator<Item = (PathBuf, String)> {
    let around = path.ancestors().skip(1).filter(|folder| is_layout_folder(folder));
    let roots = around.filter_map(Path::parent);
    roots.map(move |root| (root.to_owned(), relative_name(path, root)))
}

fn is_control(found: &ListedFile) -> bool {
    found.start(sniff::WINDOW).is_ok_and(|start| xml::root_element(&start).as_deref() == Some("archive"))
}

/// Whether macOS or Windows added a file.
fn is_added(found: &ListedFile) -> bool {
    let begins_with = |start: &[u8]| found.start(start.len()).map(|own| own == start);
    let name = found.path.file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| member::is_added(name, begins_with).unwrap_or(false))
}

/// Returns a path relative to `root`, with slashes as in archives.
fn relative_name(path: &Path, root: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let steps: Vec<_> = relative.iter().map(|step| step.to_string_lossy()).collect();
    steps.join("/")
}

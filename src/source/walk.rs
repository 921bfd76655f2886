//! Paths to inputs.

use super::{
    Input, Kind, Loose, LooseFile, Stamp, What, member,
    sniff::{self, Sniff, sniff},
    stamp::by_path,
};
use crate::{
    dated::{self, Seconds},
    format::xml,
    storage::{self, Object},
    timings::{self, Stage},
};
use rayon::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
};
use walkdir::WalkDir;

/// Turns any mix of files, folders and URLs of objects into inputs, sorted by name, each file once however many links
/// or arguments lead to it. What lies in `leave_out`, the folders that this run writes to, is not audited.
///
/// # Errors
/// A path that does not exist at all, or a URL whose store has nothing there or cannot be used: that is a mistake of
/// whoever typed it.
pub fn walk(paths: &[PathBuf], leave_out: &[&Path]) -> io::Result<Vec<Input>> {
    walk_knowing(paths, leave_out, &|_, _| false)
}

/// The same, without looking into files of which it is known that they are archives, by their names and stamps.
///
/// # Errors
/// As [`walk()`].
pub fn walk_knowing(
    paths: &[PathBuf],
    leave_out: &[&Path],
    is_archive: &(dyn Fn(&str, Stamp) -> bool + Sync),
) -> io::Result<Vec<Input>> {
    let mut walk = Walk::default();
    walk.seen.extend(leave_out.iter().filter_map(|path| fs::canonicalize(path).ok()));
    let mut sorted: Vec<&PathBuf> = paths.iter().collect();
    sorted.sort();
    for path in sorted {
        let failed = |error: io::Error| {
            io::Error::new(error.kind(), format!("{} cannot be audited: {error}", path.display()))
        };
        if storage::is_url(path) {
            walk.objects(path, leave_out).map_err(failed)?;
            continue;
        }
        let meta = fs::metadata(path).map_err(failed)?;
        if meta.is_dir() {
            walk.folder(path);
        } else if walk.is_new(path) {
            walk.file(path, Some(&meta));
        }
    }
    Ok(walk.finish(is_archive))
}

#[derive(Default)]
struct Walk {
    inputs: Vec<Input>,
    /// Files that are reached by links: they come after all others, because a file goes by its own name.
    links: Vec<(PathBuf, Option<Metadata>)>,
    loose: BTreeMap<PathBuf, Vec<LooseFile>>,
    /// Files that nobody looked into yet.
    files: Vec<Found>,
    seen: HashSet<PathBuf>,
}

/// A file, and what its folder says of it.
struct Found {
    path: PathBuf,
    bytes: u64,
    stamp: Option<Stamp>,
    modified: Option<Seconds>,
    is_regular: bool,
}

impl Walk {
    fn folder(&mut self, root: &Path) {
        let mut entries = WalkDir::new(root).follow_links(true).sort_by(by_path).into_iter();
        let mut parent = Parent::default();
        while let Some(entry) = entries.next() {
            match entry {
                Ok(entry) if entry.file_type().is_dir() => {
                    let seen = !self.is_new(entry.path());
                    if !seen && is_tree(entry.path()) {
                        self.push(entry.path(), What::Tree, 0, None);
                        entries.skip_current_dir();
                    } else if seen {
                        entries.skip_current_dir();
                    }
                }
                Ok(entry) if entry.path_is_symlink() => {
                    self.links.push((entry.path().to_owned(), entry.metadata().ok()));
                }
                Ok(entry) => {
                    if self.seen.insert(parent.whole(entry.path())) {
                        self.file(entry.path(), entry.metadata().ok().as_ref());
                    }
                }
                Err(error) => self.failed(&error, root),
            }
        }
    }

    /// The objects below a URL. Their store knows no folders, but keys are read as if there were some.
    fn objects(&mut self, url: &Path, leave_out: &[&Path]) -> io::Result<()> {
        let mut objects = storage::list(url)?;
        objects.retain(|object| !leave_out.iter().any(|folder| object.path.starts_with(folder)));
        let trees = trees_among(&objects, url);
        for tree in &trees {
            if self.seen.insert(tree.clone()) {
                self.push(tree, What::Tree, 0, None);
            }
        }
        for Object { path, bytes, stamp, modified } in objects {
            let is_in_tree = path.ancestors().any(|folder| trees.contains(folder));
            if !is_in_tree && self.seen.insert(path.clone()) {
                let (stamp, modified) = (Some(stamp), Some(modified));
                self.files.push(Found { path, bytes, stamp, modified, is_regular: true });
            }
        }
        Ok(())
    }

    /// Whether this is the first time that the file or folder is met.
    fn is_new(&mut self, path: &Path) -> bool {
        self.seen.insert(whole(path))
    }

    fn file(&mut self, path: &Path, meta: Option<&Metadata>) {
        self.files.push(Found {
            path: path.to_owned(),
            bytes: meta.map_or(0, Metadata::len),
            stamp: meta.and_then(|meta| Stamp::of_file(path, meta)),
            modified: meta.and_then(|meta| dated::seconds(meta.modified().ok()?)),
            is_regular: meta.is_some_and(Metadata::is_file),
        });
    }

    /// Takes a file in as what its first bytes say.
    fn sort_in(&mut self, found: Found, sniffed: Sniff) {
        let Found { path, bytes, stamp, modified, .. } = found;
        match sniffed {
            Sniff::Archive => {
                self.push(&path, What::Archive, bytes, stamp);
                self.inputs.last_mut().into_iter().for_each(|input| input.modified = modified);
            }
            Sniff::Loose(what) => {
                let folder =
                    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
                self.loose_file(folder, &path, bytes, stamp, what);
            }
        }
    }

    fn failed(&mut self, error: &walkdir::Error, root: &Path) {
        let path = error.path().unwrap_or(root);
        if error.loop_ancestor().is_none() {
            let why = error.io_error().map_or_else(|| error.to_string(), ToString::to_string);
            return self.push(path, What::Unreadable(why), 0, None);
        }
        let what = Loose::Unknown("a symbolic link to a folder above itself".into());
        self.loose_file(path.parent().unwrap_or(root), path, 0, None, what);
    }

    fn loose_file(&mut self, folder: &Path, path: &Path, bytes: u64, stamp: Option<Stamp>, what: Loose) {
        let name = shown(Path::new(path.file_name().unwrap_or_default()));
        let file = LooseFile { path: path.to_owned(), name, bytes, stamp, what };
        self.loose.entry(folder.to_owned()).or_default().push(file);
    }

    fn push(&mut self, path: &Path, what: What, bytes: u64, stamp: Option<Stamp>) {
        self.inputs.push(Input {
            name: shown(path),
            path: path.to_owned(),
            what,
            bytes,
            stamp,
            modified: None,
        });
    }

    fn finish(mut self, is_archive: &(dyn Fn(&str, Stamp) -> bool + Sync)) -> Vec<Input> {
        for (path, meta) in std::mem::take(&mut self.links) {
            if self.is_new(&path) {
                self.file(&path, meta.as_ref());
            }
        }
        let files = std::mem::take(&mut self.files);
        let sniff = |found: &Found| timings::within(Stage::Read, || found.sniff(is_archive));
        let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
        let sniff_all = || storage::side_by_side(&paths, || files.par_iter().map(sniff).collect());
        let sniffed: Vec<Sniff> = timings::within(Stage::Waiting, sniff_all);
        files.into_iter().zip(sniffed).for_each(|(file, sniffed)| self.sort_in(file, sniffed));
        for (folder, mut files) in std::mem::take(&mut self.loose) {
            files.sort_by(|a, b| a.path.cmp(&b.path));
            let bytes = files.iter().map(|file| file.bytes).sum();
            let stamp = Stamp::of_all(files.iter().map(|file| file.stamp));
            self.push(&folder, What::Folder(files), bytes, stamp);
        }
        let measure = |tree: &mut Input| {
            (tree.stamp, tree.bytes) = timings::within(Stage::Read, || Stamp::of_folder(&tree.path));
        };
        let trees = self.inputs.par_iter_mut().filter(|input| input.what == What::Tree);
        timings::within(Stage::Waiting, || trees.for_each(measure));
        self.inputs.sort_by(|a, b| a.name.cmp(&b.name));
        self.inputs
    }
}

impl Found {
    fn sniff(&self, is_archive: &dyn Fn(&str, Stamp) -> bool) -> Sniff {
        // Opening a pipe or a device could wait for ever.
        if !self.is_regular {
            return Sniff::Loose(Loose::Unknown("not a regular file".into()));
        }
        let is_object = storage::is_url(&self.path);
        if self.stamp.is_some_and(|stamp| is_archive(&shown(&self.path), stamp)) {
            // What may not be opened any more has neither another size nor another time. Of objects a list is all there is.
            let opened = if is_object { Ok(()) } else { File::open(&self.path).map(drop) };
            return match opened {
                Ok(()) => Sniff::Archive,
                Err(error) => Sniff::Loose(Loose::Unreadable(error.to_string())),
            };
        }
        let start = match self.bytes {
            // No store has a piece of nothing.
            0 if is_object => Ok(Vec::new()),
            _ => storage::start(&self.path, sniff::WINDOW),
        };
        match start {
            Ok(start) => match sniff(&start) {
                Sniff::Loose(what) => Sniff::Loose(as_asset(&self.path, what)),
                archive @ Sniff::Archive => archive,
            },
            Err(error) => Sniff::Loose(Loose::Unreadable(error.to_string())),
        }
    }
}

/// The folder of the last file, and where it truly is: asked once for all files in it.
#[derive(Default)]
struct Parent {
    path: PathBuf,
    whole: PathBuf,
}

impl Parent {
    /// Where a file that is no link truly is.
    fn whole(&mut self, path: &Path) -> PathBuf {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return whole(path) };
        if self.path != parent {
            *self = Self { path: parent.to_owned(), whole: whole(parent) };
        }
        self.whole.join(name)
    }
}

/// Where a file or folder truly is, as far as the disk tells.
fn whole(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// A path in words. Bytes that are no UTF-8 are written as numbers, so that different paths have different names.
pub fn shown(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name += chunk.valid();
        chunk.invalid().iter().for_each(|byte| name += &format!("\\x{byte:02x}"));
    }
    name
}

/// A loose file as an asset, where its name says which one: a file named by a UUID is an asset whatever is in it,
/// and a texture without one can be named by no object.
fn as_asset(path: &Path, what: Loose) -> Loose {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match what {
        Loose::Known(Kind::Texture) if member::uuid_in(&name).is_none() => {
            Loose::Unknown("JPEG 2000 image".into())
        }
        Loose::Known(Kind::Object) if member::asset_kind(&name) == Kind::NestedObject => {
            Loose::Known(Kind::NestedObject)
        }
        Loose::Unknown(_) if member::begins_with_uuid(&name) => {
            Loose::Known(match member::asset_kind(&name) {
                kind @ (Kind::Text | Kind::Mesh | Kind::Texture) => kind,
                _ => Kind::Asset,
            })
        }
        what => what,
    }
}

/// Whether a folder is an unpacked archive: it holds a control file, or the folders of one that lost it.
fn is_tree(folder: &Path) -> bool {
    let has = |name| folder.join(name).is_dir();
    is_control(&folder.join("archive.xml")) || has("assets") && (has("objects") || has("inventory"))
}

/// The same of objects: the outermost folders below a URL that are unpacked archives.
fn trees_among(objects: &[Object], url: &Path) -> BTreeSet<PathBuf> {
    let folders: BTreeSet<&Path> =
        objects.iter().flat_map(|object| object.path.ancestors().skip(1)).collect();
    let keys: HashSet<&Path> = objects.iter().map(|object| object.path.as_path()).collect();
    let is_tree = |folder: &Path| {
        let has = |name| folders.contains(folder.join(name).as_path());
        let control = folder.join("archive.xml");
        keys.contains(control.as_path()) && is_control(&control)
            || has("assets") && (has("objects") || has("inventory"))
    };
    let mut trees = BTreeSet::new();
    // The outer ones come first.
    for &folder in folders.iter().filter(|folder| folder.starts_with(url)) {
        if !folder.ancestors().any(|outer| trees.contains(outer)) && is_tree(folder) {
            trees.insert(folder.to_owned());
        }
    }
    trees
}

/// Whether a file is the control file of an archive.
fn is_control(path: &Path) -> bool {
    let start = storage::start(path, sniff::WINDOW);
    start.is_ok_and(|start| xml::root_element(&start).as_deref() == Some("archive"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_files_trees_and_loops() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::create_dir_all(at("tree/objects")).unwrap();
        fs::write(at("tree/archive.xml"), "<?xml version=\"1.0\"?><archive major_version=\"0\"/>").unwrap();
        fs::create_dir(at("India.oar")).unwrap();
        fs::write(at("India.oar/India.oar"), b"\x1f\x8bcut").unwrap();
        fs::write(at("notes.txt"), "hello").unwrap();
        fs::write(at("a.xml"), "<SceneObjectGroup>").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(root.path(), at("loop")).unwrap();

        // The same file named twice is one input.
        let inputs = walk(&[root.path().to_owned(), at("India.oar/India.oar")], &[]).unwrap();
        let summary: Vec<_> = inputs
            .iter()
            .map(|input| {
                let name = input.path.strip_prefix(root.path()).unwrap().to_str().unwrap().to_owned();
                let what = match &input.what {
                    What::Archive => "archive".into(),
                    What::Tree => "tree".into(),
                    What::Folder(files) => {
                        files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>().join(" ")
                    }
                    What::Unreadable(why) => why.clone(),
                };
                (name, what)
            })
            .collect();
        let expected = [("", "a.xml loop notes.txt"), ("India.oar/India.oar", "archive"), ("tree", "tree")];
        assert_eq!(summary, expected.map(|(name, what)| (name.to_owned(), what.to_owned())));
    }

    #[test]
    fn a_file_that_is_named_by_a_uuid_is_an_asset() {
        let known = |name: &str, what: Loose| match as_asset(Path::new(name), what) {
            Loose::Known(kind) => Some(kind),
            _ => None,
        };
        let text = || Loose::Unknown("text".into());
        const UUID: &str = "47397b0a-7c25-4905-b82d-946cbe329328";
        assert_eq!(known(UUID, text()), Some(Kind::Asset));
        assert_eq!(known(&format!("{UUID}.bin"), text()), Some(Kind::Asset));
        assert_eq!(known(&format!("{UUID}_script.lsl"), text()), Some(Kind::Text));
        assert_eq!(known(&format!("notes__{UUID}.txt"), text()), None);
        let object = || Loose::Known(Kind::Object);
        assert_eq!(known(&format!("{UUID}_object.xml"), object()), Some(Kind::NestedObject));
        assert_eq!(known(&format!("House__{UUID}.xml"), object()), Some(Kind::Object));
        assert_eq!(known("a.j2c", Loose::Known(Kind::Texture)), None);
    }

    #[test]
    fn a_path_that_is_not_there_is_a_mistake() {
        assert!(
            walk(&["/no/such/place".into()], &[])
                .unwrap_err()
                .to_string()
                .starts_with("/no/such/place cannot")
        );
    }
}

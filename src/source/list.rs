//! The files below the given paths, each once, even if several links or arguments lead to it.

use super::{FileSystem, Place, Stamp, VirtualFile, VirtualFiles, tree};
use hullmark_storage::{self as storage, Object, stamp::by_path};
use hullmark_util::{
    advice,
    dates_in_names::{self, Seconds},
    named_file::special,
};
use std::{
    collections::HashSet,
    ffi::OsStr,
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use walkdir::WalkDir;

#[derive(Debug, Clone)]
pub(super) struct ListedFile {
    pub(super) system: FileSystem,
    pub(super) path: PathBuf,
    pub(super) bytes: u64,
    pub(super) stamp: Option<Stamp>,
    pub(super) modified: Option<Seconds>,
    pub(super) state: PathState,
}

/// Whether a path can be read as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PathState {
    File,
    /// It is something else, with a description. Reading a pipe or a device could block forever.
    NoFile(&'static str),
    /// A file or folder that cannot be read, with the reason.
    Unreadable(String),
}

impl ListedFile {
    fn of_file(path: &Path, meta: &Metadata) -> Self {
        Self {
            system: FileSystem::Disk,
            path: path.to_owned(),
            bytes: if meta.is_file() { meta.len() } else { 0 },
            stamp: Stamp::of_file(path, meta),
            modified: meta.modified().ok().and_then(dates_in_names::seconds),
            state: if meta.is_file() { PathState::File } else { PathState::NoFile(special(meta)) },
        }
    }

    fn of_object(Object { path, bytes, stamp, modified }: Object) -> Self {
        let (stamp, modified) = (Some(stamp), Some(modified));
        Self { system: FileSystem::Disk, path, bytes, stamp, modified, state: PathState::File }
    }

    fn in_state(path: &Path, state: PathState) -> Self {
        let system = FileSystem::Disk;
        Self { system, path: path.to_owned(), bytes: 0, stamp: None, modified: None, state }
    }

    pub(super) fn start(&self, bytes: usize) -> io::Result<Vec<u8>> {
        self.system.start(&self.path, bytes)
    }
}

#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: Vec<ListedFile>,
    /// Files that are in `files` under another name and that a link leads to. An unpacked archive needs them by this
    /// name.
    pub(super) aliases: Vec<ListedFile>,
    /// The folders and URLs that were added.
    pub(super) folders: Vec<PathBuf>,
    /// Folders that are stores of assets or caches. Their files are not listed.
    pub(super) places: Vec<(Place, PathBuf)>,
    /// Links are followed last, so that a file keeps its own name.
    links: Vec<PathBuf>,
    /// Resolved paths of files and folders that are already listed or left out.
    seen: HashSet<PathBuf>,
    left_out: HashSet<PathBuf>,
}

impl Listing {
    /// Creates an empty list that skips the files and folders in `leave_out`.
    pub(super) fn leaving_out(leave_out: &[&Path]) -> Self {
        let left_out: HashSet<PathBuf> =
            leave_out.iter().map(|path| fs::canonicalize(path).unwrap_or_else(|_| (*path).into())).collect();
        Self { seen: left_out.clone(), left_out, ..Self::default() }
    }

    /// Adds a file, or all files below a folder or URL.
    pub(super) fn add(&mut self, path: &Path) -> io::Result<()> {
        if storage::is_url(path) {
            self.folders.push(path.to_owned());
            return self.objects(path);
        }
        let meta = fs::metadata(path)?;
        if meta.is_dir() {
            self.folders.push(path.to_owned());
            self.folder(path);
        } else if self.seen.insert(whole(path)) {
            self.files.push(ListedFile::of_file(path, &meta));
        }
        Ok(())
    }

    /// Creates the list of virtual files. The first step of a path with several steps is a folder that was added.
    pub(super) fn of_virtual(files: &Arc<VirtualFiles>) -> Self {
        let found = |file: &VirtualFile| ListedFile {
            system: files.system(),
            path: file.path().to_owned(),
            bytes: file.length(),
            stamp: None,
            modified: None,
            state: PathState::File,
        };
        let folder = |file: &VirtualFile| {
            let mut steps = file.path().components();
            let first = steps.next()?;
            steps.next().map(|_| PathBuf::from(first.as_os_str()))
        };
        let mut folders: Vec<PathBuf> = files.all().filter_map(folder).collect();
        folders.dedup();
        Self { files: files.all().map(found).collect(), folders, ..Self::default() }
    }

    /// Records that a folder is read in another way.
    pub(super) fn pass_over(&mut self, folder: &Path) {
        self.seen.insert(whole(folder));
    }

    /// Adds the targets of links, after everything else.
    pub(super) fn follow_links(&mut self) {
        while !self.links.is_empty() {
            let mut links = std::mem::take(&mut self.links);
            links.sort();
            links.iter().for_each(|link| self.link(link));
        }
    }

    /// Adds the objects below a URL. A store has no folders, but keys are read as paths.
    fn objects(&mut self, url: &Path) -> io::Result<()> {
        for object in storage::list(url)? {
            let is_left_out = self.left_out.iter().any(|folder| object.path.starts_with(folder));
            if !is_left_out && self.seen.insert(object.path.clone()) {
                self.files.push(ListedFile::of_object(object));
            }
        }
        Ok(())
    }

    fn folder(&mut self, root: &Path) {
        let mut entries = WalkDir::new(root).sort_by(by_path).into_iter();
        let mut parent = Parent::default();
        while let Some(entry) = entries.next() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    self.failed(&error, root);
                    continue;
                }
            };
            let path = entry.path();
            if entry.depth() == 0 || entry.file_type().is_dir() {
                let place = if entry.depth() == 0 { whole(path) } else { parent.whole(path) };
                if !self.seen.insert(place) {
                    entries.skip_current_dir();
                } else if let Some(what) = passed_over(entry.file_name()).filter(|_| entry.depth() > 0) {
                    self.files.push(ListedFile::in_state(path, PathState::NoFile(what)));
                    entries.skip_current_dir();
                } else if let Some(place) = Place::of_folder(path) {
                    self.places.push((place, path.to_owned()));
                    entries.skip_current_dir();
                }
            } else if entry.path_is_symlink() {
                self.links.push(path.to_owned());
            } else if self.seen.insert(parent.whole(path)) {
                self.files.push(match entry.metadata() {
                    Ok(meta) => ListedFile::of_file(path, &meta),
                    Err(error) => {
                        ListedFile::in_state(path, PathState::Unreadable(advice::to_read(&error.into())))
                    }
                });
            }
        }
    }

    fn link(&mut self, link: &Path) {
        let (meta, target) = match fs::metadata(link).and_then(|meta| Ok((meta, fs::canonicalize(link)?))) {
            Ok(found) => found,
            Err(error) => {
                return self
                    .files
                    .push(ListedFile::in_state(link, PathState::Unreadable(advice::to_read(&error))));
            }
        };
        let is_new = !self.seen.contains(&target);
        if !meta.is_dir() {
            let found = ListedFile::of_file(link, &meta);
            if self.seen.insert(target) { &mut self.files } else { &mut self.aliases }.push(found);
        } else if whole(link.parent().unwrap_or(link)).starts_with(&target) {
            self.files.push(ListedFile::in_state(
                link,
                PathState::NoFile("a symbolic link to a folder above itself"),
            ));
        } else if is_new {
            self.folder(link);
        } else if tree::is_layout_folder(link) {
            self.alias(link, &target);
        }
    }

    /// Adds the files of a folder that was listed under another name. Links in it are not followed, so that circular
    /// links end.
    fn alias(&mut self, link: &Path, target: &Path) {
        let mut entries = WalkDir::new(target).sort_by(by_path).into_iter();
        while let Some(entry) = entries.next() {
            let Ok(entry) = entry else { continue };
            if self.left_out.contains(entry.path()) {
                entries.skip_current_dir();
            } else if entry.file_type().is_file()
                && let Ok(meta) = entry.metadata()
                && let Ok(inner) = entry.path().strip_prefix(target)
            {
                self.aliases.push(ListedFile::of_file(&link.join(inner), &meta));
            }
        }
    }

    fn failed(&mut self, error: &walkdir::Error, root: &Path) {
        let why = error.io_error().map_or_else(|| error.to_string(), advice::to_read);
        self.files.push(ListedFile::in_state(error.path().unwrap_or(root), PathState::Unreadable(why)));
    }
}

/// Folders of systems that hold no export, or old copies of all exports. Names in lower case.
const PASSED_OVER: [(&str, &[&str]); 3] = [
    (
        "a folder of deleted files (name it to audit it)",
        &["$recycle.bin", "recycler", ".trash", ".trashes", "#recycle", "@recycle", "network trash folder"],
    ),
    (
        "a folder of snapshots (name it to audit it)",
        &[".snapshot", ".snapshots", ".zfs", "#snapshot", "@snapshot", "~snapshot", "@recently-snapshot"],
    ),
    (
        "a folder of the system (name it to audit it)",
        &[
            "lost+found",
            "system volume information",
            "@eadir",
            "__macosx",
            ".appledouble",
            ".fseventsd",
            ".spotlight-v100",
            ".temporaryitems",
            ".documentrevisions-v100",
        ],
    ),
];

/// Returns what a folder holds that is only audited if it is named. `None` for other folders.
fn passed_over(name: &OsStr) -> Option<&'static str> {
    let name = name.to_str()?.to_lowercase();
    // The trash of a user on a disk has the number of the user.
    let name = if name.starts_with(".trash-") { ".trash" } else { &name };
    PASSED_OVER.iter().find(|(_, names)| names.contains(&name)).map(|(what, _)| *what)
}

/// The folder of the last file, and its resolved path. It is resolved once for all files in the folder.
#[derive(Default)]
struct Parent {
    path: PathBuf,
    whole: PathBuf,
}

impl Parent {
    /// Returns the resolved path of a file that is no link.
    fn whole(&mut self, path: &Path) -> PathBuf {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return whole(path) };
        if self.path != parent {
            *self = Self { path: parent.to_owned(), whole: whole(parent) };
        }
        self.whole.join(name)
    }
}

/// Returns the resolved path of a file or folder, as far as the disk allows.
pub(super) fn whole(path: &Path) -> PathBuf {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

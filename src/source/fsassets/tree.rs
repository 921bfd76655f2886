//! The folders of a tree, and its spool.

use crate::Stamp;
use hullmark_format::hashed_file::{FileHash, FileName, Form, Layout};
use hullmark_storage::stamp::by_path;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};
use walkdir::WalkDir;

/// Names of folders next to a tree or in it that may be its spool. The setting `SpoolDirectory` names any folder.
const SPOOLS: [&str; 2] = ["spool", "tmp"];

/// Subfolders of each folder in which a tree is searched for its first file.
const PROBED: usize = 4;

/// The first folders of a tree.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) root: PathBuf,
    /// The first folders by name in upper case. There is more than one path if the cases are mixed.
    pub(super) firsts: BTreeMap<String, Vec<PathBuf>>,
    /// Everything else in the root.
    pub(super) others: Vec<PathBuf>,
    pub(super) spool: BTreeMap<FileHash, PathBuf>,
}

impl Tree {
    /// Lists the first folders of this name in any case. A tree may have thousands of others.
    pub(super) fn of_first(root: &Path, first: &str) -> io::Result<Self> {
        let mut paths = Vec::new();
        for entry in fs::read_dir(root)? {
            let entry = entry?;
            if entry.file_name().eq_ignore_ascii_case(first) && entry.path().is_dir() {
                paths.push(entry.path());
            }
        }
        paths.sort();
        let firsts = BTreeMap::from([(first.to_owned(), paths)]);
        Ok(Self { root: root.to_owned(), firsts, others: Vec::new(), spool: spool_of(root) })
    }

    /// Lists the root, but no first folder.
    pub(super) fn list(root: &Path) -> io::Result<Self> {
        let (mut firsts, mut others) = (BTreeMap::<String, Vec<PathBuf>>::new(), Vec::new());
        for (name, path) in sorted(root)? {
            // The first folders may be links to several disks.
            match Layout::of_first(&name).filter(|_| path.is_dir()) {
                Some(_) => firsts.entry(name.to_ascii_uppercase()).or_default().push(path),
                None => others.push(path),
            }
        }
        Ok(Self { root: root.to_owned(), firsts, others, spool: spool_of(root) })
    }

    /// Whether there is a file of this hash in either layout, case and form.
    pub(super) fn has_file(&self, hash: FileHash) -> bool {
        self.file(hash).is_some()
    }

    /// Returns the file of this hash in either layout, case and form, and whether it is packed.
    pub(super) fn file(&self, hash: FileHash) -> Option<(PathBuf, bool)> {
        let upper = hash.to_string();
        let lower = upper.to_ascii_lowercase();
        let paths = Layout::ALL.iter().flat_map(|layout| [layout.path(&upper), layout.path(&lower)]);
        let paths = paths.flat_map(|path| [(format!("{path}.gz"), true), (path, false)]);
        paths.map(|(path, is_packed)| (self.root.join(path), is_packed)).find(|(path, _)| path.exists())
    }

    /// Returns the files of the spool whose hashes begin with these digits.
    pub(super) fn spooled<'t>(&'t self, digits: &str) -> impl Iterator<Item = &'t PathBuf> {
        let [first, last] = FileHash::range(digits);
        self.spool.range(first..=last).map(|(_, path)| path)
    }

    /// Returns a path below the root, as it is shown.
    pub(super) fn shown(&self, path: &Path) -> String {
        let below = path.strip_prefix(&self.root).unwrap_or(path);
        let steps = below.components().map(|step| crate::shown(Path::new(step.as_os_str())));
        steps.collect::<Vec<_>>().join("/")
    }
}

/// Returns the files of the spool of a tree.
fn spool_of(root: &Path) -> BTreeMap<FileHash, PathBuf> {
    let near = root.parent().into_iter().flat_map(|parent| SPOOLS.map(|name| parent.join(name)));
    let spools = SPOOLS.map(|name| root.join(name)).into_iter().chain(near);
    let mut spool = BTreeMap::new();
    for (name, path) in spools.filter_map(|folder| sorted(&folder).ok()).flatten() {
        if let Some(FileName { hash, form: Form::Spooled }) = FileName::parse(&name) {
            spool.entry(hash).or_insert(path);
        }
    }
    spool
}

/// Returns the entries of a folder, sorted by name.
fn sorted(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut entries: Vec<(String, PathBuf)> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())))
        .collect::<io::Result<_>>()?;
    entries.sort();
    Ok(entries)
}

/// A file that was found below a folder, or an error.
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    pub(crate) meta: fs::Metadata,
}

/// Returns the files below folders in the order of their paths. Holds the names of one folder of each depth. Links to
/// files are followed, links to folders are not. Entries that are no files are left out. So are those that are gone
/// again, because services move and remove files.
pub(crate) fn files(folders: &[PathBuf]) -> impl Iterator<Item = Result<FoundFile, (PathBuf, io::Error)>> {
    folders.iter().flat_map(|folder| WalkDir::new(folder).sort_by(by_path)).filter_map(|entry| {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = error.path().map(Path::to_owned).unwrap_or_default();
                let error = io::Error::from(error);
                let is_gone = error.kind() == io::ErrorKind::NotFound && !folders.contains(&path);
                return (!is_gone).then_some(Err((path, error)));
            }
        };
        if entry.file_type().is_dir() {
            return None;
        }
        match fs::metadata(entry.path()) {
            Ok(meta) if meta.is_file() => Some(Ok(FoundFile { path: entry.into_path(), meta })),
            Ok(_) => None,
            // A link without a target.
            Err(_) if entry.path_is_symlink() => None,
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => Some(Err((entry.into_path(), error))),
        }
    })
}

/// Returns the bytes of the files below these folders, and their stamp with that of further files.
pub(crate) fn size_and_stamp<'a>(
    folders: &[PathBuf],
    more: impl Iterator<Item = &'a PathBuf>,
) -> (u64, Option<Stamp>) {
    let mut bytes = 0_u64;
    let stamps = files(folders).map(|file| {
        let FoundFile { path, meta } = file.ok()?;
        bytes = bytes.saturating_add(meta.len());
        Stamp::of_file(&path, &meta)
    });
    let stamp = Stamp::of_all(stamps.chain(more.map(|path| Stamp::of_file_now(path))));
    (bytes, stamp)
}

/// Whether a folder is the root of a tree: it has a file in the place that belongs to its hash.
pub(crate) fn is_tree(root: &Path) -> bool {
    Layout::ALL.iter().any(|layout| has_file_at(root, layout.steps()))
}

fn has_file_at(folder: &Path, steps: &[usize]) -> bool {
    let Ok(entries) = sorted(folder) else { return false };
    let Some((step, steps)) = steps.split_first() else {
        let is_in_place = |(name, path): &(String, PathBuf)| {
            FileName::parse(name).is_some_and(|name| name.form != Form::Spooled) && ends_in_place(path)
        };
        return entries.iter().any(is_in_place);
    };
    let is_step = |name: &str| name.len() == *step && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut folders = entries.iter().filter(|(name, path)| is_step(name) && path.is_dir()).take(PROBED);
    folders.any(|(_, path)| has_file_at(path, steps))
}

/// Returns the root of the tree of a file, by its name in a container: the part before the place of its hash. `None` if
/// its name is not that of a file of a tree.
pub(crate) fn root_in(name: &str) -> Option<&str> {
    let (_, file) = name.rsplit_once('/')?;
    FileName::parse(file).filter(|name| name.form != Form::Spooled)?;
    [5, 3].into_iter().find_map(|steps| {
        let start = name.rmatch_indices('/').nth(steps - 1).map_or(0, |(slash, _)| slash + 1);
        let place = &name[start..];
        let is_here = place.split('/').count() == steps && hullmark_format::hashed_file::is_in_place(place);
        is_here.then(|| name[..start].trim_end_matches('/'))
    })
}

/// Whether the last steps of a path are the place of a file.
fn ends_in_place(path: &Path) -> bool {
    let steps: Vec<_> = path.iter().rev().take(5).map(|step| step.to_string_lossy()).collect();
    let of = |count: usize| {
        let mut steps: Vec<&str> = steps.iter().take(count).map(|step| &**step).collect();
        steps.reverse();
        hullmark_format::hashed_file::is_in_place(&steps.join("/"))
    };
    of(5) || of(3)
}

//! Turns paths into inputs.
//!
//! Every file below a given path becomes an archive, a member of an unpacked archive, or a loose file of its folder.
//! Loose files are audited, or counted and named.

use super::{
    FileSystem, Input, Kind, Loose, LooseFile, Place, Stamp, Stream, VirtualFile, VirtualFiles, What,
    container,
    database::sqlite,
    dump_folders,
    list::{ListedFile, Listing, PathState, whole},
    models,
    recognize::{Recognized, SERVER, sniff_all},
    same_name, server,
    sniff::{CONTENTS, HISTORY, LEDGER, REPORT, Sniff, named_as_dump},
    tree,
};
use hullmark_format::member;
use hullmark_ledger::facts::{is_archive_name, is_dump_name};
use hullmark_settings::limits::Limits;
use hullmark_storage as storage;
use std::{
    cell::OnceCell,
    collections::{BTreeMap, HashSet},
    io,
    ops::Bound,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Turns files, folders and URLs of objects into inputs, sorted by name. Each file appears once, even if several links
/// or arguments lead to it. Files in `leave_out`, the folders that this run writes to, are not audited.
///
/// # Errors
/// A path does not exist, or a URL names no object or a store that cannot be used. These are mistakes in the arguments.
pub fn walk(paths: &[PathBuf], leave_out: &[&Path]) -> io::Result<Vec<Input>> {
    walk_knowing(paths, leave_out, &Limits::default(), &|_, _| false)
}

/// Like [`walk()`], with limits for containers, and without opening files that are known to be archives, by their names
/// and stamps.
pub fn walk_knowing(
    paths: &[PathBuf],
    leave_out: &[&Path],
    limits: &Limits,
    is_archive: &(dyn Fn(&str, Stamp) -> bool + Sync),
) -> io::Result<Vec<Input>> {
    let mut sorted: Vec<&PathBuf> = paths.iter().collect();
    sorted.sort();
    sorted.dedup();
    let mut listing = Listing::leaving_out(leave_out);
    let mut walk = Walk::default();
    let failed = |path: &Path, error: io::Error| {
        let path = server::without_password(path);
        io::Error::new(error.kind(), format!("{path} cannot be audited: {error}"))
    };
    let mut exports = Vec::new();
    // A store that is named is not found again in a folder.
    for path in sorted {
        let Some((place, at)) = Place::of_argument(path) else {
            exports.push(path);
            continue;
        };
        if place.is_store() {
            listing.pass_over(&at);
        }
        walk.inputs.extend(place.inputs(path, at).map_err(|error| failed(path, error))?);
    }
    for path in &exports {
        let added = listing.add(path).or_else(|error| walk.member(path, limits, error));
        added.map_err(|error| failed(path, error))?;
    }
    listing.follow_links();
    for (place, path) in std::mem::take(&mut listing.places) {
        walk.inputs.extend(place.inputs(&path, path.clone()).map_err(|error| failed(&path, error))?);
    }
    let folders: HashSet<&PathBuf> = listing.folders.iter().collect();
    walk.named = exports.into_iter().filter(|path| !folders.contains(path)).map(|path| whole(path)).collect();
    walk.sort(listing, limits, is_archive);
    Ok(walk.finish())
}

/// Turns virtual files into inputs, as [`walk()`] does with files on a disk. A file without a folder is one that was
/// named; otherwise its outermost folder was.
pub fn walk_virtual(files: &Arc<VirtualFiles>, limits: &Limits) -> Vec<Input> {
    let listing = Listing::of_virtual(files);
    let paths = files.all().map(VirtualFile::path);
    let named = paths.filter(|path| path.components().count() == 1).map(whole);
    let mut walk = Walk { system: files.system(), named: named.collect(), ..Walk::default() };
    walk.sort(listing, limits, &|_, _| false);
    let mut inputs = walk.finish();
    for input in &mut inputs {
        input.stream.get_or_insert_with(|| Stream::of_files(Arc::clone(files)));
    }
    inputs
}

/// Returns the paths of the virtual files of at least `least` bytes that are archives and no members of an unpacked
/// archive.
pub(super) fn archives(files: &Arc<VirtualFiles>, least: u64) -> HashSet<PathBuf> {
    let Listing { files, aliases, folders, .. } = Listing::of_virtual(files);
    let (_, files) = dump_folders::claim(files);
    let claimed = tree::claim(files, aliases, &folders);
    let others = claimed.others.into_iter().chain(claimed.doubtful.into_iter().map(|(file, _)| file));
    let is_archive = |file: &ListedFile| file.bytes >= least && file.sniff(&|_, _| false) == Sniff::Archive;
    others.filter(is_archive).map(|file| file.path).collect()
}

impl Walk {
    /// Sorts files into inputs.
    fn sort(&mut self, listing: Listing, limits: &Limits, is_archive: &(dyn Fn(&str, Stamp) -> bool + Sync)) {
        let Listing { files, aliases, folders, .. } = listing;
        // A file argument is that file.
        let given: HashSet<&Path> = folders.iter().map(PathBuf::as_path).collect();
        let is_below =
            |found: &ListedFile| found.path.parent().is_some_and(|folder| tree::is_within(folder, &given));
        let may_be_of_dump = |found: &ListedFile| found.state == PathState::File && is_below(found);
        let (candidates, others): (Vec<_>, Vec<_>) = files.into_iter().partition(may_be_of_dump);
        let (dumps, mut files) = dump_folders::claim(candidates);
        files.extend(others);
        let mut claimed = tree::claim(files, aliases, &folders);
        for ((file, root), sniffed) in
            sniff_all(std::mem::take(&mut claimed.doubtful), |(file, _)| file, limits, is_archive)
        {
            match sniffed {
                Recognized::File(Sniff::Archive) => self.sort_in(file, sniffed, limits),
                _ => claimed.add(file, &root),
            }
        }
        // Journals and logs are parts of a database. They come and go while a program uses it.
        let may_be_beside = |found: &ListedFile| {
            let name = found.path.file_name().unwrap_or_default().to_string_lossy();
            sqlite::BESIDE.iter().any(|ending| name.ends_with(ending))
        };
        let (beside, others): (Vec<_>, Vec<_>) =
            std::mem::take(&mut claimed.others).into_iter().partition(may_be_beside);
        for (file, recognized) in sniff_all(others, |file| file, limits, is_archive) {
            self.sort_in(file, recognized, limits);
        }
        let parts = sqlite::beside_all(self.databases.keys().map(PathBuf::as_path));
        let beside = beside.into_iter().filter(|found| !parts.contains(&found.path)).collect();
        for (file, recognized) in sniff_all(beside, |file| file, limits, is_archive) {
            self.sort_in(file, recognized, limits);
        }
        for (folder, members) in claimed.into_trees() {
            self.push_files(shown(&folder), folder, members, What::Tree);
        }
        self.sort_databases();
        for (folder, files) in dumps {
            self.push_files(shown(&folder), folder, files, What::DumpFolder);
        }
        self.join_buffers_of_models();
        self.add_files_of_models();
        self.loose.values_mut().for_each(|files| name_reports(files));
        self.note_empty(&folders);
    }
}

#[derive(Default)]
struct Walk {
    system: FileSystem,
    inputs: Vec<Input>,
    loose: BTreeMap<PathBuf, Vec<LooseFile>>,
    /// Databases of SQLite.
    databases: BTreeMap<PathBuf, (u64, Option<Stamp>)>,
    /// Resolved paths of the file arguments.
    named: HashSet<PathBuf>,
}

impl Walk {
    /// Adds a file with the type from its first bytes.
    fn sort_in(&mut self, found: ListedFile, recognized: Recognized, limits: &Limits) {
        let is_named = matches!(recognized, Recognized::File(Sniff::Archive)) && self.is_named(&found.path);
        let foreign = is_named.then(|| found.foreign_dump(limits)).flatten();
        let recognized = match foreign {
            Some(looks_like) => Recognized::File(Sniff::Loose(Loose::Unknown(looks_like))),
            None => recognized,
        };
        let ListedFile { path, bytes, stamp, modified, .. } = found;
        let what = match recognized {
            Recognized::Container(inputs) => return self.inputs.extend(inputs),
            Recognized::File(Sniff::Archive | Sniff::Container) => What::Archive,
            Recognized::File(Sniff::Unreadable(why)) => What::Unreadable(why),
            Recognized::File(Sniff::Loose(what)) => return self.loose_file(&path, bytes, stamp, what),
            Recognized::File(Sniff::Place(_)) => {
                self.databases.insert(path, (bytes, stamp));
                return;
            }
        };
        self.inputs.push(Input { bytes, stamp, modified, ..Input::new(shown(&path), path, what) });
    }

    /// Adds the databases of simulators. Those of other programs are unknown files.
    fn sort_databases(&mut self) {
        let files = std::mem::take(&mut self.databases);
        let sorted = sqlite::sorted(&self.system, files.keys().cloned().collect());
        self.inputs.extend(sorted.inputs);
        for (path, described) in sorted.others {
            let (bytes, stamp) = files.get(&path).copied().unwrap_or_default();
            self.loose_file(&path, bytes, stamp, Loose::Unknown(described.into()));
        }
    }

    /// Adds what an argument names inside of a container. Otherwise returns the error of the path.
    fn member(&mut self, argument: &Path, limits: &Limits, error: io::Error) -> io::Result<()> {
        match container::named(argument, limits)? {
            Some(inputs) => {
                self.inputs.extend(inputs);
                Ok(())
            }
            None => Err(error),
        }
    }

    /// Whether an argument is this file.
    fn is_named(&self, path: &Path) -> bool {
        !self.named.is_empty() && self.named.contains(&whole(path))
    }

    fn loose_file(&mut self, path: &Path, bytes: u64, stamp: Option<Stamp>, what: Loose) {
        let what = if self.is_named(path) { known_or_no_export(what) } else { what };
        let folder = match what {
            // A file that somebody named is no part of a folder.
            Loose::NoExport(_) => path,
            _ => folder_of(path),
        };
        let name = shown(Path::new(path.file_name().unwrap_or_default()));
        let file = LooseFile { path: path.to_owned(), name, bytes, stamp, what };
        self.loose.entry(folder.to_owned()).or_default().push(file);
    }

    /// Joins named buffers with the models of their folder. They are no exports of their own.
    fn join_buffers_of_models(&mut self) {
        let files = || self.loose.values().flatten();
        let folders: HashSet<PathBuf> = files()
            .filter(|file| models::is_model(file) && models::is_text(&file.name))
            .map(|file| folder_of(&file.path).to_owned())
            .collect();
        let named: Vec<PathBuf> = files()
            .filter(|file| matches!(file.what, Loose::NoExport(_)) && models::is_buffer(&file.name))
            .filter(|file| folders.contains(folder_of(&file.path)))
            .map(|file| file.path.clone())
            .collect();
        for path in named {
            for file in self.loose.remove(&path).unwrap_or_default() {
                let what = match file.what {
                    Loose::NoExport(looks_like) => Loose::Unknown(looks_like),
                    what => what,
                };
                self.loose.entry(folder_of(&path).to_owned()).or_default().push(LooseFile { what, ..file });
            }
        }
    }

    /// Adds the other files of a named model. Those in a folder are listed anyway.
    fn add_files_of_models(&mut self) {
        if !matches!(self.system, FileSystem::Disk) {
            return;
        }
        let is_on_disk = |file: &&LooseFile| models::is_model(file) && !storage::is_url(&file.path);
        for files in self.loose.values_mut() {
            let mut models: Vec<PathBuf> =
                files.iter().filter(is_on_disk).map(|file| file.path.clone()).collect();
            // A level that is found has a buffer of its own.
            while let Some(model) = models.pop() {
                for beside in models::beside(&model) {
                    if files.iter().all(|file| file.name != beside.name) {
                        models.extend(models::is_model(&beside).then(|| beside.path.clone()));
                        files.push(beside);
                    }
                }
            }
        }
    }

    /// Records the given folders with nothing to audit: an empty disk must not pass for a successful run.
    fn note_empty(&mut self, folders: &[PathBuf]) {
        let files = || self.loose.values().flatten();
        let exports = files().filter(|file| file.is_export()).map(|file| (file.path.as_path(), ()));
        let exports: Below<'_, ()> =
            self.inputs.iter().map(|input| (&*input.path, ())).chain(exports).collect();
        let files: Below<'_, &LooseFile> = files().map(|file| (file.path.as_path(), file)).collect();
        let empty = folders.iter().filter(|folder| exports.of(folder).next().is_none());
        let empty: Vec<(PathBuf, String)> =
            empty.map(|folder| (folder.clone(), why_empty(&files.of(folder).collect::<Vec<_>>()))).collect();
        for (folder, why) in empty {
            let what = Loose::NoExport(why);
            let nothing = LooseFile { path: folder.clone(), name: ".".into(), bytes: 0, stamp: None, what };
            self.loose.entry(folder).or_default().push(nothing);
        }
    }

    fn push_files(
        &mut self,
        name: String,
        path: PathBuf,
        files: Vec<LooseFile>,
        what: fn(Arc<Vec<LooseFile>>) -> What,
    ) {
        self.inputs.push(Input::of_files(name, path, what(Arc::new(files))));
    }

    fn finish(mut self) -> Vec<Input> {
        let trees: HashSet<PathBuf> = self.inputs.iter().map(|input| input.path.clone()).collect();
        for (folder, mut files) in std::mem::take(&mut self.loose) {
            files.sort_by(|a, b| a.path.cmp(&b.path));
            let name = shown(&folder);
            // The name of an input is unique: loose files in an unpacked archive are not its members.
            let name = if trees.contains(&folder) { format!("{name}/.") } else { name };
            self.push_files(name, folder, files, What::Folder);
        }
        same_name::join(&mut self.inputs);
        self.inputs
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."))
}

/// Files by their paths, to find those below a folder.
struct Below<'p, T> {
    files: BTreeMap<&'p Path, T>,
    /// The same by resolved paths, which are needed only for folders that seem empty.
    whole: OnceCell<BTreeMap<PathBuf, T>>,
}

impl<'p, T> FromIterator<(&'p Path, T)> for Below<'p, T> {
    fn from_iter<I: IntoIterator<Item = (&'p Path, T)>>(files: I) -> Self {
        Self { files: files.into_iter().collect(), whole: OnceCell::new() }
    }
}

impl<T: Copy> Below<'_, T> {
    /// Returns the files below a folder, also if a link leads there. Paths below one folder follow each other.
    fn of(&self, folder: &Path) -> impl Iterator<Item = T> {
        let from = (Bound::Included(folder), Bound::Unbounded);
        let named = self.files.range::<Path, _>(from).take_while(|(path, _)| path.starts_with(folder));
        let named: Vec<T> = named.map(|(_, file)| *file).collect();
        if !named.is_empty() {
            return named.into_iter();
        }
        let resolve = || self.files.iter().map(|(path, file)| (whole(path), *file)).collect();
        let (all, place) = (self.whole.get_or_init(resolve), whole(folder));
        let found = all.range(place.clone()..).take_while(|(path, _)| path.starts_with(&place));
        found.map(|(_, file)| *file).collect::<Vec<_>>().into_iter()
    }
}

/// Says why a folder with these files has nothing to audit.
fn why_empty(files: &[&LooseFile]) -> String {
    let is_all = |is: &dyn Fn(&str) -> bool| {
        files.iter().all(|file| matches!(&file.what, Loose::Unknown(looks_like) if is(looks_like)))
    };
    match files.len() {
        0 => "the folder is empty".into(),
        _ if is_all(&|looks_like| looks_like == REPORT) => {
            format!("it holds {REPORT}; name the exports that it was made from")
        }
        _ if is_all(&|looks_like| [LEDGER, HISTORY, CONTENTS].contains(&looks_like)) => {
            "it holds ledgers of hullmark, which `hullmark report` reads".into()
        }
        _ if files.iter().any(|file| file.what == Loose::Unknown(SERVER.into())) => {
            format!("it holds {SERVER}")
        }
        1 => "its only file is not an export".into(),
        count => format!("none of its {count} files is an export"),
    }
}

/// Marks the files next to the summary of a report as part of the report.
fn name_reports(files: &mut [LooseFile]) {
    if files.iter().any(|file| file.what == Loose::Unknown(REPORT.into())) {
        let unknown = |file: &&mut LooseFile| matches!(file.what, Loose::Unknown(_));
        files.iter_mut().filter(unknown).for_each(|file| file.what = Loose::Unknown(REPORT.into()));
    }
}

/// Returns a path as text. Bytes that are no UTF-8 are written as numbers, and so is a backslash that looks like the
/// beginning of such a number. So different paths have different names. Steps are separated by slashes on every system,
/// so that an input has one name in all reports.
pub fn shown(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        match cfg!(windows) {
            true => name += &chunk.valid().replace('\\', "/"),
            false => push_valid(&mut name, chunk.valid()),
        }
        chunk.invalid().iter().for_each(|byte| name += &format!("\\x{byte:02x}"));
    }
    name
}

/// Adds text to a name. A backslash in front of what looks like a number is a number itself.
fn push_valid(name: &mut String, mut text: &str) {
    let is_number = |after: &str| {
        let digits = after.as_bytes().strip_prefix(b"x").unwrap_or_default();
        matches!(digits, [a, b, ..] if a.is_ascii_hexdigit() && b.is_ascii_hexdigit())
    };
    while let Some((before, after)) = text.split_once('\\') {
        *name += before;
        *name += if is_number(after) { "\\x5c" } else { "\\" };
        text = after;
    }
    *name += text;
}

/// A file argument must be an export.
pub(super) fn known_or_no_export(what: Loose) -> Loose {
    if let Loose::Unknown(looks_like) = what { Loose::NoExport(looks_like) } else { what }
}

/// Returns a loose file as an asset if its name contains a UUID. A file named by a UUID is an asset regardless of its
/// content. No object can reference a texture without one.
pub(super) fn as_asset(path: &Path, what: Loose) -> Loose {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match what {
        Loose::Known(Kind::Texture) if member::uuid_in(&name).is_none() => {
            Loose::Unknown("JPEG 2000 image".into())
        }
        Loose::Known(Kind::Model) if is_archive_name(&name) => {
            Loose::Unknown("a model (upload it with a viewer)".into())
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
        Loose::Unknown(looks_like) if is_dump_name(&name) => Loose::Unknown(named_as_dump(looks_like)),
        what => what,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

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

        // The same file as two arguments is one input.
        let inputs = walk(&[root.path().to_owned(), at("India.oar/India.oar")], &[]).unwrap();
        let summary: Vec<_> = inputs
            .iter()
            .map(|input| {
                let name = input.path.strip_prefix(root.path()).unwrap().to_str().unwrap().to_owned();
                let what = match &input.what {
                    What::Archive => "archive".into(),
                    What::Tree(members) => format!("tree {}", members.len()),
                    What::Folder(files) => {
                        files.iter().map(|file| file.name.as_str()).collect::<Vec<_>>().join(" ")
                    }
                    What::DumpFolder(_) => "dump folder".into(),
                    What::Place(place) => format!("{place:?}"),
                    What::Unreadable(why) => why.clone(),
                };
                (name, what)
            })
            .collect();
        let expected = [("", "a.xml loop notes.txt"), ("India.oar/India.oar", "archive"), ("tree", "tree 1")];
        assert_eq!(summary, expected.map(|(name, what)| (name.to_owned(), what.to_owned())));
    }

    #[cfg(unix)]
    #[test]
    fn different_paths_have_different_names() {
        use std::{ffi::OsStr, os::unix::ffi::OsStrExt};
        let shown = |name: &[u8]| shown(Path::new(OsStr::from_bytes(name)));
        let names =
            [&b"a\xff"[..], br"a\xff", br"a\x5cxff", br"a\\xff", br"a\xfg", br"a\x", br"a\", b"a\xffx"];
        let all: HashSet<String> = names.map(shown).into();
        assert_eq!(all.len(), names.len(), "{all:?}");
        assert_eq!(shown(b"a\xff"), r"a\xff");
        assert_eq!(shown(br"C:\exports\a.oar"), r"C:\exports\a.oar");
    }

    #[test]
    fn a_file_that_is_removed_before_it_is_opened_is_an_input_of_its_own() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for name in ["a.xml", "b.xml", "c.txt", "d.db-journal"] {
            fs::write(at(name), "<SceneObjectGroup>").unwrap();
        }
        let mut listing = Listing::leaving_out(&[]);
        listing.add(root.path()).unwrap();
        ["b.xml", "c.txt"].iter().for_each(|name| fs::remove_file(at(name)).unwrap());
        let mut walk = Walk::default();
        walk.sort(listing, &Limits::default(), &|_, _| false);
        let inputs = walk.finish();
        let found = inputs.iter().map(|input| (input.path.as_path(), &input.what));
        let gone: Vec<&Path> =
            found.filter(|(_, what)| matches!(what, What::Unreadable(_))).map(|(path, _)| path).collect();
        assert_eq!(gone, [at("b.xml"), at("c.txt")]);
        let names: Vec<&str> = inputs.iter().flat_map(Input::loose).map(|file| &*file.name).collect();
        assert_eq!(names, ["a.xml", "d.db-journal"], "the folder has all others");
    }

    #[test]
    fn files_beside_a_database_are_parts_of_it() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        fs::write(at("a.db"), [b"SQLite format 3\0".as_slice(), &[0; 200]].concat()).unwrap();
        for name in ["a.db-journal", "a.db-shm", "a.db-wal", "b.db-wal", "a.db-wal.old"] {
            fs::write(at(name), "text").unwrap();
        }
        let inputs = walk(&[root.path().to_owned()], &[]).unwrap();
        let names: Vec<&str> = inputs.iter().flat_map(Input::loose).map(|file| &*file.name).collect();
        assert_eq!(names, ["a.db-wal.old", "b.db-wal"]);
        assert!(inputs.iter().any(|input| input.path == at("a.db")));
        // One that is named is no export.
        let named = walk(&[at("a.db-wal")], &[]).unwrap();
        assert!(matches!(&named[0].loose()[0].what, Loose::NoExport(_)));
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

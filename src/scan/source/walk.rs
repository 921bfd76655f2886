//! Turns paths into inputs.
//!
//! Every file below a given path becomes an archive, a member of an unpacked archive, or a loose file of its folder.
//! Loose files are audited, or counted and named.

use super::{
    Input, Kind, Loose, LooseFile, Place, Stamp, What,
    container::{self, Bytes, Outermost},
    database::sqlite,
    dump_folders,
    list::{Found, Listing, State, whole},
    sniff::{self, CONTENTS, HISTORY, LEDGER, REPORT, Sniff},
    tree,
};
use crate::{
    format::{member, viewer::cached_mesh},
    ledger::facts::is_archive_name,
    settings::limits::Limits,
    storage,
    util::{
        advice,
        deadline::Deadline,
        timings::{self, Stage},
    },
};
use rayon::prelude::*;
use std::{
    collections::{BTreeMap, HashSet},
    fs::File,
    io,
    path::{Path, PathBuf},
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
///
/// # Errors
/// As for [`walk()`].
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
        let path = Place::without_password(path);
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
    let Listing { files, aliases, folders, places, .. } = listing;
    for (place, path) in places {
        walk.inputs.extend(place.inputs(&path, path.clone()).map_err(|error| failed(&path, error))?);
    }
    let named = exports.into_iter().filter(|path| !folders.contains(path)).map(|path| whole(path));
    walk.named = named.collect();
    // A file argument is that file.
    let is_below = |found: &Found| {
        folders.iter().any(|folder| found.path.parent().is_some_and(|p| p.starts_with(folder)))
    };
    let may_be_of_dump = |found: &Found| found.state == State::File && is_below(found);
    let (candidates, others): (Vec<_>, Vec<_>) = files.into_iter().partition(may_be_of_dump);
    let (dumps, mut files) = dump_folders::claim(candidates);
    files.extend(others);
    let mut claimed = tree::claim(files, aliases, &folders);
    for ((file, root), sniffed) in
        sniff_all(std::mem::take(&mut claimed.doubtful), |(file, _)| file, limits, is_archive)
    {
        match sniffed {
            Seen::File(Sniff::Archive) => walk.sort_in(file, sniffed),
            _ => claimed.add(file, &root),
        }
    }
    for (file, seen) in sniff_all(std::mem::take(&mut claimed.others), |file| file, limits, is_archive) {
        walk.sort_in(file, seen);
    }
    for (folder, members) in claimed.into_trees() {
        walk.push_files(shown(&folder), folder, members, What::Tree);
    }
    walk.sort_databases();
    for (folder, files) in dumps {
        walk.push_files(shown(&folder), folder, files, What::DumpFolder);
    }
    walk.loose.values_mut().for_each(|files| name_reports(files));
    folders.iter().for_each(|folder| walk.note_if_empty(folder));
    Ok(walk.finish())
}

/// What a file is.
enum Seen {
    /// A file of this type.
    File(Sniff),
    /// A container with these inputs.
    Container(Vec<Input>),
}

/// Returns the files with the type from their first bytes, in the same order.
fn sniff_all<T: Sync>(
    files: Vec<T>,
    found: impl Fn(&T) -> &Found + Sync,
    limits: &Limits,
    is_archive: &(dyn Fn(&str, Stamp) -> bool + Sync),
) -> impl Iterator<Item = (T, Seen)> {
    let sniff = |file| timings::within(Stage::Read, || found(file).see(limits, is_archive));
    let paths: Vec<&Path> = files.iter().map(|file| found(file).path.as_path()).collect();
    let sniff_all = || storage::side_by_side(&paths, || files.par_iter().map(sniff).collect());
    let sniffed: Vec<Seen> = timings::within(Stage::Waiting, sniff_all);
    files.into_iter().zip(sniffed)
}

#[derive(Default)]
struct Walk {
    inputs: Vec<Input>,
    loose: BTreeMap<PathBuf, Vec<LooseFile>>,
    /// Databases of SQLite.
    databases: BTreeMap<PathBuf, (u64, Option<Stamp>)>,
    /// Resolved paths of the file arguments.
    named: HashSet<PathBuf>,
}

impl Walk {
    /// Adds a file with the type from its first bytes.
    fn sort_in(&mut self, found: Found, seen: Seen) {
        let Found { path, bytes, stamp, modified, .. } = found;
        let what = match seen {
            Seen::Container(inputs) => return self.inputs.extend(inputs),
            Seen::File(Sniff::Archive | Sniff::Container) => What::Archive,
            Seen::File(Sniff::Unreadable(why)) => What::Unreadable(why),
            Seen::File(Sniff::Loose(what)) => return self.loose_file(&path, bytes, stamp, what),
            Seen::File(Sniff::Place(_)) => {
                self.databases.insert(path, (bytes, stamp));
                return;
            }
        };
        self.inputs.push(Input { bytes, stamp, modified, ..Input::new(shown(&path), path, what) });
    }

    /// Adds the databases of simulators. Those of other programs are unknown files.
    fn sort_databases(&mut self) {
        let files = std::mem::take(&mut self.databases);
        let sorted = sqlite::sorted(files.keys().cloned().collect());
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

    fn loose_file(&mut self, path: &Path, bytes: u64, stamp: Option<Stamp>, what: Loose) {
        let what = if self.named.contains(&whole(path)) { known_or_no_export(what) } else { what };
        let folder = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
        let name = shown(Path::new(path.file_name().unwrap_or_default()));
        let file = LooseFile { path: path.to_owned(), name, bytes, stamp, what };
        self.loose.entry(folder.to_owned()).or_default().push(file);
    }

    /// Records a given folder with nothing to audit: an empty disk must not pass for a successful run.
    fn note_if_empty(&mut self, folder: &Path) {
        let true_place = whole(folder);
        let is_below = |path: &Path| path.starts_with(folder) || whole(path).starts_with(&true_place);
        let inputs = || self.inputs.iter().map(|input| input.path.as_path());
        let files = || self.loose.values().flatten();
        let exports = files().filter(|file| file.is_export());
        if inputs().chain(exports.map(|file| file.path.as_path())).any(is_below) {
            return;
        }
        let below = files().filter(|file| is_below(&file.path));
        let is_all = |is: &dyn Fn(&str) -> bool| {
            below.clone().all(|file| matches!(&file.what, Loose::Unknown(looks_like) if is(looks_like)))
        };
        let why = match below.clone().count() {
            0 => "the folder is empty".into(),
            _ if is_all(&|looks_like| looks_like == REPORT) => {
                format!("it holds {REPORT}; name the exports that it was made from")
            }
            _ if is_all(&|looks_like| [LEDGER, HISTORY, CONTENTS].contains(&looks_like)) => {
                "it holds ledgers of hullmark, which `hullmark report` reads".into()
            }
            _ if below.clone().any(|file| file.what == Loose::Unknown(SERVER.into())) => {
                format!("it holds {SERVER}")
            }
            1 => "its only file is not an export".into(),
            count => format!("none of its {count} files is an export"),
        };
        let what = Loose::NoExport(why);
        let nothing = LooseFile { path: folder.to_owned(), name: ".".into(), bytes: 0, stamp: None, what };
        self.loose.entry(folder.to_owned()).or_default().push(nothing);
    }

    /// Adds an input that consists of files.
    fn push_files(
        &mut self,
        name: String,
        path: PathBuf,
        files: Vec<LooseFile>,
        what: fn(Vec<LooseFile>) -> What,
    ) {
        let bytes = files.iter().map(|file| file.bytes).sum();
        let stamp = Stamp::of_all(files.iter().map(|file| file.stamp));
        let what = what(files);
        self.inputs.push(Input { bytes, stamp, ..Input::new(name, path, what) });
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
        // A place may be named and found, and a member of a container may be named together with the container.
        self.inputs.sort_by(|a, b| a.name.cmp(&b.name).then(b.bytes.cmp(&a.bytes)));
        self.inputs.dedup_by(|a, b| a.name == b.name && a.stream.is_some() && b.stream.is_some());
        self.inputs.dedup_by(|a, b| a.path == b.path && a.what == b.what);
        self.inputs
    }
}

/// Marks the files next to the summary of a report as part of the report.
fn name_reports(files: &mut [LooseFile]) {
    if files.iter().any(|file| file.what == Loose::Unknown(REPORT.into())) {
        let unknown = |file: &&mut LooseFile| matches!(file.what, Loose::Unknown(_));
        files.iter_mut().filter(unknown).for_each(|file| file.what = Loose::Unknown(REPORT.into()));
    }
}

impl Found {
    fn see(&self, limits: &Limits, is_archive: &dyn Fn(&str, Stamp) -> bool) -> Seen {
        match self.sniff(is_archive) {
            Sniff::Container => match self.in_container(limits) {
                Ok(inputs) if !inputs.is_empty() => Seen::Container(inputs),
                Ok(_) => Seen::File(Sniff::Loose(Loose::Unknown(container::EMPTY.into()))),
                Err(error) if is_backup_name(&self.path) => {
                    Seen::File(Sniff::Unreadable(advice::to_read(&error)))
                }
                // Documents of office programs are zip files, too.
                Err(error) => {
                    let looks_like = format!("zip archive that cannot be read: {}", advice::to_read(&error));
                    Seen::File(Sniff::Loose(Loose::Unknown(looks_like)))
                }
            },
            sniff => Seen::File(sniff),
        }
    }

    fn in_container(&self, limits: &Limits) -> io::Result<Vec<Input>> {
        let Self { path, bytes, stamp, modified, .. } = self.clone();
        let is_file = !storage::is_url(&path);
        let bytes = match is_file {
            true => Bytes::of_file(&path, bytes),
            false => {
                let stream = storage::open(&path, bytes, stamp, Deadline::default())?;
                match Bytes::copy(stream, limits.temporary_bytes)? {
                    (copy, None) => copy,
                    (_, Some(error)) => return Err(error),
                }
            }
        };
        container::inputs(&Outermost { name: shown(&path), path, bytes, stamp, modified, is_file }, limits)
    }

    fn sniff(&self, is_archive: &dyn Fn(&str, Stamp) -> bool) -> Sniff {
        let unreadable = |error: io::Error| Sniff::Loose(Loose::Unreadable(advice::to_read(&error)));
        match &self.state {
            State::File => {}
            State::Unreadable(why) => return Sniff::Unreadable(why.clone()),
            State::NoFile(what) if is_archive_name(&self.path.to_string_lossy()) => {
                return Sniff::Unreadable(format!("it is {what}, and no file"));
            }
            State::NoFile(what) => return Sniff::Loose(Loose::Unknown((*what).into())),
        }
        let is_object = storage::is_url(&self.path);
        if self.stamp.is_some_and(|stamp| is_archive(&shown(&self.path), stamp)) {
            // A file that lost its read permission keeps its size and time, so open it. For objects there is only the
            // list.
            let opened = if is_object { Ok(()) } else { File::open(&self.path).map(drop) };
            return opened.map_or_else(unreadable, |()| Sniff::Archive);
        }
        let start = |window| match self.bytes {
            // Object stores reject a range of an empty object.
            0 if is_object => Ok(Vec::new()),
            _ => storage::start(&self.path, window),
        };
        match sniff::by(start) {
            Ok(Sniff::Place(_)) if is_object => {
                Sniff::Loose(Loose::Unknown("database of SQLite (copy it to a disk)".into()))
            }
            Ok(Sniff::Loose(Loose::Unknown(_))) if is_of_server(&self.path) => {
                Sniff::Loose(Loose::Unknown(SERVER.into()))
            }
            Ok(Sniff::Loose(_)) if is_cached_text(&self.path) => Sniff::Loose(Loose::Known(Kind::Text)),
            Ok(Sniff::Loose(what)) => Sniff::Loose(as_asset(&self.path, what)),
            Ok(sniffed) => sniffed,
            Err(error) => unreadable(error),
        }
    }
}

/// Returns a path as text. Bytes that are no UTF-8 are written as numbers, so that different paths have different
/// names. Steps are separated by slashes on every system, so that an input has one name in all reports.
pub fn shown(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        match cfg!(windows) {
            true => name += &chunk.valid().replace('\\', "/"),
            false => name += chunk.valid(),
        }
        chunk.invalid().iter().for_each(|byte| name += &format!("\\x{byte:02x}"));
    }
    name
}

/// Whether a file of a viewer's asset cache is a text, by its first bytes. Its name has no type.
fn is_cached_text(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_cached = cached_mesh::name_in_cache(&name).is_some() && !storage::is_url(path);
    let start = is_cached.then(|| storage::start(path, sniff::WINDOW).ok()).flatten();
    let suffix = start.and_then(|start| cached_mesh::suffix_of(&start));
    suffix.map(member::asset_kind) == Some(Kind::Text)
}

/// Whether a file has the extension of an archive, or of what archives are packed in.
fn is_backup_name(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let endings = ["zip", "tar", "tgz", "gz", "zst", "oar", "iar"];
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Description of the files of a database server and of its physical backups.
const SERVER: &str =
    "files of a MySQL or MariaDB server (restore the backup, start the server, and write a dump)";

/// Whether a file has a name that servers of MySQL and MariaDB or xtrabackup and mariabackup give.
fn is_of_server(path: &Path) -> bool {
    const NAMES: [&str; 3] = ["ibdata1", "ib_logfile0", "backup-my.cnf"];
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_of_backup = name.starts_with("xtrabackup_") || name.starts_with("mariadb_backup_");
    let endings = [".ibd", ".frm", ".MYD", ".MYI", ".MAD", ".MAI", ".qp", ".xbstream"];
    NAMES.contains(&name) || is_of_backup || endings.iter().any(|ending| name.ends_with(ending))
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

//! Looks into files: the first bytes and the name decide.

use super::{
    FileSystem, Input, Kind, Loose, Stamp,
    archive::BUFFER,
    container::{self, Bytes, Outermost},
    database::dump::described_as_foreign,
    list::{ListedFile, PathState},
    sniff::{self, Sniff},
    walk::{as_asset, shown},
};
use hullmark_format::{member, viewer::cached_mesh};
use hullmark_ledger::facts::is_archive_name;
use hullmark_settings::limits::Limits;
use hullmark_storage as storage;
use hullmark_util::{
    advice,
    deadline::Deadline,
    named_file::open_regular,
    timings::{self, Stage},
};
use rayon::prelude::*;
use std::{
    io::{self, BufReader},
    path::Path,
};

pub(super) enum Recognized {
    File(Sniff),
    /// A container with these inputs.
    Container(Vec<Input>),
}

/// Returns the files with the type from their first bytes, in the same order.
pub(super) fn sniff_all<T: Sync>(
    files: Vec<T>,
    found: impl Fn(&T) -> &ListedFile + Sync,
    limits: &Limits,
    is_archive: &(dyn Fn(&str, Stamp) -> bool + Sync),
) -> impl Iterator<Item = (T, Recognized)> {
    let sniff = |file| timings::within(Stage::Read, || found(file).see(limits, is_archive));
    let paths: Vec<&Path> = files.iter().map(|file| found(file).path.as_path()).collect();
    let sniff_all = || storage::side_by_side(&paths, || files.par_iter().map(sniff).collect());
    let sniffed: Vec<Recognized> = timings::within(Stage::Waiting, sniff_all);
    files.into_iter().zip(sniffed)
}

impl ListedFile {
    fn see(&self, limits: &Limits, is_archive: &dyn Fn(&str, Stamp) -> bool) -> Recognized {
        match self.sniff(is_archive) {
            Sniff::Container => match self.in_container(limits) {
                Ok(inputs) if !inputs.is_empty() => Recognized::Container(inputs),
                Ok(_) => Recognized::File(Sniff::Loose(Loose::Unknown(container::EMPTY.into()))),
                Err(error) if is_backup_name(&self.path) => {
                    Recognized::File(Sniff::Unreadable(advice::to_read(&error)))
                }
                // Documents of office programs are zip files, too.
                Err(error) => {
                    let looks_like = format!("zip archive that cannot be read: {}", advice::to_read(&error));
                    Recognized::File(Sniff::Loose(Loose::Unknown(looks_like)))
                }
            },
            sniff => Recognized::File(sniff),
        }
    }

    fn in_container(&self, limits: &Limits) -> io::Result<Vec<Input>> {
        let Self { path, bytes, stamp, modified, .. } = self.clone();
        if let FileSystem::Virtual(files) = &self.system {
            let bytes = Bytes::of_virtual(files.get(&path).ok_or(io::ErrorKind::NotFound)?);
            let outermost =
                Outermost { name: shown(&path), path, bytes, stamp: None, modified: None, is_file: false };
            return container::inputs(&outermost, limits);
        }
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

    /// Describes a dump without any table of a simulator. Reads it up to the first one.
    pub(super) fn foreign_dump(&self, limits: &Limits) -> Option<String> {
        if storage::is_url(&self.path) || matches!(self.system, FileSystem::Virtual(_)) {
            return None;
        }
        let file = open_regular(&self.path).ok()?;
        described_as_foreign(BufReader::with_capacity(BUFFER, file), limits)
    }

    pub(super) fn sniff(&self, is_archive: &dyn Fn(&str, Stamp) -> bool) -> Sniff {
        let unreadable = |error: io::Error| match error.kind() {
            // Its folder is complete without it.
            io::ErrorKind::NotFound => Sniff::Unreadable(VANISHED.into()),
            _ if is_backup_name(&self.path) => Sniff::Unreadable(advice::to_read(&error)),
            _ => Sniff::Loose(Loose::Unreadable(advice::to_read(&error))),
        };
        match &self.state {
            PathState::File => {}
            PathState::Unreadable(why) => return Sniff::Unreadable(why.clone()),
            PathState::NoFile(what) if is_archive_name(&self.path.to_string_lossy()) => {
                return Sniff::Unreadable(format!("it is {what}, and no file"));
            }
            PathState::NoFile(what) => return Sniff::Loose(Loose::Unknown((*what).into())),
        }
        let is_object = storage::is_url(&self.path);
        if self.stamp.is_some_and(|stamp| is_archive(&shown(&self.path), stamp)) {
            // A file that lost its read permission keeps its size and time, so open it. For objects there is only the
            // list.
            let opened = if is_object { Ok(()) } else { open_regular(&self.path).map(drop) };
            return opened.map_or_else(unreadable, |()| Sniff::Archive);
        }
        let start = |window| match self.bytes {
            // Object stores reject a range of an empty object.
            0 if is_object => Ok(Vec::new()),
            _ => self.start(window),
        };
        match sniff::by(start) {
            Ok(Sniff::Place(_)) if is_object => {
                Sniff::Loose(Loose::Unknown("database of SQLite (copy it to a disk)".into()))
            }
            Ok(Sniff::Loose(Loose::Unknown(_))) if is_of_server(&self.path) => {
                Sniff::Loose(Loose::Unknown(SERVER.into()))
            }
            Ok(Sniff::Loose(_)) if self.is_cached_text() => Sniff::Loose(Loose::Known(Kind::Text)),
            Ok(Sniff::Loose(what)) => Sniff::Loose(as_asset(&self.path, what)),
            Ok(sniffed) => sniffed,
            Err(error) => unreadable(error),
        }
    }

    /// Whether it is a text in a viewer's asset cache, by its first bytes. Its name has no type.
    fn is_cached_text(&self) -> bool {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let is_cached = cached_mesh::name_in_cache(&name).is_some() && !storage::is_url(&self.path);
        let start = is_cached.then(|| self.start(sniff::WINDOW).ok()).flatten();
        let suffix = start.and_then(|start| cached_mesh::suffix_of(&start));
        suffix.map(member::asset_kind) == Some(Kind::Text)
    }
}

/// Why a file that was listed cannot be opened.
const VANISHED: &str = "it was removed after its folder was listed";

/// Whether a file has the extension of an archive, or of what archives are packed in.
fn is_backup_name(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    let endings = ["zip", "tar", "tgz", "gz", "zst", "oar", "iar"];
    endings.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Description of the files of a database server and of its physical backups.
pub(super) const SERVER: &str =
    "files of a MySQL or MariaDB server (restore the backup, start the server, and write a dump)";

/// Whether a file has a name that servers of MySQL and MariaDB or xtrabackup and mariabackup give.
fn is_of_server(path: &Path) -> bool {
    const NAMES: [&str; 3] = ["ibdata1", "ib_logfile0", "backup-my.cnf"];
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let is_of_backup = name.starts_with("xtrabackup_") || name.starts_with("mariadb_backup_");
    let endings = [".ibd", ".frm", ".MYD", ".MYI", ".MAD", ".MAI", ".qp", ".xbstream"];
    NAMES.contains(&name) || is_of_backup || endings.iter().any(|ending| name.ends_with(ending))
}

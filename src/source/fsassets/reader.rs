//! Reads the files of a tree as the service does: the spool, then `.gz`, then the plain file.

use super::{
    Part,
    content::{self, NoContent},
    tree::{FoundFile, Tree, files},
};
use crate::{
    Kind, ReadRequest, Reading, Visitor, archive::over_budget, database, not_read, store_table::StoreTable,
};
use hullmark_format::{
    asset_type,
    defect::{Budget, Defect, DefectKind, InputDefect, StoreDefect, StoreFault, UnreadFiles},
    hashed_file::{FileHash, FileName, Form, is_in_place},
    member,
};
use hullmark_ledger::facts::StoreRow;
use std::{
    io,
    ops::Range,
    path::{Path, PathBuf},
};

#[derive(Debug)]
struct AssetFile {
    path: PathBuf,
    bytes: u64,
    form: Form,
}

/// The files of one hash in one folder.
#[derive(Debug)]
struct Candidates {
    hash: FileHash,
    packed: Option<AssetFile>,
    plain: Option<AssetFile>,
}

/// Files that the service never reads, of one kind.
#[derive(Debug, Default)]
struct Unread {
    files: u64,
    bytes: u64,
    first: String,
}

impl Unread {
    fn add(&mut self, entry: impl FnOnce() -> String, bytes: u64) {
        if self.files == 0 {
            self.first = entry();
        }
        self.files += 1;
        self.bytes += bytes;
    }
}

/// The state while a part of a tree is read.
pub(super) struct TreeReader<'a> {
    tree: &'a Tree,
    part: Part,
    request: &'a ReadRequest<'a>,
    visitor: &'a mut dyn Visitor,
    reading: &'a mut Reading,
    /// The places of the rows in the folder that is read, and whether there is a file of each. Both are empty between
    /// folders.
    places: Range<usize>,
    seen: Vec<bool>,
    without_row: Unread,
    misplaced: Unread,
    strange: Unread,
}

impl<'a> TreeReader<'a> {
    pub(super) fn new(
        tree: &'a Tree,
        part: Part,
        request: &'a ReadRequest<'a>,
        visitor: &'a mut dyn Visitor,
        reading: &'a mut Reading,
    ) -> Self {
        Self {
            tree,
            part,
            request,
            visitor,
            reading,
            places: 0..0,
            seen: Vec::new(),
            without_row: Unread::default(),
            misplaced: Unread::default(),
            strange: Unread::default(),
        }
    }

    /// Reads the whole tree as a store. Without a table no asset has a UUID.
    pub(super) fn all(&mut self) {
        if self.request.table.is_none() {
            return self.reading.give_up(Defect::new(StoreDefect::WithoutTable));
        }
        for first in self.tree.firsts.keys() {
            self.folder(first);
        }
        self.rest();
    }

    /// Reads the first folders of this name.
    pub(super) fn folder(&mut self, first: &str) {
        self.places = self.request.table.map_or(0..0, |table| table.places(first));
        self.seen = vec![false; self.places.len()];
        let tree = self.tree;
        let paths = tree.firsts.get(first).map_or(&[][..], Vec::as_slice);
        let mut pending: Option<Candidates> = None;
        for file in files(paths) {
            if !self.goes_on() {
                return;
            }
            match file {
                Err((path, error)) => {
                    let entry = tree.shown(&path);
                    self.reading.give_up(not_read(&error).entry(entry));
                }
                Ok(file) => {
                    let Some((hash, file)) = self.in_place(file) else { continue };
                    // The plain file comes directly before the packed one.
                    if pending.as_ref().is_none_or(|pending| pending.hash != hash) {
                        let before = pending.replace(Candidates { hash, packed: None, plain: None });
                        before.into_iter().for_each(|before| self.asset(&before));
                    }
                    if let Some(pending) = &mut pending {
                        let packed = file.form == Form::Packed;
                        *if packed { &mut pending.packed } else { &mut pending.plain } = Some(file);
                    }
                }
            }
        }
        pending.into_iter().for_each(|last| self.asset(&last));
        self.report_missing_of_folder();
    }

    /// Returns a file that the service can read. Counts the others.
    fn in_place(&mut self, FoundFile { path, meta }: FoundFile) -> Option<(FileHash, AssetFile)> {
        let (tree, bytes) = (self.tree, meta.len());
        let name = path.file_name().and_then(|name| name.to_str()).and_then(FileName::parse);
        match name {
            Some(FileName { hash, form }) if form != Form::Spooled => {
                if is_in_place(&tree.shown(&path)) {
                    return Some((hash, AssetFile { path, bytes, form }));
                }
                self.misplaced.add(|| tree.shown(&path), bytes);
            }
            _ => self.strange.add(|| tree.shown(&path), bytes),
        }
        self.visitor.progress(bytes);
        None
    }

    /// Reports the rows of the folder whose files are nowhere.
    fn report_missing_of_folder(&mut self) {
        let (places, seen) = (std::mem::take(&mut self.places), std::mem::take(&mut self.seen));
        let Some(table) = self.request.table else { return };
        let rows = table.at(places).iter().zip(seen);
        self.report_missing(table, rows.filter(|(_, seen)| !seen).map(|(row, _)| row));
    }

    fn report_missing<'r>(&mut self, table: &StoreTable, rows: impl Iterator<Item = &'r StoreRow>) {
        if self.part == Part::Whole || !self.request.is_whole || !table.has_one_tree {
            return;
        }
        for row in rows {
            if !self.tree.spool.contains_key(&row.hash) && !self.tree.has_file(row.hash) {
                let mut defect = Defect::new(StoreDefect::FileMissing { hash: row.hash.to_string() });
                defect.place.asset = Some(row.uuid);
                defect.place.entry = member::asset_path(row.uuid, row.asset_type.into());
                self.reading.defects.push(defect);
            }
        }
    }

    /// Reads the spool, and counts the files outside of first folders.
    pub(super) fn rest(&mut self) {
        let tree = self.tree;
        let mut left: Option<PathBuf> = None;
        for (&hash, path) in &tree.spool {
            if !self.goes_on() {
                return;
            }
            left.get_or_insert_with(|| path.clone());
            if !tree.has_file(hash) {
                self.asset(&Candidates { hash, packed: None, plain: None });
            }
        }
        if let Some(first) = left {
            let files = tree.spool.len() as u64;
            let defect = Defect::new(StoreDefect::Spooled { files }).measured(files as f64);
            self.report(defect.entry(super::super::shown(&first)));
        }
        for file in files(&tree.others).flatten().filter(|file| !is_spooled(&file.path)) {
            if !self.goes_on() {
                return;
            }
            self.strange.add(|| tree.shown(&file.path), file.meta.len());
        }
        self.report_missing_of_absent_folders();
    }

    /// Reports the rows whose first folder does not exist.
    fn report_missing_of_absent_folders(&mut self) {
        let Some(table) = self.request.table else { return };
        for number in 0..0x1000 {
            let first = format!("{number:03X}");
            let exists = |first: &str| self.tree.firsts.contains_key(first);
            if !exists(&first) && !exists(&first[..2]) {
                self.report_missing(table, table.at(table.places(&first)).iter());
            }
        }
    }

    /// Reads the asset of a hash as the service does, and passes it on once for each row.
    fn asset(&mut self, candidates: &Candidates) {
        let hash = candidates.hash;
        let rows = self.request.table.map(|table| table.of(hash).to_vec());
        if let Some(rows) = &rows {
            self.note_seen(hash);
            if rows.is_empty() {
                self.note_without_row(candidates);
            }
        }
        let rows = rows.unwrap_or_default();
        self.reading.container.entries += rows.len().max(1) as u64;
        if self.exists_only(&rows, candidates) {
            return;
        }
        let asset_type = rows.first().map(|row| i64::from(row.asset_type));
        if let Some(bytes) = self.content(candidates, asset_type) {
            self.pass(hash, &rows, &bytes);
        }
        let read = [&candidates.packed, &candidates.plain].into_iter().flatten();
        self.visitor.progress(read.map(|file| file.bytes).sum());
    }

    fn note_seen(&mut self, hash: FileHash) {
        let Some(table) = self.request.table else { return };
        let rows = table.at(self.places.clone());
        let start = rows.partition_point(|row| row.hash < hash);
        let count = rows[start..].partition_point(|row| row.hash == hash);
        if let Some(seen) = self.seen.get_mut(start..start + count) {
            seen.fill(true);
        }
    }

    fn note_without_row(&mut self, candidates: &Candidates) {
        let tree = self.tree;
        for file in [&candidates.packed, &candidates.plain].into_iter().flatten() {
            self.without_row.add(|| tree.shown(&file.path), file.bytes);
        }
    }

    /// In a store most files need not be read: it is enough that they are there and not empty.
    fn exists_only(&mut self, rows: &[StoreRow], candidates: &Candidates) -> bool {
        let file = candidates.packed.as_ref().or(candidates.plain.as_ref());
        let Some(file) = file.filter(|file| self.part == Part::Whole && file.bytes > LEAST_PACKED) else {
            return false;
        };
        let names: Vec<(String, Kind)> = rows.iter().map(name_of_row).collect();
        if names.is_empty() {
            return true;
        }
        if names.iter().any(|(name, kind)| self.request.needs_content(name, *kind)) {
            return false;
        }
        for (name, kind) in &names {
            self.reading.count_asset(name);
            self.visitor.wants(name, *kind, file.bytes);
            self.visitor.passed(name, *kind, file.bytes);
        }
        self.visitor.progress(file.bytes);
        true
    }

    /// Returns the content that the service would return. Otherwise reports the reason.
    fn content(&mut self, candidates: &Candidates, asset_type: Option<i64>) -> Option<Vec<u8>> {
        let Candidates { hash, packed, plain } = candidates;
        let limit = self.request.limits.entry_bytes;
        let plain_path = plain.as_ref().map(|file| file.path.clone());
        let spooled = self.tree.spool.get(hash).map(|path| (path.clone(), false));
        let packed = packed.as_ref().map(|file| (file.path.clone(), true));
        let plain = plain_path.clone().map(|path| (path, false));
        let listed: Vec<(PathBuf, bool)> = spooled.into_iter().chain(packed).chain(plain).collect();
        // The service moves files from the spool to the tree meanwhile.
        let moved = std::iter::once_with(|| self.tree.file(*hash)).flatten();
        let mut read = None;
        for (path, is_packed) in listed.iter().cloned().chain(moved) {
            match content::read(&path, is_packed, limit) {
                Err(NoContent::Disk(error)) if error.kind() == io::ErrorKind::NotFound => {}
                result => {
                    read = Some((path, is_packed, result));
                    break;
                }
            }
        }
        let Some((path, is_packed, result)) = read else {
            let (path, _) = listed.first()?;
            self.report_at(path, InputDefect::Vanished);
            return None;
        };
        let path = path.as_path();
        let why = match result {
            Ok(bytes) if content::belongs(&bytes, *hash, asset_type) => return Some(bytes),
            // The service returns it, so it is decoded, too.
            Ok(bytes) => {
                self.damaged(path, StoreFault::OtherHash);
                return Some(bytes);
            }
            Err(why) => why,
        };
        match why {
            NoContent::Damaged(fault) => {
                let is_good = |path: PathBuf| {
                    let bytes = content::read(&path, false, limit);
                    bytes.is_ok_and(|bytes| content::belongs(&bytes, *hash, asset_type))
                };
                match is_packed && plain_path.is_some_and(is_good) {
                    true => self.report_at(path, StoreDefect::PackedHides { why: fault }),
                    false => self.damaged(path, fault),
                }
            }
            NoContent::TooLong => {
                let defect = over_budget(Budget::BytesInMember, limit.saturating_add(1), limit);
                let entry = self.tree.shown(path);
                self.reading.give_up(defect.entry(entry));
            }
            NoContent::Disk(error) => {
                let entry = self.tree.shown(path);
                self.reading.give_up(not_read(&error).entry(entry));
            }
        }
        None
    }

    fn pass(&mut self, hash: FileHash, rows: &[StoreRow], bytes: &[u8]) {
        let mut names: Vec<(String, Kind)> = rows.iter().map(name_of_row).collect();
        if names.is_empty() {
            let suffix = asset_type::of_bytes(bytes).map_or("", member::suffix_of_type);
            let name = format!("{hash}{suffix}");
            let kind = member::asset_kind(&name);
            names.push((name, kind));
        }
        for (name, kind) in names {
            self.reading.container.expanded_bytes += bytes.len() as u64;
            self.reading.unpacked += bytes.len() as u64;
            self.reading.count_asset(&name);
            database::pass(&name, kind, bytes.into(), self.visitor);
        }
    }

    /// Whether to read on. Reports why not.
    fn goes_on(&mut self) -> bool {
        let (entries, bytes) = (self.reading.container.entries, self.reading.container.expanded_bytes);
        let over = match self.request.deadline.check() {
            Err(error) => not_read(&error),
            Ok(()) if bytes > self.request.limits.archive_bytes => {
                over_budget(Budget::BytesInAll, bytes, self.request.limits.archive_bytes)
            }
            Ok(()) if self.part != Part::Whole && entries >= self.request.limits.entries => {
                over_budget(Budget::Files, entries + 1, self.request.limits.entries)
            }
            Ok(()) => return !self.visitor.enough(),
        };
        self.reading.give_up_once(over);
        false
    }

    fn damaged(&mut self, path: &Path, why: StoreFault) {
        self.report_at(path, StoreDefect::FileDamaged { why });
    }

    fn report_at(&mut self, path: &Path, kind: impl Into<DefectKind>) {
        let entry = self.tree.shown(path);
        self.report(Defect::new(kind).entry(entry));
    }

    fn report(&mut self, defect: Defect) {
        if self.request.is_whole {
            self.reading.defects.push(defect);
        }
    }

    /// Reports the files that the service never reads.
    pub(super) fn finish(mut self) {
        // A row may be in a part of a database that was not read.
        let all_rows = self.request.table.is_some_and(|table| table.is_whole);
        let kinds = [
            (UnreadFiles::WithoutRow, std::mem::take(&mut self.without_row), all_rows),
            (UnreadFiles::Misplaced, std::mem::take(&mut self.misplaced), true),
            (UnreadFiles::Strange, std::mem::take(&mut self.strange), true),
        ];
        for (kind, unread, is_known) in kinds {
            if is_known && unread.files > 0 {
                let Unread { files, bytes, first } = unread;
                let defect = Defect::new(StoreDefect::Unread { kind, files, bytes });
                self.report(defect.entry(first).measured(files as f64));
            }
        }
    }
}

/// Most bytes of a packed file that may have no content.
const LEAST_PACKED: u64 = 128;

fn name_of_row(row: &StoreRow) -> (String, Kind) {
    let name = member::asset_path(row.uuid, row.asset_type.into());
    let kind = member::classify(&name).kind;
    (name, kind)
}

fn is_spooled(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).and_then(FileName::parse);
    name.is_some_and(|name| name.form == Form::Spooled)
}

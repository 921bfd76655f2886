//! Files on the disk: the members of an unpacked archive, or the loose files of a folder.

use super::{
    Item, Kind, Loose, LooseFile, ReadRequest, Reading, Stamp, Stream, Visitor, Wants,
    archive::{BUFFER, over_budget},
    database,
    models::Models,
    not_read,
};
use hullmark_format::{
    defect::{Budget, Defect, InputDefect},
    member,
    viewer::oxp,
};
use hullmark_ledger::facts::UnknownFile;
use hullmark_util::timings::{self, Stage};
use std::{
    collections::HashSet,
    io::{self, BufRead, BufReader, Read},
    path::Path,
};
use xxhash_rust::xxh3::Xxh3;

/// The state of a set of files while they are read.
struct FilesReader<'a> {
    request: &'a ReadRequest<'a>,
    /// The stream of the only file, or of the members of a container. `None` if the files have paths.
    stream: Option<&'a Stream>,
    visitor: &'a mut dyn Visitor,
    reading: Reading,
    /// Hash of the name, size and bytes of every file, in order.
    hash: Box<Xxh3>,
    /// The models among the files.
    models: Models<'a>,
    /// Whether a file may vanish, because others do not need it. A member of an unpacked archive may not.
    may_vanish: bool,
    /// Whether a file did.
    vanished: bool,
}

/// Reads an unpacked archive: the control file first, then the other members in their order.
pub fn read_tree(
    members: &[LooseFile],
    stream: Option<&Stream>,
    request: &ReadRequest<'_>,
    visitor: &mut dyn Visitor,
) -> Reading {
    let mut files = FilesReader::new(stream, request, visitor);
    files.reading.container.directories = directories(members);
    let (count, limit) = (members.len() as u64, request.limits.entries);
    for member in members.iter().take(usize::try_from(limit).unwrap_or(usize::MAX)) {
        files.reading.note_asset(&member.name, member::classify(&member.name));
        if !files.goes_on(member) {
            break;
        }
    }
    if count > limit {
        files.give_up(over_budget(Budget::Files, count, limit));
    }
    files.finish()
}

/// Number of folders that an archive would list for these members.
fn directories(members: &[LooseFile]) -> u64 {
    let folders =
        members.iter().flat_map(|member| member.name.match_indices('/').map(|(end, _)| &member.name[..end]));
    folders.collect::<HashSet<_>>().len() as u64
}

pub fn read_folder(
    loose: &[LooseFile],
    stream: Option<&Stream>,
    request: &ReadRequest<'_>,
    visitor: &mut dyn Visitor,
) -> Reading {
    let mut files = FilesReader::new(stream, request, visitor);
    files.may_vanish = stream.is_none();
    files.models = Models::of(loose);
    for file in loose {
        if !files.models.are_with(file) && !files.goes_on(file) {
            break;
        }
    }
    for file in loose {
        if files.models.is_left(file) {
            files.take_or_report(file);
        }
    }
    files.finish()
}

impl<'a> FilesReader<'a> {
    fn new(stream: Option<&'a Stream>, request: &'a ReadRequest<'a>, visitor: &'a mut dyn Visitor) -> Self {
        let (reading, hash) = (Reading::new(request.limits), Box::default());
        let models = Models::of(&[]);
        Self { request, stream, visitor, reading, hash, models, may_vanish: false, vanished: false }
    }

    fn give_up(&mut self, defect: Defect) {
        self.reading.give_up(defect);
    }

    /// Reads the next file. Returns `false` if the visitor has enough, or reports a defect if the deadline or the limit
    /// is reached.
    fn goes_on(&mut self, file: &LooseFile) -> bool {
        let all = self.reading.container.expanded_bytes;
        let over = match self.request.deadline.check() {
            Err(error) => Some(not_read(&error)),
            Ok(()) if all > self.request.limits.archive_bytes => {
                Some(over_budget(Budget::BytesInAll, all, self.request.limits.archive_bytes))
            }
            Ok(()) => None,
        };
        if let Some(defect) = over {
            self.give_up(defect);
            return false;
        }
        self.take_or_report(file);
        !self.visitor.enough()
    }

    /// Reads a file, or reports why there is nothing to read.
    fn take_or_report(&mut self, file: &LooseFile) {
        let LooseFile { path, name, bytes, what, stamp } = file;
        let (what, files) = match what {
            Loose::Further { files, like } => (&**like, *files),
            what => (what, 1),
        };
        match what {
            Loose::Known(kind) => self.take(path, name.clone(), *kind, *bytes, *stamp),
            Loose::Unknown(looks_like) => self.unknown(name.clone(), *bytes, looks_like.clone(), files),
            Loose::NoExport(why) => {
                let no_export = Defect::new(InputDefect::NoExport { looks_like: why.clone() });
                self.give_up(no_export.entry(name).measured(*bytes as f64));
                // The entry is a folder argument, which must not count as a file.
                if path.file_name().is_some_and(|file| file == name.as_str()) {
                    self.unknown(name.clone(), *bytes, why.clone(), files);
                }
            }
            Loose::Unreadable(why) => {
                let defect = Defect::new(InputDefect::Unreadable { why: why.clone() }).entry(name);
                self.give_up(Defect { count: files, subjects: files, ..defect });
            }
            Loose::Further { .. } => {}
        }
    }

    /// Notes a file of an unknown kind, which may represent further ones.
    fn unknown(&mut self, entry: String, bytes: u64, looks_like: String, files: u64) {
        self.visitor.progress(bytes);
        self.reading.unknown.push(UnknownFile { entry, bytes, looks_like, further: files - 1 });
    }

    fn take(&mut self, path: &Path, name: String, kind: Kind, size: u64, stamp: Option<Stamp>) {
        self.reading.container.entries += 1;
        self.reading.container.expanded_bytes += size;
        let wants = self.visitor.wants(&name, kind, size);
        // Assets in an export are members of their own.
        let holds_assets = kind == Kind::ViewerExport;
        match wants {
            Wants::Nothing if !self.request.is_whole && !holds_assets => return,
            Wants::Nothing if holds_assets && size > self.request.limits.entry_bytes => return,
            Wants::Whole if size > self.request.limits.entry_bytes => {
                let defect = over_budget(Budget::BytesInFile, size, self.request.limits.entry_bytes);
                self.give_up(defect.entry(&*name));
                return self.visitor.passed(&name, kind, size);
            }
            Wants::Whole => self.visitor.make_room(size),
            Wants::Pieces | Wants::Nothing => {}
        }
        let keeps = if holds_assets { Wants::Whole } else { wants };
        match timings::within(Stage::Read, || self.read_file(path, keeps, size, stamp)) {
            Ok((read, _)) if read < size => {
                let shrank = InputDefect::Shrank { from: size, to: read };
                self.give_up(Defect::new(shrank).entry(&*name));
                self.visitor.passed(&name, kind, size);
            }
            Ok((size, bytes)) if holds_assets => {
                let item = Item::new(name, kind, bytes, size);
                self.take_assets(&item);
                if wants == Wants::Whole {
                    self.visitor.item(item);
                }
            }
            Ok((size, bytes)) if kind == Kind::Model && wants == Wants::Whole => {
                let beside = self.beside(&name, &bytes);
                self.visitor.item(Item { beside, ..Item::new(name, kind, bytes, size) });
            }
            // A file that grew in the meantime has the size that was read.
            Ok((size, bytes)) if wants == Wants::Whole => {
                self.visitor.item(Item::new(name, kind, bytes, size));
            }
            Ok(_) => self.visitor.passed(&name, kind, size),
            Err(error) if self.may_vanish && error.kind() == io::ErrorKind::NotFound => {
                self.vanished = true;
                self.reading.container.entries -= 1;
                self.reading.container.expanded_bytes -= size;
                self.reading.defects.push(Defect::new(InputDefect::Vanished).entry(&*name));
            }
            Err(error) => {
                self.give_up(not_read(&error).entry(&*name));
                self.visitor.passed(&name, kind, size);
            }
        }
        self.visitor.progress(size);
    }

    /// Passes the assets of a viewer's export to the visitor. Their names are below that of the export.
    fn take_assets(&mut self, export: &Item) {
        let (visitor, reading, limits) = (&mut *self.visitor, &mut self.reading, self.request.limits);
        let is_within = oxp::assets(&export.bytes, limits, |uuid, asset_type, bytes| {
            let path = member::asset_path(uuid, asset_type.into());
            let kind = member::asset_kind(&path);
            let name = format!("{}/{path}", export.name);
            reading.container.expanded_bytes += bytes.len() as u64;
            reading.count_asset(&name);
            database::pass(&name, kind, bytes.into(), visitor);
        });
        self.reading.incomplete |= !is_within;
    }

    /// Reads the files of a model: its levels, and the buffers of all of them. One that cannot be read is reported.
    fn beside(&mut self, name: &str, bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
        let mut beside: Vec<(String, Vec<u8>)> = Vec::new();
        for file in self.models.levels(name) {
            self.add_beside(file, &mut beside);
        }
        let buffers = beside.iter().map(|(_, bytes)| bytes.as_slice()).chain([bytes]);
        let buffers: Vec<&LooseFile> = buffers.flat_map(|bytes| self.models.buffers(bytes)).collect();
        for file in buffers {
            if beside.iter().all(|(name, _)| *name != file.name) {
                self.add_beside(file, &mut beside);
            }
        }
        beside
    }

    fn add_beside(&mut self, file: &'a LooseFile, beside: &mut Vec<(String, Vec<u8>)>) {
        self.models.note_read(file);
        let (size, limit) = (file.bytes, self.request.limits.entry_bytes);
        self.reading.container.entries += 1;
        self.reading.container.expanded_bytes += size;
        let taken: u64 = beside.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        if taken + size > limit {
            return self.give_up(over_budget(Budget::BytesInFile, taken + size, limit).entry(&*file.name));
        }
        match timings::within(Stage::Read, || self.read_file(&file.path, Wants::Whole, size, file.stamp)) {
            Ok((_, bytes)) => beside.push((file.name.clone(), bytes)),
            Err(error) => self.give_up(not_read(&error).entry(&*file.name)),
        }
        self.visitor.progress(size);
    }

    /// Returns the size of a file, and its bytes if it is wanted completely. Otherwise passes the bytes on in pieces.
    fn read_file(
        &mut self,
        path: &Path,
        wants: Wants,
        size: u64,
        stamp: Option<Stamp>,
    ) -> io::Result<(u64, Vec<u8>)> {
        // Bounded, because a file may grow while it is read.
        let file = self.request.open(self.stream, path, size, stamp)?;
        let mut file = file.take(size.max(self.request.limits.entry_bytes));
        self.hash.update(path.file_name().unwrap_or_default().as_encoded_bytes());
        let mut bytes = Vec::new();
        if wants == Wants::Whole {
            // One byte more than the size, so the end is found without growing the buffer in small steps.
            bytes.try_reserve_exact(usize::try_from(size).map_or(0, |size| size + 1))?;
            file.read_to_end(&mut bytes)?;
            self.hash.update(&bytes);
            timings::pass(Stage::Read, bytes.len());
            self.reading.unpacked += bytes.len() as u64;
            return Ok((bytes.len() as u64, bytes));
        }
        let mut file = BufReader::with_capacity(BUFFER, file);
        let mut all = 0;
        loop {
            let piece = file.fill_buf()?;
            if piece.is_empty() {
                return Ok((all, bytes));
            }
            all += piece.len() as u64;
            self.reading.unpacked += piece.len() as u64;
            self.hash.update(piece);
            timings::pass(Stage::Read, piece.len());
            if wants == Wants::Pieces {
                self.visitor.piece(piece);
            }
            let read = piece.len();
            file.consume(read);
        }
    }

    fn finish(mut self) -> Reading {
        if self.request.is_whole && !self.reading.incomplete && !self.vanished {
            self.reading.content_hash = Some(self.hash.digest128());
        }
        self.reading
    }
}

//! Files that lie open on the disk: an unpacked archive, or the loose files of a folder.

use super::{
    Deadline, Item, Kind, Loose, LooseFile, Reading, Stamp, Visitor, Wants,
    archive::{BUFFER, over_budget},
    member, not_read,
    stamp::by_path,
};
use crate::{
    facts::UnknownFile,
    finding::{Code, Finding},
    limits::Limits,
    storage,
    timings::{self, Stage},
};
use std::{
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};
use walkdir::WalkDir;
use xxhash_rust::xxh3::Xxh3;

/// What is known of a set of files while they go by.
struct Files<'a> {
    limits: &'a Limits,
    visitor: &'a mut dyn Visitor,
    reading: Reading,
    /// Of every file's name, size and bytes, in order.
    hash: Box<Xxh3>,
    /// Whether files that nobody wants are read too, for the hash.
    whole: bool,
    deadline: Deadline,
}

/// Reads an unpacked archive: its files in the order of their paths, the control file first. Unless it is to be
/// read `whole`, files that the visitor does not want are not opened.
pub fn read_tree(root: &Path, limits: &Limits, whole: bool, visitor: &mut dyn Visitor) -> Reading {
    let mut files = Files::new(limits, whole, visitor);
    let mut found = match storage::is_url(root) {
        true => files.objects(root),
        false => files.below(root),
    };
    found.sort_by(|a, b| (a.name != "archive.xml", &a.name).cmp(&(b.name != "archive.xml", &b.name)));
    for file in found {
        if !files.goes_on() {
            break;
        }
        let member = member::classify(&file.name);
        if !file.is_regular {
            files.unknown(file.name, file.bytes, "not a regular file".into());
            continue;
        }
        files.reading.note_asset(&file.name, member);
        let kind = member.kind;
        files.take(&file.path, file.name, kind, file.bytes, file.stamp);
    }
    files.finish()
}

/// A file of an unpacked archive.
struct Found {
    name: String,
    path: PathBuf,
    bytes: u64,
    is_regular: bool,
    /// Of an object.
    stamp: Option<Stamp>,
}

/// Reads the loose files of a folder; `whole` as for a tree.
pub fn read_folder(loose: &[LooseFile], limits: &Limits, whole: bool, visitor: &mut dyn Visitor) -> Reading {
    let mut files = Files::new(limits, whole, visitor);
    for LooseFile { path, name, bytes, what, stamp } in loose {
        if !files.goes_on() {
            break;
        }
        match what {
            Loose::Known(kind) => files.take(path, name.clone(), *kind, *bytes, *stamp),
            Loose::Unknown(looks_like) => files.unknown(name.clone(), *bytes, looks_like.clone()),
            Loose::Unreadable(why) => {
                files.give_up(Finding::new(Code::RUN001).entry(name).detail(why));
            }
        }
    }
    files.finish()
}

impl<'a> Files<'a> {
    fn new(limits: &'a Limits, whole: bool, visitor: &'a mut dyn Visitor) -> Self {
        let deadline = visitor.deadline();
        Self { limits, visitor, reading: Reading::new(limits), hash: Box::default(), whole, deadline }
    }

    fn give_up(&mut self, finding: Finding) {
        self.reading.give_up(finding);
    }

    /// Whether there is time and room for another file; where there is none that is said.
    fn goes_on(&mut self) -> bool {
        let all = self.reading.container.expanded_bytes;
        let finding = match self.deadline.check() {
            Err(error) => not_read(&error),
            Ok(()) if all > self.limits.archive_bytes => {
                over_budget("bytes in all", all, self.limits.archive_bytes)
            }
            Ok(()) => return true,
        };
        self.give_up(finding);
        false
    }

    /// The files below a folder of the disk.
    fn below(&mut self, root: &Path) -> Vec<Found> {
        let mut found = Vec::new();
        for entry in WalkDir::new(root).follow_links(true).sort_by(by_path) {
            match entry {
                Ok(entry) if entry.file_type().is_dir() => self.reading.container.directories += 1,
                Ok(entry) => found.push(Found {
                    name: relative_name(entry.path(), root),
                    is_regular: entry.file_type().is_file(),
                    bytes: entry.metadata().map_or(0, |data| data.len()),
                    path: entry.into_path(),
                    stamp: None,
                }),
                Err(error) => self.walk_failed(&error, root),
            }
            if self.are_too_many(&found) {
                break;
            }
        }
        // The root itself is no member.
        self.reading.container.directories = self.reading.container.directories.saturating_sub(1);
        found
    }

    /// The objects below a URL.
    fn objects(&mut self, root: &Path) -> Vec<Found> {
        let objects = storage::list(root).unwrap_or_else(|error| {
            self.give_up(not_read(&error));
            Vec::new()
        });
        let found = objects.into_iter().map(|object| Found {
            name: relative_name(&object.path, root),
            path: object.path,
            bytes: object.bytes,
            is_regular: true,
            stamp: Some(object.stamp),
        });
        let found: Vec<Found> = found.take(self.limits.entries as usize + 1).collect();
        self.are_too_many(&found);
        found
    }

    /// Whether there are more files than may be, which is said.
    fn are_too_many(&mut self, found: &[Found]) -> bool {
        let (files, limit) = (found.len() as u64, self.limits.entries);
        if files > limit {
            self.give_up(over_budget("files", files, limit));
        }
        files > limit
    }

    fn unknown(&mut self, entry: String, bytes: u64, looks_like: String) {
        self.visitor.progress(bytes);
        self.reading.unknown.push(UnknownFile { entry, bytes, looks_like });
    }

    fn walk_failed(&mut self, error: &walkdir::Error, root: &Path) {
        let entry = error.path().map(|path| relative_name(path, root)).unwrap_or_default();
        if error.loop_ancestor().is_some() {
            self.unknown(entry, 0, "a symbolic link to a folder above itself".into());
        } else {
            self.give_up(Finding::new(Code::RUN001).entry(entry).detail(error.to_string()));
        }
    }

    /// Reads one file and hands it on.
    fn take(&mut self, path: &Path, name: String, kind: Kind, size: u64, stamp: Option<Stamp>) {
        self.reading.container.entries += 1;
        self.reading.container.expanded_bytes += size;
        let wants = self.visitor.wants(&name, kind, size);
        match wants {
            Wants::Nothing if !self.whole => return,
            Wants::Whole if size > self.limits.entry_bytes => {
                let finding = over_budget("bytes in one file", size, self.limits.entry_bytes);
                self.give_up(finding.entry(&*name));
                return self.visitor.passed(&name, kind, size);
            }
            Wants::Whole => self.visitor.make_room(size),
            Wants::Pieces | Wants::Nothing => {}
        }
        match timings::within(Stage::Read, || self.read_file(path, wants, size, stamp)) {
            Ok((read, _)) if read < size => {
                let detail =
                    format!("it shrank while it was read, from {size} bytes to {read}; audit it again");
                self.give_up(Finding::new(Code::RUN001).entry(&*name).detail(detail));
                self.visitor.passed(&name, kind, size);
            }
            // One that grew since it was found is as large as it was read.
            Ok((size, bytes)) if wants == Wants::Whole => {
                self.visitor.item(Item { name, kind, bytes, size });
            }
            Ok(_) => self.visitor.passed(&name, kind, size),
            Err(error) => {
                self.give_up(not_read(&error).entry(&*name));
                self.visitor.passed(&name, kind, size);
            }
        }
        self.visitor.progress(size);
    }

    /// How many bytes a file has, and the bytes where it is wanted whole; those of any other one go by.
    fn read_file(
        &mut self,
        path: &Path,
        wants: Wants,
        size: u64,
        stamp: Option<Stamp>,
    ) -> io::Result<(u64, Vec<u8>)> {
        // Bounded, because a file may grow while it is read.
        let file = storage::open(path, size, stamp, self.deadline)?;
        let mut file = file.take(size.max(self.limits.entry_bytes));
        self.hash.update(path.file_name().unwrap_or_default().as_encoded_bytes());
        let mut bytes = Vec::new();
        if wants == Wants::Whole {
            // Room for all and the end: otherwise it is asked for in small pieces.
            bytes.reserve_exact(usize::try_from(size).map_or(0, |size| size + 1));
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
        if !self.reading.incomplete {
            self.reading.content_hash = Some(self.hash.digest128());
        }
        self.reading
    }
}

/// A path below `root` with slashes, as archives write it.
fn relative_name(path: &Path, root: &Path) -> String {
    let relative = path.strip_prefix(root).unwrap_or(path);
    let steps: Vec<_> = relative.iter().map(|step| step.to_string_lossy()).collect();
    steps.join("/")
}

//! Archives: tar, optionally compressed with gzip or zstd.

use super::{
    Input, Item, Kind, ReadRequest, Reading, Visitor, Wants,
    database::{dump, sql},
    disk::{Disk, ReadBytes, defect_of},
    not_read,
    tar::{EntryType, Oddities, TarError, TarReader},
    unpack::{Unpack, is_packed},
};
use hullmark_format::{
    defect::{Budget, Defect, InputDefect, UnsafeName},
    member,
};
use std::{
    collections::HashSet,
    io::{self, BufRead, BufReader, Read},
    rc::Rc,
};
use xxhash_rust::xxh3::xxh3_64;

/// The largest member that OpenSim's reader accepts: it stores the size as a signed 32-bit number.
const LARGEST_MEMBER: u64 = i32::MAX as u64;

/// Bytes that are read at a time, from the disk or from a compressed stream.
pub(super) const BUFFER: usize = 256 * 1024;

/// Reads an archive to its end, or until the visitor has enough.
pub fn read(input: &Input, request: &ReadRequest<'_>, visitor: &mut dyn Visitor) -> Reading {
    let mut reading = Reading::new(request.limits);
    if let Err(error) = read_file(input, request, visitor, &mut reading) {
        // The reader of a dump may have reported it.
        reading.give_up_once(not_read(&error));
    }
    reading
}

/// Reads the file. An error is one of the disk; damage is a defect in `reading`.
fn read_file(
    input: &Input,
    request: &ReadRequest<'_>,
    visitor: &mut dyn Visitor,
    reading: &mut Reading,
) -> io::Result<()> {
    let limits = request.limits;
    let bytes: Rc<ReadBytes> = Rc::default();
    let file = request.open(input.stream.as_ref(), &input.path, input.bytes, input.stamp)?;
    let disk = Disk::new(file, request.deadline.clone(), Rc::clone(&bytes));
    let mut archive = Archive {
        request,
        reading,
        bytes,
        names: HashSet::new(),
        first: true,
        packed_again: PackedAgain::default(),
        records: Strangers::default(),
        added: Strangers::default(),
    };
    let mut file = BufReader::with_capacity(BUFFER, disk);
    let start = file.fill_buf()?;
    if is_packed(start) {
        let start = start[..start.len().min(4)].to_vec();
        let unpack = Unpack::new(&start, &mut file);
        archive.reading.container.compression = Some(unpack.name().into());
        let mut stream = BufReader::with_capacity(BUFFER, unpack);
        // A stream that cannot be read is reported below.
        if let Some(dialect) = stream.fill_buf().ok().and_then(|start| sql::Start::of(start).dialect()) {
            let unreported = &archive.bytes.unreported;
            let (position, stream) =
                dump::read(stream, dialect, request, visitor, archive.reading, unreported);
            if visitor.enough() {
                return Ok(());
            }
            archive.finish_packed(stream, position);
            return archive.finish(file, visitor);
        }
        let mut tar = TarReader::new(stream, limits);
        archive.read_members(&mut tar, visitor);
        if visitor.enough() {
            return Ok(());
        }
        let position = tar.position();
        archive.finish_packed(tar.into_inner(), position);
    } else if let Some(dialect) = sql::Start::of(file.fill_buf()?).dialect() {
        dump::read(&mut file, dialect, request, visitor, archive.reading, &archive.bytes.unreported);
    } else {
        let mut tar = TarReader::new(&mut file, limits);
        archive.read_members(&mut tar, visitor);
    }
    if visitor.enough() {
        return Ok(());
    }
    archive.finish(file, visitor)
}

struct Archive<'a> {
    request: &'a ReadRequest<'a>,
    reading: &'a mut Reading,
    bytes: Rc<ReadBytes>,
    /// Hashes of the names so far, to find duplicates.
    names: HashSet<u64>,
    first: bool,
    packed_again: PackedAgain,
    /// Tar records that OpenSim does not know and reads as files.
    records: Strangers,
    /// Files that macOS or Windows added.
    added: Strangers,
}

/// Members that no export has.
#[derive(Default)]
struct Strangers {
    /// Number of those that OpenSim reads as content, which stops the load.
    read: u64,
    first: String,
}

impl Strangers {
    /// Whether OpenSim reads a record of this name as an object or parcel. Counts it if so.
    fn read_record(&mut self, name: &str) -> bool {
        self.count(name, matches!(member::classify(name).kind, Kind::Object | Kind::Parcel))
    }

    /// Counts an added file of this name if OpenSim reads it as content.
    fn read_added(&mut self, name: &str) {
        let kind = member::classify(name).kind;
        let is_content = matches!(kind, Kind::Object | Kind::NestedObject | Kind::Parcel | Kind::Terrain);
        // Each file there is read as an item.
        self.count(name, is_content || name.starts_with("inventory/"));
    }

    /// Counts a member if it is read. OpenSim compares paths exactly.
    fn count(&mut self, name: &str, is_content: bool) -> bool {
        let read = is_content && !name.starts_with("./");
        if read {
            self.read += 1;
            if self.read == 1 {
                self.first = name.to_owned();
            }
        }
        read
    }
}

/// Paths that show that the archive was unpacked and packed again.
#[derive(Default)]
struct PackedAgain {
    /// Number of entries whose name begins with `./`.
    dotted: u64,
    /// Whether the control file is one of them.
    dotted_control: bool,
    /// The path of a control file in a subfolder.
    control: Option<String>,
}

impl Archive<'_> {
    fn report(&mut self, defect: Defect) {
        self.reading.defects.push(defect);
    }

    fn give_up(&mut self, defect: Defect) {
        self.reading.give_up(defect);
    }

    /// Reads to the last byte of the file, because the hash covers the whole file.
    fn finish(self, mut file: BufReader<Disk>, visitor: &mut dyn Visitor) -> io::Result<()> {
        io::copy(&mut file, &mut io::sink())?;
        visitor.progress(self.bytes.unreported.take());
        file.into_inner().finish()?;
        self.reading.content_hash = Some(self.bytes.hash.borrow().digest128());
        Ok(())
    }

    fn read_members<R: BufRead>(&mut self, tar: &mut TarReader<R>, visitor: &mut dyn Visitor) {
        loop {
            // One read from the disk may contain many members. The next read reports why the reading stops here.
            if self.request.deadline.over().is_some() {
                self.reading.incomplete = true;
                break;
            }
            match self.read_member(tar, visitor) {
                Ok(true) => {}
                Ok(false) => break,
                Err(TarError::Io(error)) => {
                    self.stream_broke(&error, tar.position());
                    break;
                }
                Err(TarError::Broken(why)) => {
                    self.give_up(Defect::new(InputDefect::BrokenTar { why }));
                    break;
                }
                Err(TarError::TooMuch(bytes)) => {
                    self.give_up(over_budget(Budget::BytesInAll, bytes, self.request.limits.archive_bytes));
                    break;
                }
            }
            visitor.progress(self.bytes.unreported.take());
            if visitor.enough() {
                return;
            }
        }
        self.reading.unpacked = tar.position();
        self.report_oddities(&tar.oddities);
    }

    /// Reads one member. Returns `false` at the end, or if a budget is spent.
    fn read_member<R: BufRead>(
        &mut self,
        tar: &mut TarReader<R>,
        visitor: &mut dyn Visitor,
    ) -> Result<bool, TarError> {
        let header = tar.next_header()?;
        for name in tar.take_pax_names() {
            self.records.read_record(&name);
        }
        let Some(header) = header else { return Ok(false) };
        match header.what {
            EntryType::File => {}
            EntryType::Directory => {
                self.reading.container.directories += 1;
                visitor.folder(&header.name);
                return Ok(true);
            }
            EntryType::Special(_) if self.records.read_record(&header.name) => return Ok(true),
            EntryType::Special(kind) => {
                let kind = InputDefect::SpecialMember { what: char::from(kind) };
                self.report(Defect::new(kind).entry(&header.name));
                return Ok(true);
            }
        }
        let container = &mut self.reading.container;
        container.entries += 1;
        container.expanded_bytes += header.size;
        let (entries, limit) = (container.entries, self.request.limits.entries);
        if entries > limit {
            self.give_up(over_budget(Budget::Members, entries, limit));
            return Ok(false);
        }
        self.check_name(&header.name);
        if header.size > LARGEST_MEMBER {
            let defect = Defect::new(InputDefect::MemberTooLarge).entry(&header.name);
            self.report(defect.measured(header.size as f64).limit(LARGEST_MEMBER as f64));
        }
        let member = member::classify(&header.name);
        if std::mem::take(&mut self.first) && member.kind != Kind::ArchiveManifest {
            self.reading.container.control_not_first = true;
        }
        if member::is_added(&header.name, |start| tar.data_begins_with(start))? {
            self.added.read_added(&header.name);
            return Ok(true);
        }
        self.reading.note_asset(&header.name, member);
        let kind = member.kind;
        match visitor.wants(&header.name, kind, header.size) {
            Wants::Whole if header.size > self.request.limits.entry_bytes => {
                let defect = over_budget(Budget::BytesInMember, header.size, self.request.limits.entry_bytes);
                self.give_up(defect.entry(&header.name));
                visitor.passed(&header.name, kind, header.size);
            }
            Wants::Whole => {
                visitor.make_room(header.size);
                let mut bytes = Vec::new();
                let read = tar.read_data(&mut bytes);
                match &read {
                    // The remaining members may need less memory.
                    Err(TarError::Io(error)) if error.kind() == io::ErrorKind::OutOfMemory => {
                        self.give_up(not_read(error).entry(&*header.name).measured(header.size as f64));
                        visitor.passed(&header.name, kind, header.size);
                        return Ok(true);
                    }
                    // The bytes on the disk may be intact: a result of the partial data would be wrong.
                    Err(TarError::Io(error)) if defect_of(error).is_some() => {
                        visitor.passed(&header.name, kind, header.size);
                    }
                    // Decode the bytes before a cut too: their own defects are more precise than a missing member.
                    _ => visitor.item(Item::new(header.name, kind, bytes, header.size)),
                }
                read?;
            }
            Wants::Pieces => {
                let read = tar.pass_data(|piece| visitor.piece(piece));
                visitor.passed(&header.name, kind, header.size);
                read?;
            }
            Wants::Nothing => visitor.passed(&header.name, kind, header.size),
        }
        Ok(true)
    }

    /// Reports names that are not plain relative paths, and names that appear twice.
    fn check_name(&mut self, name: &str) {
        let unsafe_because = if name.starts_with(['/', '\\']) || has_drive(name) {
            Some(UnsafeName::Absolute)
        } else if name.split(['/', '\\']).any(|step| step == "..") {
            Some(UnsafeName::LeadsOut)
        } else if name.chars().any(char::is_control) {
            Some(UnsafeName::ControlCharacters)
        } else {
            None
        };
        if name.strip_prefix("./").is_some_and(is_looked_for) {
            self.packed_again.dotted += 1;
            self.packed_again.dotted_control |= name == "./archive.xml";
        } else if name.ends_with("/archive.xml") && self.packed_again.control.is_none() {
            self.packed_again.control = Some(name.into());
        }
        if let Some(why) = unsafe_because {
            self.report(Defect::new(InputDefect::UnsafeName { why }).entry(name));
        }
        if !self.names.insert(xxh3_64(name.as_bytes())) {
            self.report(Defect::new(InputDefect::NameTwice).entry(name));
        }
    }

    /// Reported once for all entries, because they were packed together.
    fn report_packed_again(&mut self) {
        let PackedAgain { dotted, dotted_control, control } = std::mem::take(&mut self.packed_again);
        if dotted > 0 {
            self.report(
                Defect::new(InputDefect::DottedEntries { control: dotted_control }).measured(dotted as f64),
            );
        } else if let Some(control) = control.filter(|_| self.has_no_control_file()) {
            self.report(Defect::new(InputDefect::ControlBelowFolder).measured(1).entry(control));
        }
    }

    /// Whether the archive has no control file. `false` if the archive was not read completely.
    fn has_no_control_file(&self) -> bool {
        !self.reading.incomplete && !self.names.contains(&xxh3_64(b"archive.xml"))
    }

    fn report_oddities(&mut self, oddities: &Oddities) {
        self.report_packed_again();
        let container = &mut self.reading.container;
        let mut note = |seen: bool, what: &str| {
            if seen {
                container.oddities.push(what.into());
            }
        };
        note(oddities.long_names > 0, "long-names");
        note(oddities.no_end_marker, "no-end-marker");
        note(oddities.v7_headers > 0, "v7-headers");
        let Strangers { read, first } = std::mem::take(&mut self.added);
        if read > 0 {
            self.report(Defect::new(InputDefect::AddedReadAsContent { first }).measured(read as f64));
        }
        let Strangers { read, first } = std::mem::take(&mut self.records);
        if read > 0 {
            self.report(Defect::new(InputDefect::RecordsReadAsObjects { first }).measured(read as f64));
        }
        if oddities.pax > 0 && read == 0 {
            self.report(Defect::new(InputDefect::PaxRecords { records: oddities.pax }));
        }
        if oddities.bad_checksums > 0 {
            self.report(Defect::new(InputDefect::WrongChecksums { headers: oddities.bad_checksums }));
        }
        if oddities.not_utf8 > 0 {
            self.report(Defect::new(InputDefect::NamesNotUtf8 { names: oddities.not_utf8 }));
        }
        if let Some(bytes) = oddities.oversized_name {
            self.report(over_budget(Budget::BytesInName, bytes, self.request.limits.name_bytes as u64));
        }
        // Without compression, nothing else shows that the tail is missing.
        if oddities.no_end_marker && self.reading.container.compression.is_none() && !self.reading.incomplete
        {
            self.report(Defect::new(InputDefect::NoEndMarker));
        }
    }

    /// Reads the bytes after the tar, which ends at `position`. Only then the checksum of the stream is known.
    fn finish_packed<R: BufRead>(&mut self, mut stream: BufReader<Unpack<R>>, position: u64) {
        if !self.reading.incomplete {
            let limit = self.request.limits.archive_bytes;
            // One byte above the limit shows whether more bytes follow.
            let mut rest = (&mut stream).take(limit.saturating_sub(position).saturating_add(1));
            match io::copy(&mut rest, &mut io::sink()) {
                Ok(read) if position + read > limit => {
                    self.give_up(over_budget(Budget::BytesInAll, position + read, limit));
                }
                Ok(read) => self.reading.unpacked += read,
                Err(error) => self.stream_broke(&error, self.reading.container.expanded_bytes),
            }
        }
        let (is_several, has_trailing) = stream.get_ref().oddities();
        let mut note = |seen: bool, what: &str| {
            if seen {
                self.reading.container.oddities.push(what.into());
            }
        };
        note(is_several, "several-gzip-members");
        note(has_trailing, "trailing-bytes");
    }

    fn stream_broke(&mut self, error: &io::Error, position: u64) {
        self.reading.incomplete = true;
        // The caller that reads the file reports errors of the disk.
        if defect_of(error).is_some() {
            return;
        }
        let why = (error.kind() != io::ErrorKind::UnexpectedEof).then(|| error.to_string());
        self.give_up(Defect::new(InputDefect::Damaged { why, position }));
    }
}

pub(super) fn over_budget(budget: Budget, measured: u64, limit: u64) -> Defect {
    Defect::new(InputDefect::OverBudget { budget }).measured(measured as f64).limit(limit as f64)
}

fn has_drive(name: &str) -> bool {
    matches!(name.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Whether a loader looks for an entry of this name, relative to the root of the archive.
fn is_looked_for(name: &str) -> bool {
    let folder = name.split('/').next().unwrap_or(name);
    matches!(
        folder,
        "archive.xml" | "objects" | "assets" | "terrains" | "settings" | "landdata" | "regions" | "inventory"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_below_objects_and_parcels_are_read_as_such() {
        let mut strangers = Strangers::default();
        for name in
            ["././@PaxHeader", "./objects/PaxHeaders/a.xml", "assets/PaxHeaders/a", "PaxHeaders/archive.xml"]
        {
            assert!(!strangers.read_record(name), "{name}");
        }
        assert!(strangers.read_record("objects/PaxHeaders/a.xml"));
        assert!(strangers.read_record("regions/1_1_Here/landdata/PaxHeaders/p.xml"));
        assert_eq!((strangers.read, strangers.first.as_str()), (2, "objects/PaxHeaders/a.xml"));
    }
}

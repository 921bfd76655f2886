//! Reads a dump of several files: a folder of mydumper, MySQL Shell, `mysqldump --tab` or MySQL Workbench.

use super::{
    DatabaseRows, Rows,
    dump::{content, foreign_dump, report_tables},
    shell::{DESCRIPTION, Files, Role},
    sql::{Charset, End, LinesOf, Schema},
};
use crate::{
    LooseFile, ReadRequest, Reading, Stream, Visitor,
    archive::{BUFFER, over_budget},
    disk::{Disk, ReadBytes},
    dump_folders::{unpacked_name, without_ending},
    not_read,
    unpack::{Unpack, is_packed},
};
use hullmark_database::Dialect;
use hullmark_format::defect::{Budget, Defect, InputDefect};
use hullmark_ledger::InputKind;
use std::{
    io::{self, BufRead, BufReader, Read},
    rc::Rc,
};

/// Bytes of the metadata of mydumper that are read.
const METADATA: u64 = 1024 * 1024;

/// Reads the files in their order. The tables of all are known to each.
pub(crate) fn read(
    files: &[LooseFile],
    stream: Option<&Stream>,
    request: &ReadRequest<'_>,
    visitor: &mut dyn Visitor,
) -> Reading {
    let limits = request.limits;
    let mut reading = Reading::new(limits);
    reading.kind = Some(InputKind::Dump);
    let read_bytes: Rc<ReadBytes> = Rc::default();
    let mut dump = DatabaseRows::new(Dialect::MySql, request, visitor, &mut reading, &read_bytes.unreported);
    let mut schema = Schema::new(Dialect::MySql);
    let mut ending = Ending::default();
    let mut unpacked = 0_u64;
    let mut beside = Files::default();
    let is_tab = files.iter().any(|file| unpacked_name(&file.name).ends_with(".txt"));
    ending.is_of_shell = files.iter().any(|file| file.name.starts_with("@."));
    for file in files {
        let disk = || {
            read_bytes.hash.borrow_mut().update(file.name.as_bytes());
            let opened = request.open(stream, &file.path, file.bytes, file.stamp)?;
            Ok(Disk::new(opened, request.deadline.clone(), Rc::clone(&read_bytes)))
        };
        let role = Role::of(&file.name);
        let mut read = |lines: Option<&LinesOf>, schema: &mut Schema, dump: &mut DatabaseRows<'_>| {
            let (end, bytes) = read_file(disk()?, file, lines, schema, dump)?;
            unpacked = unpacked.saturating_add(bytes);
            ending.is_whole &= lines.is_some() || !matches!(end, Some(End::Whole));
            io::Result::Ok(())
        };
        let done = match role {
            _ if file.name.starts_with("metadata") => disk().and_then(|disk| ending.note(&file.name, disk)),
            Role::Finished => {
                ending.is_finished = Some(true);
                Ok(())
            }
            Role::Other => Ok(()),
            Role::Description => disk().and_then(|disk| {
                let mut json = Vec::new();
                disk.take(DESCRIPTION).read_to_end(&mut json)?;
                beside.describe(&file.name, &json)
            }),
            Role::Lines => {
                // The server writes the bytes as they are stored, or MySQL Shell in the charset that it states.
                schema.charset = Charset::named(&beside.charset);
                let lines = beside.lines_of(&file.name, &schema.database);
                read(Some(&lines), &mut schema, &mut dump)
            }
            Role::Statements => {
                schema.database = database_of(&file.name);
                let done = read(None, &mut schema, &mut dump);
                if is_tab {
                    beside.structure(&file.name, &schema.database);
                }
                done
            }
        };
        if let Err(error) = done {
            dump.reading.give_up(not_read(&error).entry(&*file.name));
        }
        if unpacked > limits.archive_bytes {
            dump.reading.give_up(over_budget(Budget::BytesInAll, unpacked, limits.archive_bytes));
        }
        if unpacked > limits.archive_bytes || dump.enough() {
            break;
        }
    }
    dump.note_without_file(beside.without_lines());
    let end = (!dump.reading.incomplete).then_some(End::Whole);
    match foreign_dump(end, &schema, &dump) {
        Some(looks_like) => dump.reading.unknown.push(looks_like),
        None => {
            ending.report(dump.reading);
            report_tables(&schema, limits, &mut dump);
        }
    }
    dump.finish();
    reading.unpacked = unpacked;
    if !reading.incomplete {
        reading.content_hash = Some(read_bytes.hash.borrow().digest128());
    }
    reading
}

/// Reads one file, with statements or with the rows of a table. Returns how it ends and the number of its bytes.
fn read_file(
    disk: Disk,
    file: &LooseFile,
    lines: Option<&LinesOf>,
    schema: &mut Schema,
    dump: &mut DatabaseRows<'_>,
) -> io::Result<(Option<End>, u64)> {
    let mut bytes = BufReader::with_capacity(BUFFER, disk);
    let start = bytes.fill_buf()?;
    if !is_packed(start) {
        let (end, position, _) = content(bytes, lines, schema, dump, &file.name);
        return Ok((end, position));
    }
    let start = start[..start.len().min(4)].to_vec();
    let unpacked = BufReader::with_capacity(BUFFER, Unpack::new(&start, bytes));
    let (end, position, mut rest) = content(unpacked, lines, schema, dump, &file.name);
    if end.is_some_and(|end| end != End::Enough) {
        // Only the end of the stream has its checksum.
        let limit = dump.request.limits.archive_bytes.saturating_sub(position);
        io::copy(&mut (&mut rest).take(limit), &mut io::sink())?;
    }
    Ok((end, position))
}

/// Returns the database that the name of a file of mydumper begins with.
fn database_of(name: &str) -> String {
    let name = without_ending(name).unwrap_or(name);
    let name = name.strip_suffix("-schema-create").unwrap_or(name);
    // MySQL Shell separates by another sign.
    if let Some((database, _)) = name.split_once('@') {
        return database.to_owned();
    }
    // Workbench names the database in a comment only, and has one for all files.
    name.split_once('.').map(|(database, _)| database.to_owned()).unwrap_or_default()
}

/// What shows that a dump of several files is complete.
struct Ending {
    /// Whether each file has the last line of a complete dump.
    is_whole: bool,
    /// Whether the metadata of mydumper say that it finished. `None` without metadata.
    is_finished: Option<bool>,
    is_partial: bool,
    /// Whether it is a dump of MySQL Shell, which writes a last file.
    is_of_shell: bool,
}

impl Default for Ending {
    fn default() -> Self {
        Self { is_whole: true, is_finished: None, is_partial: false, is_of_shell: false }
    }
}

impl Ending {
    fn note(&mut self, name: &str, disk: Disk) -> io::Result<()> {
        let mut text = Vec::new();
        disk.take(METADATA).read_to_end(&mut text)?;
        let text = String::from_utf8_lossy(&text).to_ascii_lowercase();
        self.is_partial |= name == "metadata.partial";
        self.is_finished = Some(self.is_finished.unwrap_or(false) || text.contains("finished dump at"));
        Ok(())
    }

    fn report(&self, reading: &mut Reading) {
        if self.is_partial {
            let why = "mydumper has not finished it: it has the file metadata.partial".into();
            reading.give_up(Defect::new(InputDefect::Unreadable { why }));
        } else if self.is_of_shell && self.is_finished.is_none() {
            let why = "MySQL Shell has not finished it: the file @.done.json is missing".into();
            reading.give_up(Defect::new(InputDefect::Unreadable { why }));
        } else if !self.is_finished.unwrap_or(self.is_whole) {
            reading.defects.push(Defect::new(InputDefect::DumpNotEnded));
        }
    }
}

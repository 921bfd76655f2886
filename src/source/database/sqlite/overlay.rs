//! Pages that are in force and not in the database: in its journal or its write-ahead log.
//!
//! A journal has the original pages of a transaction that has not ended. A log has the new pages of transactions that
//! have. With both, a reader sees committed pages only.

use super::files::DatabaseFiles;
use crate::{FileSystem, OpenFile};
use hullmark_database::sqlite::{
    FRAME_HEADER, Frame, JOURNAL_HEADER, JOURNAL_MAGIC, JournalHeader, WAL_HEADER, WalHeader,
    journal_checksum, wal_checksum,
};
use std::{
    collections::HashMap,
    io::{self, BufReader, Read, Seek, SeekFrom},
    path::Path,
};

/// Bytes that are read at a time.
const BUFFER: usize = 64 * 1024;

/// A file that belongs to a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageSource {
    Journal,
    Wal,
}

/// The pages of a journal and a log.
#[derive(Debug, Default)]
pub(super) struct Overlay {
    pages: HashMap<u32, (PageSource, u64)>,
    journal: Option<OpenFile>,
    wal: Option<OpenFile>,
    /// Bytes of a page. `None` without a page.
    pub(super) page_size: Option<usize>,
    /// Number of pages of the database. `None` without a page.
    pub(super) length: Option<u32>,
    /// Whether another database decides if the transaction of the journal has ended.
    pub(super) is_shared: bool,
}

impl Overlay {
    /// Reads which pages the journal and the log of a database have.
    pub(super) fn of(files: &DatabaseFiles) -> io::Result<Self> {
        let mut overlay = Self::default();
        if let Some(file) = open(&files.system, &files.journal)? {
            overlay.take_journal(file)?;
        }
        if let Some(file) = open(&files.system, &files.wal)? {
            overlay.take_wal(file)?;
        }
        Ok(overlay)
    }

    pub(super) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Reads a page. Returns `false` if it is not here.
    pub(super) fn read(&mut self, number: u32, page: &mut [u8]) -> io::Result<bool> {
        let Some(&(from, offset)) = self.pages.get(&number) else { return Ok(false) };
        let file = match from {
            PageSource::Journal => &mut self.journal,
            PageSource::Wal => &mut self.wal,
        };
        let Some(file) = file else { return Ok(false) };
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(page)?;
        Ok(true)
    }

    /// Takes the original pages of a journal. A journal whose header is blank is not in force.
    fn take_journal(&mut self, mut file: OpenFile) -> io::Result<()> {
        let bytes = file.seek(SeekFrom::End(0))?;
        file.rewind()?;
        let mut reader = BufReader::with_capacity(BUFFER, file);
        let mut start = [0; JOURNAL_HEADER];
        let mut at = 0;
        let mut first: Option<JournalHeader> = None;
        while read_whole(&mut reader, &mut start)?
            && let Some(header) = JournalHeader::read(&start)
        {
            let JournalHeader { pages, sector, page_size, .. } = *first.get_or_insert(header);
            at += u64::from(sector);
            reader.seek(SeekFrom::Start(at))?;
            let record = u64::from(page_size) + 8;
            let records = header.records.map_or(bytes.saturating_sub(at) / record, u64::from);
            let mut content = vec![0; record as usize];
            for _ in 0..records {
                if !read_whole(&mut reader, &mut content)? {
                    break;
                }
                let (number, page) = content.split_at(4);
                let (page, sum) = page.split_at(page_size as usize);
                let number = big_endian(number);
                if number == 0 || journal_checksum(header.nonce, page) != big_endian(sum) {
                    break;
                }
                if number <= pages {
                    self.pages.entry(number).or_insert((PageSource::Journal, at + 4));
                }
                at += record;
            }
            at = at.next_multiple_of(u64::from(sector));
            reader.seek(SeekFrom::Start(at))?;
        }
        if let Some(header) = first {
            (self.page_size, self.length) = (Some(header.page_size as usize), Some(header.pages));
            self.is_shared = names_another(&mut reader, bytes)?;
            self.journal = Some(reader.into_inner());
        }
        Ok(())
    }

    /// Takes the pages of all transactions of a log that have ended.
    fn take_wal(&mut self, file: OpenFile) -> io::Result<()> {
        let mut reader = BufReader::with_capacity(BUFFER, file);
        let mut start = [0; WAL_HEADER];
        if !read_whole(&mut reader, &mut start)? {
            return Ok(());
        }
        let Some(header) = WalHeader::read(&start) else { return Ok(()) };
        let mut frame_bytes = vec![0; FRAME_HEADER + header.page_size as usize];
        let mut at = WAL_HEADER as u64;
        let mut sums = header.sums;
        let mut open = Vec::new();
        while read_whole(&mut reader, &mut frame_bytes)? {
            let (start, page) = frame_bytes.split_at(FRAME_HEADER);
            let Some(frame) = Frame::read(start) else { break };
            sums = wal_checksum(header.is_big_endian, sums, &start[..8]);
            sums = wal_checksum(header.is_big_endian, sums, page);
            if frame.page == 0 || frame.salts != header.salts || frame.sums != sums {
                break;
            }
            open.push((frame.page, (PageSource::Wal, at + FRAME_HEADER as u64)));
            if frame.pages > 0 {
                self.pages.extend(open.drain(..));
                (self.page_size, self.length) = (Some(header.page_size as usize), Some(frame.pages));
            }
            at += frame_bytes.len() as u64;
        }
        self.wal = Some(reader.into_inner());
        Ok(())
    }
}

/// Opens a file that may be absent.
fn open(system: &FileSystem, path: &Path) -> io::Result<Option<OpenFile>> {
    if system.length(path).is_none() {
        return Ok(None);
    }
    match system.open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Fills the buffer. Returns `false` at the end of the file.
fn read_whole(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether a journal ends with the name of the journal of a transaction over several databases.
fn names_another(reader: &mut (impl Read + Seek), bytes: u64) -> io::Result<bool> {
    let magic = JOURNAL_MAGIC.len() as u64;
    if bytes < magic {
        return Ok(false);
    }
    let mut end = [0; JOURNAL_MAGIC.len()];
    reader.seek(SeekFrom::Start(bytes - magic))?;
    Ok(read_whole(reader, &mut end)? && end == JOURNAL_MAGIC)
}

fn big_endian(bytes: &[u8]) -> u32 {
    bytes.first_chunk().copied().map_or(0, u32::from_be_bytes)
}

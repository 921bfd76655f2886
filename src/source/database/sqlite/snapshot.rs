//! One committed state of a database: its pages, without those of a transaction that has not ended.

use super::{
    files::{DatabaseFiles, DatabaseState, Patience},
    overlay::Overlay,
};
use crate::{Deadline, OpenFile};
use hullmark_database::sqlite::{HEADER, Header, Page};
use hullmark_format::defect::SqliteFault;
use std::io::{self, Read, Seek, SeekFrom};

/// Most bytes that are read ahead where pages follow each other.
const AHEAD: usize = 64 * 1024;

/// Why a page or a row cannot be read.
#[derive(Debug)]
pub(super) enum Failed {
    Fault(SqliteFault),
    Changed,
    Io(io::Error),
}

impl From<SqliteFault> for Failed {
    fn from(fault: SqliteFault) -> Self {
        Self::Fault(fault)
    }
}

impl From<io::Error> for Failed {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            // A file that became shorter.
            io::ErrorKind::UnexpectedEof => Self::Fault(SqliteFault::Header),
            _ => Self::Io(error),
        }
    }
}

/// An open database in one state.
#[derive(Debug)]
pub(super) struct Snapshot {
    files: DatabaseFiles,
    state: DatabaseState,
    file: OpenFile,
    overlay: Overlay,
    pub(super) header: Header,
    pages: u32,
    /// Number of the last page that can be in the files.
    last: u32,
    /// A bit for each page that was read. A page belongs to one place of one table.
    used: Vec<u64>,
    /// Bytes of the file that were read ahead, and where they begin.
    ahead: Vec<u8>,
    ahead_at: u64,
    /// Bytes that were read from the disk and not reported yet.
    pub(super) unreported: u64,
    /// When to stop. It is checked at each page.
    pub(super) deadline: Deadline,
}

impl Snapshot {
    /// Opens the database of these files. With patience, a later change is sure to show.
    pub(super) fn open(files: &DatabaseFiles, patience: Option<&Patience>) -> Result<Self, Failed> {
        let state = patience.map_or_else(|| files.state(), |patience| files.settled(patience))?;
        match Self::in_state(files.clone(), state.clone()) {
            Err(Failed::Fault(_)) if files.state()? != state => Err(Failed::Changed),
            opened => opened,
        }
    }

    fn in_state(files: DatabaseFiles, state: DatabaseState) -> Result<Self, Failed> {
        let mut overlay = Overlay::of(&files)?;
        let mut file = files.system.open(&files.database)?;
        let mut start = [0; HEADER];
        file.read_exact(&mut start)?;
        if let Some(page_size) = overlay.page_size {
            let mut page = vec![0; page_size];
            if overlay.read(1, &mut page)? {
                start.copy_from_slice(&page[..HEADER]);
            }
        }
        let header = Header::read(&start).ok_or(SqliteFault::Header)?;
        if overlay.page_size.is_some_and(|size| size != header.page_size) {
            return Err(SqliteFault::Header.into());
        }
        let in_file = state.bytes().div_ceil(header.page_size as u64).try_into().unwrap_or(u32::MAX);
        let pages = overlay.length.or(header.pages).unwrap_or(in_file);
        let last = pages.min(in_file.saturating_add(overlay.pages().try_into().unwrap_or(u32::MAX)));
        Ok(Self {
            files,
            state,
            file,
            overlay,
            header,
            pages,
            last,
            used: Vec::new(),
            ahead: Vec::new(),
            ahead_at: 0,
            unreported: 0,
            deadline: Deadline::default(),
        })
    }

    /// Whether all files are as they were when the snapshot began.
    pub(super) fn is_unchanged(&self) -> bool {
        !self.files.may_change() || self.files.state().is_ok_and(|state| state == self.state)
    }

    /// Whether another database decides which pages are in force.
    pub(super) fn is_shared(&self) -> bool {
        self.overlay.is_shared
    }

    /// Number of pages that are missing at the end.
    pub(super) fn missing(&self) -> u64 {
        let present = self.state.bytes() / self.header.page_size as u64 + self.overlay.pages() as u64;
        u64::from(self.pages).saturating_sub(present)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.state.bytes() + (self.overlay.pages() * self.header.page_size) as u64
    }

    /// Reads a page that belongs to one place only. Otherwise circles would never end.
    fn page(&mut self, number: u32) -> Result<Vec<u8>, Failed> {
        self.deadline.check()?;
        if number == 0 || number > self.last {
            return Err(SqliteFault::NoPage { page: number }.into());
        }
        let (word, bit) = (number as usize / 64, 1_u64 << (number % 64));
        if self.used.len() <= word {
            self.used.resize(word + 1, 0);
        }
        if self.used[word] & bit != 0 {
            return Err(SqliteFault::UsedTwice { page: number }.into());
        }
        self.used[word] |= bit;
        let mut page = vec![0; self.header.page_size];
        self.unreported += page.len() as u64;
        if self.overlay.read(number, &mut page)? || self.read_file(number, &mut page)? {
            return Ok(page);
        }
        Err(SqliteFault::NoPage { page: number }.into())
    }

    /// Reads a page of the file. Returns `false` after the end of the file.
    fn read_file(&mut self, number: u32, page: &mut [u8]) -> io::Result<bool> {
        let at = u64::from(number - 1) * page.len() as u64;
        let end = self.ahead_at + self.ahead.len() as u64;
        if at < self.ahead_at || at + page.len() as u64 > end {
            // The next page is likely to follow if this one did.
            let bytes = if at == end { AHEAD.max(page.len()) } else { page.len() };
            self.file.seek(SeekFrom::Start(at))?;
            self.ahead.clear();
            self.ahead_at = at;
            (&mut self.file).take(bytes as u64).read_to_end(&mut self.ahead)?;
        }
        let from = (at - self.ahead_at) as usize;
        let Some(bytes) = self.ahead.get(from..from + page.len()) else { return Ok(false) };
        page.copy_from_slice(bytes);
        Ok(true)
    }

    /// Reads a page of the tree of a table.
    pub(super) fn table_page(&mut self, number: u32) -> Result<Vec<u8>, Failed> {
        let bytes = self.page(number)?;
        match Page::new(&bytes, number, self.header.usable) {
            Some(_) => Ok(bytes),
            None => Err(SqliteFault::NoTablePage { page: number }.into()),
        }
    }

    /// Appends the rest of a record from its overflow pages.
    pub(super) fn overflow(&mut self, first: u32, size: u64, record: &mut Vec<u8>) -> Result<(), Failed> {
        let mut next = first;
        while (record.len() as u64) < size {
            let page = self.page(next)?;
            let (link, content) = page[..self.header.usable].split_at(4);
            let missing = size - record.len() as u64;
            record.extend(&content[..content.len().min(missing.try_into().unwrap_or(usize::MAX))]);
            next = link.first_chunk().copied().map_or(0, u32::from_be_bytes);
        }
        Ok(())
    }
}

//! Objects and findings of the archives of a run.
//!
//! They wait in an unnamed file as they come. Memory has their places, and the content of the archives that are compared
//! now.

use super::{Figure, Finding, Linkset};
use hullmark_finding::Code;
use hullmark_util::lock::lock;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    collections::{HashMap, hash_map::Entry},
    fmt,
    io::{self, BufWriter, Read, Seek, SeekFrom, Write},
    marker::PhantomData,
    mem::take,
    path::Path,
    sync::{Arc, Mutex},
};
use tempfile::SpooledTempFile;

/// Bytes of content in memory, before there is a file.
const IN_MEMORY: usize = 16 << 20;

/// Bytes of rows of an archive that are written together.
const TOGETHER: usize = 256 << 10;

/// Objects by a hash of their key.
pub type Linksets = HashMap<u128, Linkset>;

/// Findings by code and fingerprint.
pub type Findings = HashMap<(Code, u64), Finding>;

/// The content of an archive.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Content {
    /// Its linksets.
    pub linksets: Linksets,
    /// Its findings.
    pub findings: Findings,
}

/// The content of all archives of a run, by the keys of the archives.
#[derive(Clone)]
pub struct Contents(Arc<Mutex<Waiting>>);

pub(super) struct Waiting {
    file: BufWriter<SpooledTempFile>,
    bytes: u64,
    linksets: Places,
    findings: Places,
}

/// Where the rows of each archive are.
pub(super) type Places = HashMap<String, Vec<Place>>;

/// Rows of an archive. Those of a part come in the order of the places.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    part: u32,
    start: u64,
    bytes: usize,
}

/// Something that a row says about an archive.
pub(super) trait Row: Serialize + DeserializeOwned {
    /// Adds it to others of its kind.
    fn add_to(self, content: &mut Content);
    /// Where others of its kind are.
    fn places(waiting: &mut Waiting) -> &mut Places;
}

impl Row for (u128, Linkset) {
    fn add_to(self, content: &mut Content) {
        match content.linksets.entry(self.0) {
            Entry::Vacant(place) => _ = place.insert(self.1),
            Entry::Occupied(mut place) => place.get_mut().add(self.1),
        }
    }

    fn places(waiting: &mut Waiting) -> &mut Places {
        &mut waiting.linksets
    }
}

impl Row for (Code, Finding) {
    fn add_to(self, content: &mut Content) {
        let (code, finding) = self;
        let key = (code, finding.fingerprint);
        finding.add_to(&mut content.findings, key);
    }

    fn places(waiting: &mut Waiting) -> &mut Places {
        &mut waiting.findings
    }
}

impl Linkset {
    /// Adds another with the same key.
    fn add(&mut self, other: Self) {
        self.count += other.count;
        self.parts = self.parts.saturating_add(other.parts);
        self.scripts = self.scripts.zip(other.scripts).map(|(sum, more)| sum.saturating_add(more));
        self.land_impact = sum(self.land_impact, other.land_impact);
        self.physics_cost = sum(self.physics_cost, other.physics_cost);
        // Independent of the order in the archive: the first name in alphabetical order.
        if other.name < self.name {
            (self.name, self.owner) = (other.name, other.owner);
        }
    }
}

/// Returns the sum of two numbers. `None` if one of them is unknown.
fn sum(a: Option<Figure>, b: Option<Figure>) -> Option<Figure> {
    let (a, b) = (a?, b?);
    Some(Figure { value: a.value + b.value, bound: a.bound || b.bound })
}

impl Contents {
    /// Creates an empty file on the disk of this folder.
    pub(super) fn new(folder: &Path) -> Self {
        Self(Arc::new(Mutex::new(Waiting {
            file: BufWriter::new(SpooledTempFile::new_in(IN_MEMORY, folder)),
            bytes: 0,
            linksets: Places::new(),
            findings: Places::new(),
        })))
    }

    /// Returns the content of an archive.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of(&self, archive: &str) -> io::Result<Content> {
        let mut content = self.findings_of(archive)?;
        self.read::<(u128, Linkset)>(archive, &mut content)?;
        Ok(content)
    }

    /// Returns the findings of an archive as content without linksets.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn findings_of(&self, archive: &str) -> io::Result<Content> {
        let mut content = Content::default();
        self.read::<(Code, Finding)>(archive, &mut content)?;
        Ok(content)
    }

    fn read<T: Row>(&self, archive: &str, content: &mut Content) -> io::Result<()> {
        let mut places = T::places(&mut lock(&self.0)).get(archive).cloned().unwrap_or_default();
        // Parts are written side by side.
        places.sort_unstable();
        for Place { start, bytes, .. } in places {
            let mut rows = vec![0; bytes];
            {
                let mut waiting = lock(&self.0);
                let end = waiting.bytes;
                waiting.file.seek(SeekFrom::Start(start))?;
                waiting.file.get_mut().read_exact(&mut rows)?;
                waiting.file.seek(SeekFrom::Start(end))?;
            }
            let mut rest = rows.as_slice();
            while !rest.is_empty() {
                let row: T = rmp_serde::from_read(&mut rest).map_err(io::Error::other)?;
                row.add_to(content);
            }
        }
        Ok(())
    }

    /// Leaves out the linksets of an archive.
    pub(super) fn forget_linksets(&self, archive: &str) {
        lock(&self.0).linksets.remove(archive);
    }
}

impl fmt::Debug for Contents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waiting = lock(&self.0);
        let archives = (waiting.linksets.len(), waiting.findings.len());
        write!(formatter, "Contents {{ archives: {archives:?}, bytes: {} }}", waiting.bytes)
    }
}

/// Writes the rows of one kind in a part of a report.
#[derive(Debug)]
pub(super) struct Rows<T> {
    contents: Contents,
    part: u32,
    /// Archive of the rows that wait.
    archive: String,
    waiting: Vec<u8>,
    of: PhantomData<fn(T)>,
}

impl<T: Row> Rows<T> {
    pub(super) fn new(contents: Contents, part: u32) -> Self {
        Self { contents, part, archive: String::new(), waiting: Vec::new(), of: PhantomData }
    }

    pub(super) fn push(&mut self, archive: &str, row: &T) -> io::Result<()> {
        if self.archive != archive || self.waiting.len() >= TOGETHER {
            self.write()?;
            archive.clone_into(&mut self.archive);
        }
        rmp_serde::encode::write(&mut self.waiting, row).map_err(io::Error::other)
    }

    /// Writes the rows that wait.
    pub(super) fn write(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let mut waiting = lock(&self.contents.0);
        let (start, bytes) = (waiting.bytes, self.waiting.len());
        waiting.file.write_all(&self.waiting)?;
        waiting.bytes += bytes as u64;
        self.waiting.clear();
        let place = Place { part: self.part, start, bytes };
        T::places(&mut waiting).entry(take(&mut self.archive)).or_default().push(place);
        Ok(())
    }
}

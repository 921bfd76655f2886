//! Copies some objects of an archive of regions, with their land and all assets that they use.

use crate::{
    ArchiveWriter, Selection, control::without_other_regions, first::first_member, names, needed::needed,
};
use hullmark_format::member::{self, Kind};
use hullmark_ledger::{
    InputKind, Ledger,
    facts::{AssetFacts, ObjectFacts, RegionFacts},
};
use hullmark_source::{Input, Item, ReadRequest, Visitor, Wants, read};
use std::{
    collections::{BTreeSet, HashSet},
    io,
};
use thiserror::Error;
use uuid::Uuid;

/// Why nothing can be extracted.
#[derive(Debug, Error)]
pub enum ExtractError {
    #[error("{0} is no archive of regions. extract reads an OAR, packed or unpacked")]
    NoRegions(String),
    #[error(
        "No object of {0} matches, so no file was written. `hullmark where NAME {0}` finds objects by name"
    )]
    NothingMatches(String),
    #[error(
        "{0} objects match, and a file of XML has one. Choose one, or name an archive with --out FILE.oar"
    )]
    SeveralObjects(u64),
    #[error("{0} has no archive.xml that can be read, so no grid loads a copy of it")]
    WithoutControl(String),
    #[error("{0} changed while it was read, so no file was written. Run the command again")]
    Changed(String),
    #[error("A signal ended the command, so no file was written")]
    Stopped,
    #[error("The copy cannot be written; make room, or choose another --out")]
    Write(#[source] io::Error),
}

/// Which members of an archive are copied.
#[derive(Debug)]
pub struct Extract<'a> {
    ledger: &'a Ledger,
    pub objects: Vec<&'a ObjectFacts>,
    /// Objects that were chosen, and whose owner lacks the rights.
    pub forbidden: Vec<&'a ObjectFacts>,
    /// The regions of these objects.
    pub regions: Vec<&'a RegionFacts>,
    /// The members of these objects.
    entries: HashSet<&'a str>,
    /// The assets that they use.
    needed: BTreeSet<Uuid>,
    /// Those of them that the archive lacks.
    pub missing: BTreeSet<Uuid>,
}

/// What a copy has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    pub objects: u64,
    pub assets: u64,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Members that were not copied: they are cut, longer than a limit, or their path leads out of the archive.
    pub left_out: Vec<String>,
}

impl<'a> Extract<'a> {
    /// Decides which members are copied.
    ///
    /// # Errors
    /// The input is no archive of regions, or no object matches.
    pub fn new(ledger: &'a Ledger, selection: &Selection) -> Result<Self, ExtractError> {
        if !matches!(ledger.kind, InputKind::Oar | InputKind::OarTree) || ledger.regions.is_empty() {
            return Err(ExtractError::NoRegions(ledger.input.clone()));
        }
        let chosen = selection.of(ledger).into_iter();
        let is_allowed = |object: &&ObjectFacts| selection.rights.is_none_or(|rights| rights.allow(object));
        let (objects, forbidden): (Vec<_>, Vec<_>) = chosen.partition(is_allowed);
        if objects.is_empty() {
            return Err(ExtractError::NothingMatches(ledger.input.clone()));
        }
        let numbers: BTreeSet<u32> = objects.iter().filter_map(|object| object.region).collect();
        let regions = numbers.iter().filter_map(|number| ledger.regions.get(*number as usize));
        let regions: Vec<&RegionFacts> = regions.collect();
        let needed = needed(&[ledger], &objects, &regions, &[]);
        let mut missing = needed.clone();
        ledger.assets.iter().filter_map(AssetFacts::uuid).for_each(|asset| _ = missing.remove(&asset));
        let entries = objects.iter().map(|object| object.entry.as_str()).collect();
        Ok(Self { ledger, objects, forbidden, regions, entries, needed, missing })
    }

    /// Returns the number of assets that are copied.
    pub fn assets(&self) -> u64 {
        let assets = self.ledger.assets.iter().filter_map(AssetFacts::uuid);
        assets.filter(|asset| self.needed.contains(asset)).count() as u64
    }

    /// Writes the copy. `is_stopped` says whether a signal came.
    ///
    /// # Errors
    /// The archive changed since its ledger was made, or the copy cannot be written.
    pub fn write(
        &self,
        input: &Input,
        request: &ReadRequest<'_>,
        mut archive: ArchiveWriter,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Written, ExtractError> {
        let control = self.control(input, request, is_stopped)?;
        archive.add("archive.xml", &control).map_err(ExtractError::Write)?;
        let written = Written::default();
        let mut copy = Copy { extract: self, archive: &mut archive, written, failed: None, is_stopped };
        let reading = read(input, request, &mut copy);
        let Copy { mut written, failed, .. } = copy;
        match failed {
            Some(error) => return Err(ExtractError::Write(error)),
            None if is_stopped() => return Err(ExtractError::Stopped),
            None => {}
        }
        let hash = reading.content_hash.map(|hash| format!("{hash:032x}"));
        if hash != self.ledger.content_hash {
            return Err(ExtractError::Changed(self.ledger.input.clone()));
        }
        written.bytes = archive.finish().map_err(ExtractError::Write)?;
        Ok(written)
    }

    /// Returns the document of the only object. `is_stopped` says whether a signal came.
    ///
    /// # Errors
    /// There are several objects, or the archive changed since its ledger was made.
    pub fn document(
        &self,
        input: &Input,
        request: &ReadRequest<'_>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, ExtractError> {
        if self.entries.len() > 1 {
            return Err(ExtractError::SeveralObjects(self.entries.len() as u64));
        }
        let document = first_member(input, request, is_stopped, &|name| self.entries.contains(name));
        if is_stopped() {
            return Err(ExtractError::Stopped);
        }
        document.map(|member| member.bytes).ok_or_else(|| ExtractError::Changed(self.ledger.input.clone()))
    }

    /// Reads the control file, which must come first, wherever it is in the archive.
    fn control(
        &self,
        input: &Input,
        request: &ReadRequest<'_>,
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Vec<u8>, ExtractError> {
        let found = first_member(input, request, is_stopped, &|name| names::is_control(name, ""));
        if is_stopped() {
            return Err(ExtractError::Stopped);
        }
        let bytes = found.map(|member| member.bytes);
        let bytes = if self.regions.len() == self.ledger.regions.len() {
            bytes
        } else {
            let kept = self.regions.iter().map(|region| region.folder.as_str()).collect();
            bytes.and_then(|bytes| without_other_regions(&bytes, &kept))
        };
        bytes.ok_or_else(|| ExtractError::WithoutControl(self.ledger.input.clone()))
    }

    fn is_copied(&self, name: &str) -> bool {
        let member = member::classify(name);
        match member.kind {
            Kind::ArchiveManifest => false,
            Kind::Object => self.entries.contains(name),
            Kind::Settings | Kind::Parcel | Kind::Terrain => {
                self.regions.iter().any(|region| region.folder == member.region)
            }
            kind if kind.is_asset() => member::uuid_in(name).is_some_and(|uuid| self.needed.contains(&uuid)),
            _ => false,
        }
    }
}

struct Copy<'c, 'a> {
    extract: &'c Extract<'a>,
    archive: &'c mut ArchiveWriter,
    written: Written,
    failed: Option<io::Error>,
    is_stopped: &'c dyn Fn() -> bool,
}

impl Visitor for Copy<'_, '_> {
    fn wants(&mut self, name: &str, _kind: Kind, _bytes: u64) -> Wants {
        if self.extract.is_copied(name) { Wants::Whole } else { Wants::Nothing }
    }

    fn enough(&self) -> bool {
        self.failed.is_some() || (self.is_stopped)()
    }

    fn item(&mut self, Item { name, kind, bytes, size }: Item) {
        // OpenSimulator compares paths exactly.
        let path = names::inside(&name, "");
        if (bytes.len() as u64) < size || !names::is_safe(path) {
            self.written.left_out.push(name);
            return;
        }
        match self.archive.add(path, &bytes) {
            Ok(()) => {
                self.written.objects += u64::from(kind == Kind::Object);
                self.written.assets += u64::from(kind.is_asset());
            }
            Err(error) => self.failed = Some(error),
        }
    }

    fn passed(&mut self, name: &str, _kind: Kind, _bytes: u64) {
        // A wanted member that is only passed is over a limit.
        if self.extract.is_copied(name) {
            self.written.left_out.push(name.to_owned());
        }
    }
}

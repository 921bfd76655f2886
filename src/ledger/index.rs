//! The index of a ledger: shows without the facts that a UUID or a name is not in them.
//!
//! It has a filter of all UUIDs and a list of all names, and follows the header in the file. So a search reads a few
//! percent of a ledger without hits.

use super::{
    Ledger, LedgerError, LedgerHeader,
    file::{first_line, parse, unreadable},
};
use crate::facts::Content;
use hullmark_storage as storage;
use hullmark_util::{
    filter::Filter,
    frames,
    timings::{self, Stage},
};
use memchr::memmem;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeSet, HashSet},
    io::{self, Read},
    path::Path,
};
use uuid::Uuid;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sought {
    Uuid(Uuid),
    /// Things with this name, in lower case.
    Name(String),
}

/// What the header of a ledger says about its index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IndexHeader {
    pub bytes: usize,
    /// xxh3-64 of these bytes.
    pub checksum: u64,
}

impl IndexHeader {
    pub(super) fn of(index: &[u8]) -> Self {
        Self { bytes: index.len(), checksum: xxh3_64(index) }
    }
}

type Uuids = Filter<12>;

/// Bytes before the filter, which have its length.
const LENGTH: usize = size_of::<u64>();

/// Ends a name in the list.
const END: u8 = b'\n';

pub fn of(ledger: &Ledger) -> Vec<u8> {
    let (mut uuids, mut names) = (HashSet::new(), HashSet::new());
    things(ledger, &mut |uuid| uuids.extend([uuid]), &mut |name| names.extend([name]));
    let filter = Uuids::new(uuids.into_iter().map(key));
    let names: BTreeSet<String> = names.into_iter().map(str::to_lowercase).collect();
    let mut list = Vec::new();
    for name in names {
        list.extend(name.as_bytes());
        list.push(END);
    }
    let length = (filter.bytes().len() as u64).to_le_bytes();
    [&length, filter.bytes(), &frames::pack(&list)].concat()
}

/// Whether the facts of a ledger with this index may contain a thing.
pub fn may_hold(index: &[u8], sought: &Sought) -> io::Result<bool> {
    let none = || io::Error::from(io::ErrorKind::InvalidData);
    let (&length, rest) = index.split_first_chunk::<LENGTH>().ok_or_else(none)?;
    let length = usize::try_from(u64::from_le_bytes(length)).map_err(|_| none())?;
    let (filter, names) = rest.split_at_checked(length).ok_or_else(none)?;
    match sought {
        Sought::Uuid(uuid) => {
            let filter = Uuids::from_bytes(filter.to_vec()).ok_or_else(none)?;
            Ok(filter.may_have(key(*uuid)))
        }
        Sought::Name(name) => {
            let mut list = Vec::new();
            frames::read(names).read_to_end(&mut list)?;
            Ok(memmem::find(&list, name.as_bytes()).is_some())
        }
    }
}

fn key(uuid: Uuid) -> u128 {
    xxh3_128(uuid.as_bytes())
}

/// Calls the functions with each UUID and each name that a search of the facts compares.
fn things<'a>(ledger: &'a Ledger, uuid: &mut dyn FnMut(Uuid), name: &mut dyn FnMut(&'a str)) {
    for asset in &ledger.assets {
        asset.uuid().map(&mut *uuid);
        if let Content::Text(text) = &asset.content {
            text.references.iter().chain(&text.mentions).copied().for_each(&mut *uuid);
        }
    }
    ledger.meshes.iter().filter_map(|mesh| mesh.uuid).for_each(&mut *uuid);
    for region in &ledger.regions {
        name(&region.name);
        region.uuid.map(&mut *uuid);
        if let Some(settings) = &region.settings {
            settings.references.iter().for_each(|reference| uuid(reference.asset));
            settings.telehub.map(&mut *uuid);
        }
        for parcel in region.parcels.iter().map(|facts| &facts.parcel) {
            name(&parcel.name);
            parcel.uuid.map(&mut *uuid);
            parcel.references.iter().for_each(|reference| uuid(reference.asset));
        }
    }
    for part in ledger.objects.iter().flat_map(|object| &object.linkset.parts) {
        name(&part.name);
        uuid(part.uuid);
        part.shape.sculpt.iter().for_each(|sculpt| uuid(sculpt.asset));
        part.references.iter().for_each(|reference| uuid(reference.asset));
        for item in &part.inventory {
            name(&item.name);
            uuid(item.uuid);
            uuid(item.asset);
        }
    }
    for item in ledger.items.iter().map(|facts| &facts.item) {
        name(&item.name);
        uuid(item.uuid);
        uuid(item.asset);
    }
}

impl Ledger {
    /// Reads the header of a ledger from a file, and the facts if the thing may be in them.
    pub fn read_if_it_holds(
        path: &Path,
        sought: &Sought,
    ) -> Result<(LedgerHeader, Option<Self>), LedgerError> {
        let (header, index) = timings::within(Stage::Ledger, || read(path))?;
        let is_intact = IndexHeader::of(&index) == header.index;
        let may_hold = Some(index).filter(|_| is_intact).and_then(|index| may_hold(&index, sought).ok());
        let Some(may_hold) = may_hold else {
            return Err(LedgerError::Damaged { path: path.into(), why: "its index is damaged".into() });
        };
        let ledger = may_hold.then(|| Self::read(path)).transpose()?;
        Ok((header, ledger))
    }
}

fn read(path: &Path) -> Result<(LedgerHeader, Vec<u8>), LedgerError> {
    let line = first_line(path).map_err(unreadable(path))?;
    let header = parse(path, &line)?;
    let end = line.len().saturating_add(header.index.bytes);
    let mut index = storage::start(path, end).map_err(unreadable(path))?;
    timings::pass(Stage::Ledger, index.len());
    index.drain(..line.len().min(index.len()));
    Ok((header, index))
}

//! Letters to owners after a move: which of their objects did not arrive, or not whole.

use super::{
    Kind, LetterOptions, Listed,
    content::{Found, Frame, Letter, Moved},
    template::Form,
    words::{Cure, Key, Words},
    writer::{INDEX, is_letter, write_letter},
};
use hullmark_finding::Severity;
use hullmark_format::region::Parcel;
use hullmark_ledger::facts::Role;
use hullmark_report::{
    csv::defuse,
    output::{Output, OutputError},
};
use hullmark_settings::{letters::Language, users::Users};
use hullmark_verify::{Arrival, Change, LandArrival, Status, Stored, Thing, Verification};
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::Path,
};
use uuid::Uuid;

/// Maximum number of missing items and parts that are named.
const NAMES: usize = 3;

/// The objects of an owner before the move.
#[derive(Default)]
struct OfOwner {
    objects: u64,
    arrived: u64,
    lost: Vec<Listed>,
    incomplete: Vec<Listed>,
    /// Parcels and inventory items that did not arrive.
    land: Vec<Listed>,
    items: Vec<Listed>,
}

impl OfOwner {
    fn lists_nothing(&self) -> bool {
        [&self.lost, &self.incomplete, &self.land, &self.items].into_iter().all(Vec::is_empty)
    }
}

/// Writes a letter to each owner of something that did not arrive whole, and a list of them.
///
/// # Errors
/// A file cannot be written.
pub fn write_arrivals(
    folder: &Path,
    users: Option<&Users>,
    options: &LetterOptions,
    target: &str,
    verification: &Verification<'_>,
) -> Result<(), OutputError> {
    let mut output = Output::new(folder)?;
    output.without_halves(is_letter);
    let frame = Frame {
        grid: &options.grid,
        letters: &options.letters,
        target,
        now: None,
        complete: verification.gaps.is_empty(),
        counts_prims: false,
    };
    let failed = |source: io::Error| OutputError { path: folder.into(), source };
    let mut index = csv::Writer::from_writer(output.open(INDEX)?);
    let head = "owner_uuid name text html objects lost incomplete parcels items language";
    index.write_record(head.split(' ')).map_err(|error| failed(error.into()))?;
    let mut dictionaries: BTreeMap<Language, Words> = BTreeMap::new();
    for (uuid, owner) in owners(verification) {
        if owner.lists_nothing() {
            continue;
        }
        let name = users.and_then(|users| users.name(uuid));
        let language = users.and_then(|users| users.language(uuid)).unwrap_or(options.letters.language);
        let words = dictionaries.entry(language).or_insert_with(|| Words::new(language));
        let lists = [&owner.lost, &owner.incomplete, &owner.land, &owner.items];
        let numbers: Vec<u64> =
            [owner.objects].into_iter().chain(lists.map(|listed| listed.len() as u64)).collect();
        let moved = Moved {
            objects: owner.objects,
            arrived: owner.arrived,
            problems: [
                (Cure::MovedLost, Key::MovedLost, found(Severity::Error, owner.lost)),
                (Cure::MovedIncomplete, Key::MovedIncomplete, found(Severity::Warning, owner.incomplete)),
                (Cure::MovedLand, Key::MovedLand, found(Severity::Error, owner.land)),
                (Cure::MovedItems, Key::MovedItems, found(Severity::Error, owner.items)),
            ]
            .into_iter()
            .filter(|(_, _, found)| found.objects > 0)
            .collect(),
        };
        let letter = Letter::after_a_move(&frame, language, words, name, moved);
        let files = Form::ALL.map(|form| format!("{uuid}.{}", form.name()));
        write_letter(&mut output, &options.templates, &letter, &files).map_err(failed)?;
        let record = [uuid.to_string(), defuse(name.unwrap_or_default()).into_owned()].into_iter();
        let record = record.chain(files).chain(numbers.iter().map(u64::to_string));
        let record = record.chain([language.name().to_owned()]);
        index.write_record(record).map_err(|error| failed(error.into()))?;
    }
    index.flush().map_err(failed)?;
    drop(index);
    output.publish()
}

fn owners(verification: &Verification<'_>) -> BTreeMap<Uuid, OfOwner> {
    let mut owners: BTreeMap<Uuid, OfOwner> = BTreeMap::new();
    for arrival in &verification.objects {
        let Some(root) = arrival.before.as_ref().and_then(Thing::root) else { continue };
        if root.owner.is_nil() {
            continue;
        }
        let owner = owners.entry(root.owner).or_default();
        owner.objects += 1;
        owner.arrived += u64::from(matches!(arrival.status, Status::Arrived | Status::Changed));
        match arrival.status {
            Status::Lost => owner.lost.extend(listed(arrival)),
            Status::Changed if arrival.has_loss() => owner.incomplete.extend(listed(arrival)),
            _ => {}
        }
    }
    for land in &verification.lands {
        for parcel in land.parcels.iter().filter(|parcel| parcel.status == Status::Lost) {
            let Some(parcel) = parcel.before.filter(|parcel| !parcel.owner.is_nil()) else { continue };
            owners.entry(parcel.owner).or_default().land.extend(listed_parcel(land, parcel));
        }
    }
    for item in verification.items.iter().filter(|item| item.status == Status::Lost) {
        let Some(stored) = &item.before else { continue };
        if let Some(owner) = stored.facts.item.owner.filter(|owner| !owner.is_nil()) {
            owners.entry(owner).or_default().items.push(listed_item(stored));
        }
    }
    owners
}

fn listed_parcel(land: &LandArrival<'_>, parcel: &Parcel) -> Option<Listed> {
    let region = land.before?;
    Some(Listed {
        kind: Kind::Parcel,
        archive: region.ledger.input.clone(),
        name: parcel.name.clone(),
        region: region.facts.name.clone(),
        ..Listed::default()
    })
}

/// Lists an inventory item with its folders.
fn listed_item(stored: &Stored<'_>) -> Listed {
    Listed {
        kind: Kind::Object,
        archive: stored.ledger.input.clone(),
        name: stored.facts.item.name.clone(),
        role: Role::Nested.name().into(),
        item: stored.folder.join("/"),
        ..Listed::default()
    }
}

fn found(worst: Severity, listed: Vec<Listed>) -> Found {
    Found { problem: 0, worst, objects: listed.len() as u64, listed }
}

/// Lists an object at its place before the move.
fn listed(arrival: &Arrival<'_>) -> Option<Listed> {
    let thing = arrival.before.as_ref()?;
    let root = thing.root()?;
    let rezzed = arrival.is_placed && thing.object.role == Role::Rezzed && root.group_position.is_finite();
    let lost = arrival.changes.iter().filter(|(change, _)| change.is_loss());
    let names: BTreeSet<&str> = lost
        .clone()
        .filter(|(change, _)| **change != Change::ScriptState)
        .map(|(_, detail)| detail.first.trim_matches('"'))
        .collect();
    Some(Listed {
        kind: Kind::Object,
        archive: thing.ledger.input.clone(),
        name: root.name.clone(),
        region: thing.region().map(|region| region.name.clone()).unwrap_or_default(),
        role: thing.object.role.name().into(),
        position_m: rezzed.then(|| root.group_position.to_array()),
        names: names.into_iter().filter(|name| !name.is_empty()).take(NAMES).collect::<Vec<_>>().join(", "),
        measured: Some(lost.map(|(_, detail)| detail.count as f64).sum()).filter(|count| *count > 0.0),
        ..Listed::default()
    })
}

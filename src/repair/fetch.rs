//! Copies assets that an archive lacks from other exports and stores.

use crate::{
    copy::Copy,
    mend::{self, Change, Mended},
    names::{self, Suffixes},
    needed::{all_needed, of_object},
    repair::Choices,
};
use hullmark_finding::Code;
use hullmark_format::member::{self, Kind};
use hullmark_ledger::{Ledger, facts::AssetFacts};
use hullmark_source::{Item, ReadRequest, Visitor, Wants, content::decode_document, reread};
use std::{collections::BTreeSet, io};
use uuid::Uuid;

/// Most readings of the sources: objects in objects need further ones, and are rarely that deep.
const READINGS: usize = 16;

/// Copies the assets that an archive uses and lacks, at any depth, from the first source that has them.
pub(crate) fn missing_assets(
    copy: &mut Copy<'_>,
    ledger: &Ledger,
    choices: &Choices<'_>,
    request: &ReadRequest<'_>,
) -> io::Result<()> {
    let sources = choices.sources;
    if sources.is_empty() {
        return Ok(());
    }
    let all: Vec<&Ledger> = [ledger].into_iter().chain(sources.iter().map(|(_, source)| source)).collect();
    let whole = ledger.assets.iter().filter_map(AssetFacts::uuid);
    let known: BTreeSet<Uuid> = whole.filter(|asset| !choices.broken.contains(asset)).collect();
    let missing = all_needed(ledger, &all).difference(&known).copied().collect();
    let mut fetch = Fetch { copy, known, missing, suffixes: names::suffixes(ledger), from: "", failed: None };
    for _ in 0..READINGS {
        let before = fetch.known.len();
        for (input, source) in sources {
            fetch.from = &source.input;
            reread(input, request, &mut fetch);
        }
        if fetch.known.len() == before || fetch.enough() {
            break;
        }
    }
    fetch.failed.map_or(Ok(()), Err)
}

struct Fetch<'f, 'c> {
    copy: &'f mut Copy<'c>,
    /// The assets that the copy has.
    known: BTreeSet<Uuid>,
    missing: BTreeSet<Uuid>,
    suffixes: Suffixes,
    /// The name of the source.
    from: &'f str,
    failed: Option<io::Error>,
}

impl Fetch<'_, '_> {
    fn asset(&mut self, Item { name, bytes, .. }: Item) -> io::Result<()> {
        let file = name.rsplit('/').next().unwrap_or(&name);
        let Some(uuid) = member::uuid_in(file) else { return Ok(()) };
        let Some(suffix) =
            member::suffix(file).or_else(|| names::suffix_of(file, uuid, &bytes, &self.suffixes))
        else {
            return Ok(());
        };
        if !self.missing.remove(&uuid) || !self.known.insert(uuid) {
            return Ok(());
        }
        let path = format!("assets/{uuid}{suffix}");
        let is_object = suffix == "_object.xml";
        if is_object {
            let objects = decode_document(&bytes, self.copy.limits()).objects;
            let used = objects.iter().flat_map(of_object).filter(|asset| !asset.is_nil());
            self.missing.extend(used.filter(|asset| !self.known.contains(asset)));
        }
        let mended = if is_object { mend::object(&bytes, true, self.copy.limits()) } else { Mended::Sound };
        let why = format!("objects use it, and the archive lacks it; it is copied from {}", self.from);
        self.copy.say(&path, Change::new(Code::AST001, "", why).replacing("", &path))?;
        match mended {
            Mended::Changed { bytes, changes } => {
                changes.into_iter().try_for_each(|change| self.copy.say(&path, change))?;
                self.copy.write(&path, &bytes)
            }
            Mended::Sound | Mended::Hopeless(_) => self.copy.write(&path, &bytes),
        }
    }
}

impl Visitor for Fetch<'_, '_> {
    fn wants(&mut self, name: &str, _kind: Kind, _bytes: u64) -> Wants {
        let is_missing = member::uuid_in(name).is_some_and(|uuid| self.missing.contains(&uuid));
        let kind = member::classify(name).kind;
        let is_asset = kind.is_asset() || kind == Kind::Other;
        if is_missing && is_asset { Wants::Whole } else { Wants::Nothing }
    }

    fn enough(&self) -> bool {
        self.failed.is_some() || self.missing.is_empty() || self.copy.is_stopped()
    }

    fn item(&mut self, item: Item) {
        // A cut asset is left to the next source.
        if item.bytes.len() as u64 >= item.size
            && let Err(error) = self.asset(item)
        {
            self.failed = Some(error);
        }
    }
}

//! Filters what a report shows, by owner, region or severity.
//!
//! Things are left out, never changed. A mesh stays with an object that uses it, and a finding with its object, mesh,
//! parcel or region. Inputs and their rule outcomes stay. Findings about an input itself stay if something of its regions
//! stays, or if it was not read to its end. For an owner they stay if they are about an asset of that owner's objects.

use super::{
    counts::SeverityCounts,
    reported::Reported,
    tables::{archives, assets, findings},
};
use hullmark_finding::Severity;
use hullmark_format::object::Part;
use hullmark_ledger::{
    LedgerHeader,
    facts::{RegionFacts, Status},
    summary,
};
use hullmark_rules::RuleCount;
use hullmark_settings::{config::did_you_mean, simulator::regions::RegionFile, users::Users};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ptr,
};
use uuid::Uuid;

/// Which rows a report has. An empty list filters nothing.
#[derive(Debug, Clone, Default)]
pub struct RowFilter {
    /// Owners: UUIDs, or names from the list of users.
    pub owners: Vec<String>,
    /// Regions: names or UUIDs.
    pub regions: Vec<String>,
    /// The lowest severity.
    pub min_severity: Option<Severity>,
}

impl RowFilter {
    /// Whether it filters nothing.
    pub fn is_empty(&self) -> bool {
        self.owners.is_empty() && self.regions.is_empty() && self.min_severity.is_none()
    }
}

/// Why a filter was refused: no input has this region.
#[derive(Debug, thiserror::Error)]
#[error("No input has a region \"{name}\".{near} Name a region by its name or UUID, as in regions.csv")]
pub struct UnknownRegion {
    name: String,
    /// The nearest names, as a question.
    near: String,
}

impl RowFilter {
    /// Checks that inputs with these headers have the given regions. Files of regions name those of databases. An input
    /// that was not read to its end, or that has too many regions for its header, may have any.
    ///
    /// # Errors
    /// A region is in none of them.
    pub fn ensure_regions(&self, inputs: &[LedgerHeader], files: &[RegionFile]) -> Result<(), UnknownRegion> {
        let is_whole = |input: &LedgerHeader| {
            input.brief.status == Status::Complete && input.brief.regions.len() < summary::REGIONS
        };
        if !inputs.iter().all(is_whole) {
            return Ok(());
        }
        let regions = || inputs.iter().flat_map(|input| &input.brief.regions);
        let of_files = || files.iter().map(|file| (file.name.as_str(), file.uuid));
        let all = || regions().map(|region| (region.name.as_str(), region.uuid)).chain(of_files());
        for given in &self.regions {
            let (lower, uuid) = wanted(given);
            let is_it = |(name, its): (&str, Option<Uuid>)| {
                name.to_lowercase() == lower || uuid.is_some() && its == uuid
            };
            if !all().any(is_it) {
                let near = did_you_mean(given, all().map(|(name, _)| name));
                return Err(UnknownRegion { name: given.clone(), near });
            }
        }
        Ok(())
    }
}

/// Returns the name of a given region in lower case, and its UUID.
fn wanted(given: &str) -> (String, Option<Uuid>) {
    (given.to_lowercase(), Uuid::try_parse(given).ok().filter(|uuid| !uuid.is_nil()))
}

/// The filter of a report, as in `audit.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AppliedFilter {
    /// Owners as given.
    pub owners: Vec<String>,
    /// Regions as given.
    pub regions: Vec<String>,
    /// The lowest severity.
    pub min_severity: Option<Severity>,
    /// Owners and regions without any row.
    pub without_match: Vec<String>,
    /// Findings that the filter left out.
    pub left_out: SeverityCounts,
}

/// A filter whose names of owners are known.
#[derive(Default)]
pub struct Selection {
    filter: RowFilter,
    /// For each given owner, the UUIDs that it may mean.
    owners: Vec<HashSet<Uuid>>,
    /// For each given region, its name in lower case, and the UUID that it may be.
    regions: Vec<(String, Option<Uuid>)>,
}

/// What a filter has met so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Met {
    /// Given names that have occurred, by their numbers: owners, then regions.
    found: BTreeSet<usize>,
    left_out: SeverityCounts,
}

/// What a report shows of one input.
#[derive(Debug, Default)]
pub struct Shown {
    /// `None` if everything is shown.
    chosen: Option<Chosen>,
    found: BTreeSet<usize>,
    left_out: SeverityCounts,
}

/// Whether each thing is shown, in the order of the input.
#[derive(Debug, Default)]
struct Chosen {
    regions: Vec<bool>,
    parcels: Vec<Vec<bool>>,
    actions: Vec<bool>,
    missing: Vec<bool>,
    objects: Vec<bool>,
    meshes: Vec<bool>,
    findings: Vec<bool>,
    checks: Vec<bool>,
    /// Entries and roots of the objects that stay.
    roots: HashSet<(String, Uuid)>,
}

impl Shown {
    /// Whether everything is shown.
    pub fn is_all(&self) -> bool {
        self.chosen.is_none()
    }

    fn is_shown(&self, shown: impl FnOnce(&Chosen) -> Option<bool>) -> bool {
        self.chosen.as_ref().is_none_or(|chosen| shown(chosen).unwrap_or(false))
    }

    /// Whether the region with this number is shown.
    pub fn region(&self, number: usize) -> bool {
        self.is_shown(|chosen| chosen.regions.get(number).copied())
    }

    /// Whether this parcel of this region is shown.
    pub fn parcel(&self, region: usize, number: usize) -> bool {
        self.is_shown(|chosen| chosen.parcels.get(region)?.get(number).copied())
    }

    /// Whether the action with this number is shown.
    pub fn action(&self, number: usize) -> bool {
        self.is_shown(|chosen| chosen.actions.get(number).copied())
    }

    /// Whether the missing asset with this number is shown.
    pub fn missing(&self, number: usize) -> bool {
        self.is_shown(|chosen| chosen.missing.get(number).copied())
    }

    /// Whether an asset is shown: that of a shown object.
    pub fn asset(&self, row: &assets::Row<'_>) -> bool {
        self.is_shown(|chosen| {
            let root = row.by?.root()?;
            Some(chosen.roots.contains(&(row.by?.object()?.entry.clone(), root.uuid)))
        })
    }

    /// Whether the object with this number is shown.
    pub fn object(&self, number: usize) -> bool {
        self.is_shown(|chosen| chosen.objects.get(number).copied())
    }

    /// Whether the mesh with this number is shown.
    pub fn mesh(&self, number: usize) -> bool {
        self.is_shown(|chosen| chosen.meshes.get(number).copied())
    }

    /// Whether the finding with this number is shown.
    pub fn finding(&self, number: usize) -> bool {
        self.is_shown(|chosen| chosen.findings.get(number).copied())
    }

    /// Whether the rule outcome with this number is shown.
    pub fn check(&self, number: usize) -> bool {
        self.is_shown(|chosen| chosen.checks.get(number).copied())
    }
}

impl Selection {
    /// Creates a selection. Names of owners are looked up in the users of the target.
    pub fn new(filter: RowFilter, users: Option<&Users>) -> Self {
        let owner = |given: &String| {
            let named = users.into_iter().flat_map(|users| users.named(given));
            named.chain(Uuid::try_parse(given).ok()).filter(|uuid| !uuid.is_nil()).collect()
        };
        Self {
            owners: filter.owners.iter().map(owner).collect(),
            regions: filter.regions.iter().map(|given| wanted(given)).collect(),
            filter,
        }
    }

    /// Whether it selects everything.
    pub fn is_empty(&self) -> bool {
        self.filter.is_empty()
    }

    /// Selects the shown things of an input. All are shown so far.
    pub fn of(&self, input: &Reported<'_>) -> Shown {
        match self.filter.is_empty() {
            true => Shown::default(),
            false => Choice::new(self).of(input),
        }
    }

    /// Returns the filter of the report. `None` without a filter.
    pub fn applied(&self, met: &Met) -> Option<AppliedFilter> {
        if self.filter.is_empty() {
            return None;
        }
        let RowFilter { owners, regions, min_severity } = self.filter.clone();
        let given = owners.iter().chain(&regions).enumerate();
        let unmet = given.filter(|(number, _)| !met.found.contains(number));
        let without_match = unmet.map(|(_, given)| given.clone()).collect();
        Some(AppliedFilter { owners, regions, min_severity, without_match, left_out: met.left_out })
    }
}

impl Met {
    /// Returns the record of one input.
    pub fn of(shown: &Shown) -> Self {
        Self { found: shown.found.clone(), left_out: shown.left_out }
    }

    /// Adds the record of other inputs.
    pub fn join(&mut self, next: Self) {
        self.left_out.add_all(&next.left_out);
        self.found.extend(next.found);
    }
}

/// The selection of one input.
struct Choice<'s, 'a> {
    selection: &'s Selection,
    found: BTreeSet<usize>,
    /// Regions that were given.
    regions: HashSet<*const RegionFacts>,
    /// Regions about which findings stay: those that were given, or of an owner those with something that stays.
    lands: HashSet<*const RegionFacts>,
    /// Entries of objects, meshes and parcels that stay.
    entries: HashSet<&'a str>,
    /// Objects that stay, by entry and root.
    objects: HashSet<(&'a str, Uuid)>,
    /// Whether findings about the input itself stay.
    itself: bool,
    /// Whether the input was not read to its end.
    unread: bool,
}

impl<'s, 'a> Choice<'s, 'a> {
    fn new(selection: &'s Selection) -> Self {
        Self {
            selection,
            found: BTreeSet::new(),
            regions: HashSet::new(),
            lands: HashSet::new(),
            entries: HashSet::new(),
            objects: HashSet::new(),
            itself: false,
            unread: false,
        }
    }

    fn of(mut self, input: &Reported<'a>) -> Shown {
        self.unread = input.row.as_ref().is_some_and(|row| archives::status(row) != Status::Complete);
        self.itself = self.unread;
        // The order matters: each stays with those before it.
        let regions = input.regions().map(|(_, facts, _)| self.region(facts)).collect();
        let parcels = self.parcels(input);
        let actions = input
            .actions()
            .map(|action| self.is_owner(action.root().map(|root| root.owner)) && self.is_in(action.region));
        let actions = actions.collect();
        let missing = input.missing.iter().map(|missing| {
            self.is_owner(missing.by.root().map(|root| root.owner))
                && self.is_in(missing.by.region(input.measured))
        });
        let missing = missing.collect();
        let mut meshes_in_use = HashSet::new();
        let objects = input.all_objects().map(|row| {
            let region =
                row.object.region.and_then(|number| input.measured.ledger.regions.get(number as usize));
            let root = row.object.linkset.parts.first();
            let stays = self.is_owner(root.map(|root| root.owner)) && self.is_in(region);
            if stays {
                let meshes = row.object.linkset.parts.iter().filter_map(Part::mesh);
                meshes_in_use.extend(meshes.filter(|mesh| !mesh.is_nil()));
                self.objects.extend(root.map(|root| (row.object.entry.as_str(), root.uuid)));
                self.keep(&row.object.entry, region);
            }
            stays && self.is_bad_enough(row.about.severity())
        });
        let objects = objects.collect();
        let meshes = input.all_meshes().map(|row| {
            let stays =
                !self.is_by_place() || row.mesh.uuid.is_some_and(|uuid| meshes_in_use.contains(&uuid));
            if stays {
                self.entries.insert(&row.mesh.entry);
            }
            stays && self.is_bad_enough(row.about.severity())
        });
        let meshes = meshes.collect();
        let mut left_out = SeverityCounts::default();
        let folders: HashMap<&str, &RegionFacts> =
            input.regions().map(|(_, facts, _)| (facts.folder.as_str(), facts)).collect();
        let findings = input.all_findings().map(|row| {
            let reported = row.reported;
            let is_shown = self.concerns(&row, &folders) && self.is_bad_enough(Some(reported.severity));
            if !is_shown && reported.waived().is_none() {
                left_out.add(reported.severity, reported.count);
            }
            is_shown
        });
        let findings = findings.collect();
        let severity = |check: &RuleCount| input.measured.profile.severity(check.code);
        let checks = input.checks().map(|check| self.is_bad_enough(Some(severity(check)))).collect();
        let roots = self.objects.iter().map(|(entry, root)| ((*entry).to_owned(), *root)).collect();
        let chosen = Chosen { regions, parcels, actions, missing, objects, meshes, findings, checks, roots };
        Shown { chosen: Some(chosen), found: self.found, left_out }
    }

    fn region(&mut self, facts: &RegionFacts) -> bool {
        let Selection { owners, regions: given, .. } = self.selection;
        if given.is_empty() {
            return true;
        }
        let named = facts.name.to_lowercase();
        let is_it = |(name, uuid): &(String, Option<Uuid>)| {
            !named.is_empty() && *name == named || uuid.is_some() && *uuid == facts.uuid
        };
        let matches = given.iter().enumerate().filter(|(_, region)| is_it(region));
        let matches: Vec<usize> = matches.map(|(number, _)| owners.len() + number).collect();
        let is_wanted = !matches.is_empty();
        self.found.extend(matches);
        if is_wanted {
            self.regions.insert(facts);
            if owners.is_empty() {
                self.lands.insert(facts);
                self.itself = true;
            }
        }
        is_wanted
    }

    fn parcels(&mut self, input: &Reported<'a>) -> Vec<Vec<bool>> {
        let mut parcels = vec![Vec::new(); input.measured.ledger.regions.len()];
        for ((number, region, _), facts, _) in input.parcels() {
            let stays = self.is_owner(Some(facts.parcel.owner)) && self.is_in(Some(region));
            if stays && self.is_by_place() {
                self.keep(&facts.entry, Some(region));
            }
            parcels[number].push(stays);
        }
        parcels
    }

    fn is_by_place(&self) -> bool {
        !(self.selection.owners.is_empty() && self.selection.filter.regions.is_empty())
    }

    /// Whether somebody is an owner that was given. Looks at all, to record which occur.
    fn is_owner(&mut self, owner: Option<Uuid>) -> bool {
        let mut is_one = self.selection.owners.is_empty();
        for (number, uuids) in self.selection.owners.iter().enumerate() {
            if owner.is_some_and(|owner| uuids.contains(&owner)) {
                self.found.insert(number);
                is_one = true;
            }
        }
        is_one
    }

    /// Whether a region was given.
    fn is_in(&self, region: Option<&RegionFacts>) -> bool {
        let is_given = |region| self.regions.contains(&ptr::from_ref(region));
        self.selection.filter.regions.is_empty() || region.is_some_and(is_given)
    }

    fn is_bad_enough(&self, severity: Option<Severity>) -> bool {
        self.selection.filter.min_severity.is_none_or(|least| severity >= Some(least))
    }

    /// Records that something of this entry and region stays.
    fn keep(&mut self, entry: &'a str, region: Option<&RegionFacts>) {
        self.entries.insert(entry);
        self.lands.extend(region.map(ptr::from_ref));
        self.itself = true;
    }

    /// Whether the subject of a finding stays.
    fn concerns(&mut self, row: &findings::Row<'_>, folders: &HashMap<&str, &RegionFacts>) -> bool {
        if !self.is_by_place() {
            return true;
        }
        // Of an inventory only its owner is known.
        if self.selection.filter.regions.is_empty() && self.is_owner(row.item_owner()) {
            return true;
        }
        let place = &row.reported.finding.place;
        match (place.object.filter(|object| !object.is_nil()), folders.get(place.entry.as_str())) {
            (Some(object), _) => self.objects.contains(&(place.entry.as_str(), object)),
            (None, _) if place.entry.is_empty() => {
                let itself = self.itself;
                match self.selection.owners.is_empty() {
                    true => itself,
                    false => self.unread || itself && self.is_owner(row.user().map(|user| user.owner)),
                }
            }
            (None, Some(region)) => self.lands.contains(&ptr::from_ref(*region)),
            (None, None) => self.entries.contains(place.entry.as_str()),
        }
    }
}

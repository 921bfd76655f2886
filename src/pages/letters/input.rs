//! What letters need of one input: for each owner the sums, the actions that help most, and the things with problems.

use super::{
    Kind, LOWEST, Listed, Owned, Totals,
    actions::{self, TopAction},
    problems::{PROBLEMS, is_about_widths, matters, problem_of},
    words::Key,
};
use hullmark_analysis::{
    ParcelMeasures, asset_uses,
    cost::{Basis, Cost},
};
use hullmark_finding::{Code, Severity};
use hullmark_format::object::Part;
use hullmark_ledger::facts::{ObjectFacts, ParcelFacts, Role};
use hullmark_report::{
    counts::SeverityCounts,
    first_user, page,
    reported::{Region, Reported},
    tables::{findings, objects},
};
use hullmark_rules::catalogue;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};
use uuid::Uuid;

/// Maximum number of missing items that are named.
const NAMES: usize = 3;

/// The owners of an input.
#[derive(Default)]
pub(super) struct Owners(pub(super) BTreeMap<Uuid, Owner>);

/// An owner in an input.
#[derive(Default)]
pub(super) struct Owner {
    pub(super) totals: Totals,
    pub(super) actions: Vec<TopAction>,
    /// The things with problems, one for each problem.
    pub(super) things: Vec<Troubled>,
}

/// A thing with one of its problems.
pub(super) struct Troubled {
    pub(super) problem: usize,
    pub(super) severity: Severity,
    /// Thousandths of land impact.
    pub(super) weight: u64,
    pub(super) thing: Listed,
}

impl page::Part for Owners {
    fn bytes(&self) -> usize {
        let texts =
            |thing: &Listed| thing.name.len() + thing.archive.len() + thing.region.len() + thing.item.len();
        let of_owner = |owner: &Owner| {
            let things = owner.things.iter().map(|troubled| size_of::<Troubled>() + texts(&troubled.thing));
            size_of::<Owner>() + things.sum::<usize>()
        };
        self.0.values().map(of_owner).sum()
    }
}

impl Owners {
    /// Collects the owners of an input. With `some_owners`, things of others are left out of the report.
    pub(super) fn of(input: &Reported<'_>, some_owners: bool) -> Self {
        let mut owners = Self::default();
        let mut things = Things::default();
        input.regions().for_each(|region| things.add_region(input, region));
        for (region, facts, sums) in input.parcels() {
            if let Some((owner, load)) = things.add_parcel(input, region, facts, sums) {
                owners.of_uuid(owner).totals.add_land(load);
            }
        }
        for row in input.all_objects() {
            if let Some((owner, thing)) = things.add_object(input, &row) {
                owners.of_uuid(owner).totals.add(&things.all[thing]);
            }
        }
        for listed in input.actions() {
            if let Some(owner) = listed.root().map(|root| root.owner).filter(|owner| !owner.is_nil()) {
                let top = TopAction::new(listed, &input.measured.ledger.input);
                actions::add(&mut owners.of_uuid(owner).actions, top);
            }
        }
        things.note_lowered(input);
        for row in input.all_findings() {
            let matters = matters(row.reported.finding, input.measured.profile);
            if matters && row.reported.severity >= LOWEST && row.reported.waived().is_none() {
                things.add_finding(input, &row);
            }
        }
        things.end(some_owners, &mut owners);
        owners
    }

    fn of_uuid(&mut self, uuid: Uuid) -> &mut Owner {
        self.0.entry(uuid).or_default()
    }
}

/// The things of an input that findings may be about.
#[derive(Default)]
struct Things<'a> {
    all: Vec<Thing>,
    lands: Vec<Land<'a>>,
    problems: Vec<Problem>,
    /// Things by entry and root prim; parcels and inventories have no root.
    by_place: HashMap<(&'a str, Option<Uuid>), usize>,
    meshes: HashMap<Uuid, Mesh>,
    /// Objects whose land impact another physics shape lowers.
    lowered: HashSet<usize>,
}

/// A thing with its owner and problems.
pub(super) struct Thing {
    /// `None` for a region until its parcels are known.
    owner: Option<Uuid>,
    listed: Listed,
    prims: u64,
    land_impact: Option<f64>,
    /// Whether the land impact is a lower bound.
    at_least: bool,
    problems: Problems,
}

/// A region.
struct Land<'a> {
    number: usize,
    folder: &'a str,
    thing: usize,
    area_m2: f64,
    /// Areas of the parcels of each owner.
    owned_m2: BTreeMap<Uuid, f64>,
}

/// A finding about a thing or mesh.
#[derive(Clone, Copy)]
struct Problem {
    severity: Severity,
    problem: usize,
    is_about_widths: bool,
    measured: Option<f64>,
    limit: Option<f64>,
}

/// Returns the key of an object: its entry, and its root prim if that has a UUID.
fn place_of(object: &ObjectFacts) -> Option<(&str, Option<Uuid>)> {
    let root = object.linkset.parts.first()?.uuid;
    Some((&object.entry, Some(root).filter(|root| !root.is_nil())))
}

/// A mesh. Its findings are about all things that use it.
#[derive(Default)]
struct Mesh {
    users: Vec<usize>,
    problems: Problems,
}

/// Findings about one thing or mesh, cut to one of each problem: a mesh with thousands of findings may have thousands of
/// users.
#[derive(Default)]
struct Problems {
    /// Indexes of the worst finding of each problem; of equal ones, the first.
    worst: Vec<usize>,
    totals: SeverityCounts,
}

/// Returns the land impact on the target of owners. Without a chosen one it is OpenSimulator, which counts prims.
fn land_impact(input: &Reported<'_>, prims: u64, land_impact: Cost) -> Cost {
    let counts_prims = !input.measured.profile.land.holds_land_impact();
    if counts_prims { Cost::spec(prims as f64) } else { land_impact }
}

impl<'a> Things<'a> {
    fn add_region(&mut self, input: &Reported<'a>, (number, facts, sums): Region<'a>) {
        self.lands.push(Land {
            number,
            folder: &facts.folder,
            thing: self.all.len(),
            area_m2: facts.size.map(f64::from).iter().product(),
            owned_m2: BTreeMap::new(),
        });
        let listed = Listed {
            kind: Kind::Region,
            region: facts.name.clone(),
            name: facts.name.clone(),
            archive: input.measured.ledger.input.clone(),
            ..Listed::default()
        };
        let impact = land_impact(input, sums.total.parts, sums.total.land_impact);
        self.all.push(Thing::new(None, listed, sums.total.parts, impact));
    }

    /// Adds a parcel, which follows its region. Returns its owner, load and capacity.
    fn add_parcel(
        &mut self,
        input: &Reported<'a>,
        (number, region, _): Region<'a>,
        facts: &'a ParcelFacts,
        sums: &ParcelMeasures,
    ) -> Option<(Uuid, Owned)> {
        let owner = Some(facts.parcel.owner).filter(|owner| !owner.is_nil())?;
        if let Some(land) = self.lands.iter_mut().rev().find(|land| land.number == number) {
            *land.owned_m2.entry(owner).or_default() += finite(sums.area).unwrap_or(0.0);
        }
        let listed = Listed {
            kind: Kind::Parcel,
            archive: input.measured.ledger.input.clone(),
            name: facts.parcel.name.clone(),
            region: region.name.clone(),
            ..Listed::default()
        };
        let impact = land_impact(input, sums.total.parts, sums.total.land_impact);
        let thing = Thing::new(Some(owner), listed, sums.total.parts, impact);
        let load = Owned {
            land_impact: thing.land_impact.unwrap_or(0.0),
            prims: thing.prims as f64,
            capacity: finite(sums.capacity).unwrap_or(f64::NAN),
        };
        self.by_place.insert((&facts.entry, None), self.all.len());
        self.all.push(thing);
        Some((owner, load))
    }

    /// Adds an object, if it has an owner. Returns the owner and the index of the thing.
    fn add_object(&mut self, input: &Reported<'a>, row: &objects::Row<'a>) -> Option<(Uuid, usize)> {
        let object = row.object;
        let root = object.linkset.parts.first()?;
        let owner = Some(root.owner).filter(|owner| !owner.is_nil())?;
        // Loose files are one input, and each has its own name.
        let file = if object.role == Role::Loose { &object.entry } else { &row.measured.ledger.input };
        // What somebody else has is private.
        let item = row.item().filter(|facts| facts.item.owner == Some(owner));
        let container = first_user::container(input.measured, object);
        let container = container.and_then(|outer| outer.linkset.parts.first());
        let container = container.filter(|outer| outer.owner == owner).map(|outer| &outer.name);
        let rezzed = object.role == Role::Rezzed && root.group_position.is_finite();
        let listed = Listed {
            kind: Kind::Object,
            archive: file.clone(),
            name: root.name.clone(),
            region: row.region().unwrap_or_default().into(),
            role: object.role.name().into(),
            item: item.map(|facts| &facts.entry).or(container).cloned().unwrap_or_default(),
            position_m: rezzed.then(|| root.group_position.to_array()),
            ..Listed::default()
        };
        let thing = self.all.len();
        let parts = object.linkset.parts.len() as u64;
        let impact = land_impact(input, parts, row.measures.land_impact);
        self.all.push(Thing::new(Some(owner), listed, parts, impact));
        self.by_place.extend(place_of(object).map(|place| (place, thing)));
        self.add_missing(input, object, thing);
        let meshes = object.linkset.parts.iter().filter_map(Part::mesh);
        for mesh in meshes.filter(|mesh| !mesh.is_nil()) {
            let users = &mut self.meshes.entry(mesh).or_default().users;
            if users.last() != Some(&thing) {
                users.push(thing);
            }
        }
        Some((owner, thing))
    }

    /// Adds the missing assets of an object as one problem, with the names of items.
    fn add_missing(&mut self, input: &Reported<'a>, object: &'a ObjectFacts, thing: usize) {
        let severity = input.measured.profile.severity(Code::AST001);
        let Some(lacking) = input.lacking.filter(|_| severity >= LOWEST) else { return };
        let is_missing = |asset: Uuid| lacking.is_missing(input.measured, asset);
        let missing: BTreeSet<Uuid> =
            asset_uses::of_object(object).filter(|&asset| is_missing(asset)).collect();
        if missing.is_empty() {
            return;
        }
        let items = object.linkset.parts.iter().flat_map(|part| &part.inventory);
        let names: BTreeSet<&str> =
            items.filter(|item| missing.contains(&item.asset)).map(|item| item.name.as_str()).collect();
        let shown: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).take(NAMES).collect();
        let thing = &mut self.all[thing];
        thing.listed.names = shown.join(", ");
        let mut totals = SeverityCounts::default();
        totals.add(severity, missing.len() as u64);
        let more = Problems { worst: vec![self.problems.len()], totals };
        self.problems.push(Problem {
            severity,
            problem: problem_of(Code::AST001, false),
            is_about_widths: false,
            measured: Some(missing.len() as f64),
            limit: None,
        });
        thing.problems.add(&more, &self.problems);
    }

    /// Notes the objects whose land impact another physics shape lowers.
    fn note_lowered(&mut self, input: &Reported<'a>) {
        let objects = &input.measured.ledger.objects;
        let shapes = input.actions().filter(|listed| actions::is_about_shape(listed.kind));
        for &number in shapes.flat_map(|listed| &listed.objects) {
            let place = place_of(&objects[number]);
            self.lowered.extend(place.and_then(|place| self.by_place.get(&place)));
        }
    }

    /// Adds an inventory with one problem. Its message ends with the number and the first examples.
    fn add_inventory(&mut self, input: &Reported<'a>, row: &findings::Row<'a>) {
        let Some(owner) = row.item_owner().filter(|owner| !owner.is_nil()) else { return };
        let message = catalogue::message(row.reported.finding);
        let examples = message.splitn(3, ": ").nth(2).unwrap_or_default().to_owned();
        let archive = input.measured.ledger.input.clone();
        let listed = Listed { kind: Kind::Inventory, archive, item: examples, ..Listed::default() };
        self.by_place.insert((&row.reported.finding.place.entry, None), self.all.len());
        self.all.push(Thing {
            owner: Some(owner),
            listed,
            prims: 0,
            land_impact: None,
            at_least: false,
            problems: Problems::default(),
        });
    }

    /// Adds a finding to its subject: the thing at its place, else the mesh, else the region.
    fn add_finding(&mut self, input: &Reported<'a>, row: &findings::Row<'a>) {
        let finding = row.reported.finding;
        let code = finding.code;
        // Each object has its own missing assets.
        if code == Code::AST001 {
            return;
        }
        if code.name().starts_with("INV") {
            self.add_inventory(input, row);
        }
        let entry = finding.place.entry.as_str();
        let [root, asset] =
            [finding.place.object, finding.place.asset].map(|uuid| uuid.filter(|uuid| !uuid.is_nil()));
        let at_place = self.by_place.get(&(entry, root)).copied();
        let of_region = || {
            let full = [Code::CST001, Code::REG001].contains(&code) && root.is_none() && asset.is_none();
            self.lands.iter().find(|land| full && land.folder == entry).map(|land| land.thing)
        };
        let (problems, of_land) = match at_place.or_else(of_region) {
            Some(thing) => {
                let thing = &mut self.all[thing];
                (&mut thing.problems, matches!(thing.listed.kind, Kind::Parcel | Kind::Region))
            }
            None if root.is_none() => match asset.and_then(|asset| self.meshes.get_mut(&asset)) {
                Some(mesh) => (&mut mesh.problems, false),
                None => return,
            },
            None => return,
        };
        if at_place.is_some_and(|thing| is_about_widths(code) && !self.lowered.contains(&thing)) {
            return;
        }
        let mut totals = SeverityCounts::default();
        totals.add(row.reported.severity, row.reported.count);
        let more = Problems { worst: vec![self.problems.len()], totals };
        self.problems.push(Problem {
            severity: row.reported.severity,
            problem: problem_of(code, of_land),
            is_about_widths: is_about_widths(code),
            measured: finite(finding.measured),
            limit: finite(finding.limit),
        });
        problems.add(&more, &self.problems);
    }

    /// Assigns the findings to owners.
    fn end(self, some_owners: bool, owners: &mut Owners) {
        let Self { mut all, lands, problems, meshes, lowered, .. } = self;
        for land in lands {
            all[land.thing].owner = land.owner(some_owners);
        }
        for thing in &all {
            if let Some(owner) = thing.owner.filter(|_| !thing.problems.worst.is_empty()) {
                owners.of_uuid(owner).totals.findings.add_all(&thing.problems.totals);
            }
        }
        for mesh in meshes.values().filter(|mesh| !mesh.problems.worst.is_empty()) {
            let mut owned: BTreeSet<Uuid> = BTreeSet::new();
            for &user in &mesh.users {
                let matters =
                    |number: &&usize| lowered.contains(&user) || !problems[**number].is_about_widths;
                let worst: Vec<usize> = mesh.problems.worst.iter().filter(matters).copied().collect();
                if !worst.is_empty() {
                    owned.extend(all[user].owner);
                    all[user].problems.add(&Problems { worst, totals: mesh.problems.totals }, &problems);
                }
            }
            // A mesh that many objects of an owner use is one problem.
            for uuid in owned {
                owners.of_uuid(uuid).totals.findings.add_all(&mesh.problems.totals);
            }
        }
        for thing in all {
            if let Some(owner) = thing.owner.filter(|_| !thing.problems.worst.is_empty()) {
                owners.of_uuid(owner).add(&thing, &problems);
            }
        }
    }
}

impl Owner {
    /// Adds a thing with each of its problems.
    fn add(&mut self, thing: &Thing, problems: &[Problem]) {
        self.totals.listed += 1;
        let weight = (thing.land_impact.unwrap_or(0.0) * 1000.0) as u64;
        self.things.extend(thing.problems.worst.iter().map(|&number| {
            let Problem { severity, problem, measured, limit, .. } = problems[number];
            let is_missing = PROBLEMS[problem].key == Key::AssetMissing;
            let names = if is_missing { thing.listed.names.clone() } else { String::new() };
            let listed = Listed { measured, limit, names, ..thing.listed.clone() };
            Troubled { problem, severity, weight, thing: listed }
        }));
    }
}

impl Thing {
    fn new(owner: Option<Uuid>, listed: Listed, prims: u64, land_impact: Cost) -> Self {
        Self {
            owner,
            listed,
            prims,
            land_impact: finite(land_impact.value()),
            at_least: matches!(land_impact.basis(), Basis::LowerBound(_)),
            problems: Problems::default(),
        }
    }
}

impl Land<'_> {
    /// Returns the owner of most land, for the estate's owner is not in exports. If other owners are left out, it must be
    /// more than half of the region.
    fn owner(&self, some_owners: bool) -> Option<Uuid> {
        let most = |a: &(&Uuid, &f64), b: &(&Uuid, &f64)| a.1.total_cmp(b.1).then(b.0.cmp(a.0));
        let (&owner, &area) = self.owned_m2.iter().max_by(|a, b| most(a, b))?;
        (!some_owners || 2.0 * area > self.area_m2).then_some(owner)
    }
}

impl Problems {
    fn add(&mut self, more: &Self, problems: &[Problem]) {
        let rank = |number: usize| (Reverse(problems[number].severity), number);
        for &number in &more.worst {
            let same = |&&mut known: &&mut usize| problems[known].problem == problems[number].problem;
            match self.worst.iter_mut().find(same) {
                Some(known) if rank(number) < rank(*known) => *known = number,
                Some(_) => {}
                None => self.worst.push(number),
            }
        }
        self.totals.add_all(&more.totals);
    }
}

impl Totals {
    fn add(&mut self, object: &Thing) {
        if object.listed.role == Role::Rezzed.name() {
            self.rezzed += 1;
            self.prims += object.prims;
            self.land_impact += object.land_impact.unwrap_or(0.0);
            self.at_least |= object.at_least || object.land_impact.is_none();
        } else {
            self.elsewhere += 1;
        }
    }

    /// Adds land. A capacity that is not a number makes the sum unknown.
    pub(super) fn add_land(&mut self, more: Owned) {
        let land = self.land.get_or_insert_default();
        land.land_impact += more.land_impact;
        land.prims += more.prims;
        land.capacity += more.capacity;
    }

    /// Adds the sums of a further input.
    pub(super) fn add_all(&mut self, more: &Self) {
        self.rezzed += more.rezzed;
        self.prims += more.prims;
        self.land_impact += more.land_impact;
        self.at_least |= more.at_least;
        self.elsewhere += more.elsewhere;
        more.land.into_iter().for_each(|land| self.add_land(land));
        self.listed += more.listed;
        self.findings.add_all(&more.findings);
    }
}

/// Returns the number if it is finite. JSON has no others.
fn finite(number: Option<f64>) -> Option<f64> {
    number.filter(|number| number.is_finite())
}

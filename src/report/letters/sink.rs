//! Collects the rows of a report for letters.
//!
//! Rows of one input are held until its end, when all problems of its objects are known. They then go to a temporary
//! file. Memory keeps the offsets of some, for each owner and problem. So memory depends on the number of owners and
//! on the largest input, whose ledger is in memory anyway.

use super::{
    Kind, LISTED, LOWEST, LetterOptions, Listed, Owned, Totals,
    actions::{self, TopAction},
    content::{Found, Frame, Letter},
    html,
    problems::problem_of,
    template::Form,
    text,
    words::Words,
};
use crate::{
    Summary,
    counts::SeverityCounts,
    csv::defuse,
    output::{Output, OutputError},
    table::{Cell, Rows, Sink, Table},
    tables::{
        actions::{Actions, key as action},
        archives::{Archives, key as archive},
        findings::{Findings, key as finding},
        objects::{Objects, key as object},
        parcels::{Parcels, key as parcel},
        parts::{Parts, key as part},
        regions::{Regions, key as region},
    },
};
use hullmark_analysis::cost::Basis;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::facts::Role;
use hullmark_settings::{
    letters::Language,
    profile::{Grid, LandModel},
    users::Users,
};
use serde::Deserialize;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap},
    io::{self, BufReader, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};
use tempfile::SpooledTempFile;
use uuid::Uuid;

/// The list of letters.
const INDEX: &str = "letters.csv";

/// Writes letters from the rows of a report.
pub struct Letters {
    folder: PathBuf,
    users: Option<Users>,
    options: LetterOptions,
    output: Option<Output>,
    spool: Spool,
    owners: BTreeMap<Uuid, Owner>,
    input: Input,
}

/// Sums and problems of an owner.
#[derive(Default)]
struct Owner {
    totals: Totals,
    problems: BTreeMap<usize, OfProblem>,
    /// The actions that help most.
    actions: Vec<TopAction>,
}

/// Objects of an owner with one problem.
#[derive(Default)]
struct OfProblem {
    objects: u64,
    listed: Vec<Spooled>,
}

/// Offset of a thing in the spool. The worst come first, then the heaviest; equal ones in their order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Spooled {
    worst: Reverse<Severity>,
    /// Thousandths of land impact.
    weight: Reverse<u64>,
    offset: u64,
}

/// Rows of the current input.
#[derive(Default)]
struct Input {
    archive: String,
    things: Vec<Held>,
    regions: Vec<Land>,
    troubles: Vec<Trouble>,
    /// Things by entry and root prim; parcels have no root.
    by_place: HashMap<[String; 2], usize>,
    meshes: HashMap<String, Mesh>,
}

/// A thing with its owner and findings.
struct Held {
    /// `None` for a region until its parcels are known.
    owner: Option<Uuid>,
    thing: Listed,
    prims: u64,
    land_impact: Option<f64>,
    /// Whether the land impact is a lower bound.
    at_least: bool,
    wrong: Wrong,
}

/// A region.
struct Land {
    folder: String,
    thing: usize,
    area_m2: f64,
    /// Areas of the parcels of each owner.
    owned_m2: BTreeMap<Uuid, f64>,
}

/// A problem of a thing or mesh.
#[derive(Clone, Copy)]
struct Trouble {
    severity: Severity,
    problem: usize,
    measured: Option<f64>,
    limit: Option<f64>,
}

/// A mesh. Its findings are about all things that use it.
#[derive(Default)]
struct Mesh {
    users: Vec<usize>,
    wrong: Wrong,
}

/// Findings about one thing or mesh, cut to one of each problem: a mesh with thousands of findings may have thousands of
/// users.
#[derive(Default)]
struct Wrong {
    /// Indexes of the worst trouble of each problem; of equal ones, the first.
    worst: Vec<usize>,
    totals: SeverityCounts,
}

/// An error with the folder of letters.
#[derive(Debug, thiserror::Error)]
#[error("the letters in {} cannot be written", folder.display())]
struct Unwritten {
    folder: PathBuf,
    source: io::Error,
}

/// Whether a file has the name of a letter or of their list.
fn is_letter(name: &str) -> bool {
    let owner = name.strip_suffix(".txt").or_else(|| name.strip_suffix(".html"));
    name == INDEX || owner.is_some_and(|owner| Uuid::try_parse(owner).is_ok())
}

impl Letters {
    /// Opens the folder for letters.
    pub fn open(folder: &Path, users: Option<Users>, options: LetterOptions) -> Result<Self, OutputError> {
        let output = Output::new(folder)?;
        output.without_halves(is_letter);
        let spool = Spool { file: BufWriter::new(output.scratch(0)), end: 0 };
        Ok(Self {
            folder: folder.into(),
            users,
            options,
            output: Some(output),
            spool,
            owners: BTreeMap::new(),
            input: Input::default(),
        })
    }

    /// Assigns the findings of the input to owners.
    fn end_input(&mut self) -> io::Result<()> {
        let Input { mut things, regions, troubles, meshes, .. } = std::mem::take(&mut self.input);
        for land in regions {
            things[land.thing].owner = land.owner(self.options.some_owners);
        }
        for Held { owner, wrong, .. } in &things {
            if let Some(owner) = owner.filter(|_| !wrong.worst.is_empty()) {
                self.owners.entry(owner).or_default().totals.findings.add_all(&wrong.totals);
            }
        }
        for mesh in meshes.values().filter(|mesh| !mesh.wrong.worst.is_empty()) {
            // A mesh that many objects of an owner use is one problem.
            let owners: BTreeSet<Uuid> = mesh.users.iter().filter_map(|&user| things[user].owner).collect();
            for uuid in owners {
                self.owners.entry(uuid).or_default().totals.findings.add_all(&mesh.wrong.totals);
            }
            for &user in &mesh.users {
                things[user].wrong.add(&mesh.wrong, &troubles);
            }
        }
        for held in things {
            if let Some(owner) = held.owner.filter(|_| !held.wrong.worst.is_empty()) {
                let owner = self.owners.entry(owner).or_default();
                owner.add(&held, &troubles, &mut self.spool)?;
            }
        }
        Ok(())
    }

    /// Adds the folder of letters to an error, because it differs from the folder of the report.
    fn failed(&self, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), Unwritten { folder: self.folder.clone(), source: error })
    }

    fn write(&mut self, output: &mut Output, summary: &Summary) -> io::Result<()> {
        let mut index = csv::Writer::from_writer(output.open(INDEX).map_err(io::Error::other)?);
        index.write_record([
            "owner_uuid",
            "name",
            "text",
            "html",
            "objects",
            "to_fix",
            "blockers",
            "errors",
            "warnings",
            "language",
        ])?;
        let manifest = &summary.manifest;
        let LetterOptions { grid, letters, templates, .. } = &self.options;
        let frame = Frame {
            grid,
            letters,
            target: target(&grid.name, manifest.profile.grid()),
            target_is_default: manifest.profile_is_default,
            now: manifest.now.as_deref(),
            complete: summary.complete,
            counts_prims: manifest.profile.land.model != LandModel::SecondLife,
        };
        let mut dictionaries: BTreeMap<Language, Words> = BTreeMap::new();
        for (&uuid, Owner { totals, problems, actions }) in &mut self.owners {
            if problems.is_empty() {
                continue;
            }
            let found = problems.iter_mut().map(|(&problem, all)| all.read(problem, &mut self.spool));
            let found = found.collect::<io::Result<Vec<Found>>>()?;
            let name = self.users.as_ref().and_then(|users| users.name(uuid));
            let own = self.users.as_ref().and_then(|users| users.language(uuid));
            let language = own.unwrap_or(letters.language);
            let words = dictionaries.entry(language).or_insert_with(|| Words::new(language));
            let letter = Letter::new(&frame, language, words, name, totals, actions, found);
            let files = Form::ALL.map(|form| format!("{uuid}.{}", form.name()));
            let texts = [
                templates.fill(Form::Text, language, |slot| text::value(&letter, slot)),
                templates.fill(Form::Html, language, |slot| html::value(&letter, slot)),
            ];
            for (file, content) in files.iter().zip(texts) {
                let mut file = output.open(file).map_err(io::Error::other)?;
                file.write_all(content.as_bytes())?;
                file.flush()?;
            }
            let counts = [Severity::Blocker, Severity::Error, Severity::Warning];
            let numbers = [totals.rezzed + totals.elsewhere, totals.listed].into_iter();
            let numbers = numbers.chain(counts.map(|severity| totals.findings.get(severity)));
            let record = [uuid.to_string(), defuse(name.unwrap_or_default()).into_owned()].into_iter();
            let record = record.chain(files).chain(numbers.map(|number| number.to_string()));
            index.write_record(record.chain([language.name().into()]))?;
        }
        index.flush()
    }
}

/// Returns the name of the target for people: that of the grid, else of its kind.
fn target(name: &str, grid: Grid) -> &str {
    match grid {
        _ if !name.is_empty() => name,
        Grid::SecondLife => "Second Life",
        Grid::OpenSim => "OpenSimulator",
    }
}

impl Owner {
    /// Adds a thing to each of its problems.
    fn add(&mut self, held: &Held, troubles: &[Trouble], spool: &mut Spool) -> io::Result<()> {
        self.totals.listed += 1;
        let weight = (held.land_impact.unwrap_or(0.0) * 1000.0) as u64;
        for &number in &held.wrong.worst {
            let Trouble { severity, problem, measured, limit } = troubles[number];
            let offset = spool.write(&Listed { measured, limit, ..held.thing.clone() })?;
            let all = self.problems.entry(problem).or_default();
            all.objects += 1;
            all.listed.push(Spooled { worst: Reverse(severity), weight: Reverse(weight), offset });
            // Cut from time to time, to bound memory.
            if all.listed.len() > 2 * LISTED {
                all.cut();
            }
        }
        Ok(())
    }
}

impl OfProblem {
    fn cut(&mut self) {
        self.listed.sort();
        self.listed.truncate(LISTED);
    }

    /// Reads the objects back.
    fn read(&mut self, problem: usize, spool: &mut Spool) -> io::Result<Found> {
        self.cut();
        let worst = self.listed.first().map_or(LOWEST, |first| first.worst.0);
        let listed = self.listed.iter().map(|place| spool.read(place)).collect::<io::Result<_>>()?;
        Ok(Found { problem, worst, objects: self.objects, listed })
    }
}

impl Land {
    /// Returns the owner of most land, for the estate's owner is not in exports. If rows of other owners are left out,
    /// it must be more than half of the region.
    fn owner(&self, some_owners: bool) -> Option<Uuid> {
        let most = |a: &(&Uuid, &f64), b: &(&Uuid, &f64)| a.1.total_cmp(b.1).then(b.0.cmp(a.0));
        let (&owner, &area) = self.owned_m2.iter().max_by(|a, b| most(a, b))?;
        (!some_owners || 2.0 * area > self.area_m2).then_some(owner)
    }
}

impl Input {
    /// Adds a thing that findings may be about, if it has an owner.
    fn add(&mut self, entry: &str, root: &str, held: Held) {
        if held.owner.is_some() {
            self.by_place.insert([entry.into(), root.into()], self.things.len());
            self.things.push(held);
        }
    }

    fn add_region(&mut self, row: &[Cell<'_>]) {
        let sides = [region::SIZE_X_M, region::SIZE_Y_M].map(|side| side.number(row).unwrap_or(0.0));
        self.regions.push(Land {
            folder: region::FOLDER.text(row).into(),
            thing: self.things.len(),
            area_m2: sides.into_iter().product(),
            owned_m2: BTreeMap::new(),
        });
        let name = region::REGION.text(row).to_owned();
        let thing = Listed {
            kind: Kind::Region,
            region: name.clone(),
            name,
            archive: self.archive.clone(),
            ..Listed::default()
        };
        self.things.push(Held {
            prims: region::PARTS.count(row),
            land_impact: finite(region::LAND_IMPACT.number(row)),
            at_least: Basis::is_lower_bound(region::LAND_IMPACT_BASIS.text(row)),
            ..Held::new(None, thing)
        });
    }

    /// Adds a parcel, which follows its region. Returns its owner, load and capacity.
    fn add_parcel(&mut self, row: &[Cell<'_>]) -> Option<(Uuid, Owned)> {
        let owner = parcel::OWNER_UUID.uuid(row)?;
        if let Some(land) = self.regions.last_mut() {
            *land.owned_m2.entry(owner).or_default() += finite(parcel::AREA_M2.number(row)).unwrap_or(0.0);
        }
        let thing = Listed {
            kind: Kind::Parcel,
            archive: self.archive.clone(),
            name: parcel::PARCEL.text(row).into(),
            region: parcel::REGION.text(row).into(),
            ..Listed::default()
        };
        let held = Held {
            prims: parcel::PARTS.count(row),
            land_impact: finite(parcel::LAND_IMPACT.number(row)),
            at_least: Basis::is_lower_bound(parcel::LAND_IMPACT_BASIS.text(row)),
            ..Held::new(Some(owner), thing)
        };
        let load = Owned {
            land_impact: held.land_impact.unwrap_or(0.0),
            prims: held.prims as f64,
            capacity: finite(parcel::CAPACITY.number(row)).unwrap_or(f64::NAN),
        };
        self.add(parcel::ENTRY.text(row), "", held);
        Some((owner, load))
    }

    /// Returns an object.
    fn object(&self, row: &[Cell<'_>]) -> Held {
        let position = [object::POSITION_X_M, object::POSITION_Y_M, object::POSITION_Z_M];
        let role = object::ROLE.text(row);
        // Loose files are one input, and each has its own name.
        let file = if role == "loose" { object::ENTRY.text(row) } else { &self.archive };
        let thing = Listed {
            kind: Kind::Object,
            archive: file.to_owned(),
            name: object::NAME.text(row).into(),
            region: object::REGION.text(row).into(),
            role: role.into(),
            item: match object::ITEM_OWNER_UUID.uuid(row) {
                // The path in the inventory of somebody else is private.
                owner if owner == object::OWNER_UUID.uuid(row) => object::ITEM.text(row).into(),
                _ => String::new(),
            },
            position_m: match position.map(|axis| finite(axis.number(row))) {
                [Some(x), Some(y), Some(z)] if role == Role::Rezzed.name() => Some([x, y, z]),
                _ => None,
            },
            ..Listed::default()
        };
        Held {
            prims: object::PARTS.count(row),
            land_impact: finite(object::LAND_IMPACT.number(row)),
            at_least: Basis::is_lower_bound(object::LAND_IMPACT_BASIS.text(row)),
            ..Held::new(object::OWNER_UUID.uuid(row), thing)
        }
    }

    /// Adds a use of a mesh by the thing at a place. Parts of an object are consecutive.
    fn uses(&mut self, entry: &str, root: &str, mesh: &str) {
        let place = [entry.to_owned(), root.to_owned()];
        let Some(&thing) = self.by_place.get(&place).filter(|_| !mesh.is_empty()) else { return };
        let users = &mut self.meshes.entry(mesh.into()).or_default().users;
        if users.last() != Some(&thing) {
            users.push(thing);
        }
    }

    /// Adds an inventory with one problem. Its message ends with the number and the first examples.
    fn add_inventory(&mut self, row: &[Cell<'_>]) {
        let Some(owner) = finding::ITEM_OWNER_UUID.uuid(row) else { return };
        let examples = finding::MESSAGE.text(row).splitn(3, ": ").nth(2).unwrap_or_default().to_owned();
        let archive = self.archive.clone();
        let thing = Listed { kind: Kind::Inventory, archive, item: examples, ..Listed::default() };
        self.by_place.insert([finding::ENTRY.text(row).into(), String::new()], self.things.len());
        self.things.push(Held::new(Some(owner), thing));
    }

    /// Adds a finding to its subject: the thing at its place, else the mesh, else the region.
    fn find(&mut self, row: &[Cell<'_>], severity: Severity) {
        let Some(code) = Code::parse(finding::CODE.text(row)) else { return };
        if code.name().starts_with("INV") {
            self.add_inventory(row);
        }
        let place = [finding::ENTRY, finding::OBJECT_UUID, finding::ASSET_UUID];
        let [entry, root, asset] = place.map(|key| key.text(row));
        let at_place = self.by_place.get(&[entry.to_owned(), root.to_owned()]).copied();
        let of_region = || {
            let full = [Code::CST001, Code::REG001].contains(&code) && root.is_empty() && asset.is_empty();
            let land = self.regions.iter().find(|land| full && land.folder == entry);
            land.map(|land| land.thing)
        };
        let (wrong, of_land) = match at_place.or_else(of_region) {
            Some(thing) => {
                let held = &mut self.things[thing];
                (&mut held.wrong, matches!(held.thing.kind, Kind::Parcel | Kind::Region))
            }
            None if root.is_empty() => match self.meshes.get_mut(asset) {
                Some(mesh) => (&mut mesh.wrong, false),
                None => return,
            },
            None => return,
        };
        let [measured, limit] = [finding::MEASURED, finding::LIMIT].map(|key| finite(key.number(row)));
        let mut totals = SeverityCounts::default();
        totals.add(severity, finding::COUNT.count(row));
        let found = Wrong { worst: vec![self.troubles.len()], totals };
        self.troubles.push(Trouble { severity, problem: problem_of(code, of_land), measured, limit });
        wrong.add(&found, &self.troubles);
    }
}

impl Held {
    fn new(owner: Option<Uuid>, thing: Listed) -> Self {
        Self { owner, thing, prims: 0, land_impact: None, at_least: false, wrong: Wrong::default() }
    }
}

impl Wrong {
    fn add(&mut self, more: &Self, troubles: &[Trouble]) {
        let rank = |number: usize| (Reverse(troubles[number].severity), number);
        for &number in &more.worst {
            let same = |&&mut known: &&mut usize| troubles[known].problem == troubles[number].problem;
            match self.worst.iter_mut().find(same) {
                Some(known) if rank(number) < rank(*known) => *known = number,
                Some(_) => {}
                None => self.worst.push(number),
            }
        }
        self.totals.add_all(&more.totals);
    }
}

impl Rows for Letters {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        if table == Archives::NAME {
            self.end_input().map_err(|error| self.failed(error))?;
        }
        let input = &mut self.input;
        match table {
            Archives::NAME => archive::ARCHIVE.text(row).clone_into(&mut input.archive),
            Regions::NAME => input.add_region(row),
            Parcels::NAME => {
                if let Some((owner, load)) = input.add_parcel(row) {
                    self.owners.entry(owner).or_default().totals.add_land(load);
                }
            }
            Objects::NAME => {
                let held = input.object(row);
                if let Some(owner) = held.owner {
                    self.owners.entry(owner).or_default().totals.add(&held);
                }
                input.add(object::ENTRY.text(row), object::OBJECT_UUID.text(row), held);
            }
            Actions::NAME => {
                if let Some(owner) = action::OWNER_UUID.uuid(row) {
                    actions::add(&mut self.owners.entry(owner).or_default().actions, row);
                }
            }
            Parts::NAME => {
                input.uses(part::ENTRY.text(row), part::OBJECT_UUID.text(row), part::MESH_UUID.text(row));
            }
            Findings::NAME => {
                let waived = !finding::WAIVED_UNTIL.text(row).is_empty();
                let severity = Severity::named(finding::SEVERITY.text(row));
                if let Some(severity) = severity.filter(|&severity| severity >= LOWEST && !waived) {
                    input.find(row, severity);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Returns the number if it is finite. JSON has no others.
fn finite(number: Option<f64>) -> Option<f64> {
    number.filter(|number| number.is_finite())
}

impl Sink for Letters {
    fn publishes(&self) -> bool {
        true
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.end_input().map_err(|error| self.failed(error))?;
        let Some(mut output) = self.output.take() else { return Ok(()) };
        self.write(&mut output, summary).map_err(|error| self.failed(error))?;
        output.publish().map_err(io::Error::other)
    }
}

impl Totals {
    fn add(&mut self, object: &Held) {
        if object.thing.role == Role::Rezzed.name() {
            self.rezzed += 1;
            self.prims += object.prims;
            self.land_impact += object.land_impact.unwrap_or(0.0);
            self.at_least |= object.at_least || object.land_impact.is_none();
        } else {
            self.elsewhere += 1;
        }
    }

    /// Adds a parcel. A capacity that is not a number makes the sum unknown.
    fn add_land(&mut self, parcel: Owned) {
        let land = self.land.get_or_insert_default();
        land.land_impact += parcel.land_impact;
        land.prims += parcel.prims;
        land.capacity += parcel.capacity;
    }
}

/// An unnamed temporary file for things until the letters are written.
struct Spool {
    file: BufWriter<SpooledTempFile>,
    end: u64,
}

impl Spool {
    /// Adds a thing and returns its offset.
    fn write(&mut self, thing: &Listed) -> io::Result<u64> {
        let bytes = serde_json::to_vec(thing)?;
        self.file.write_all(&bytes)?;
        let offset = self.end;
        self.end += bytes.len() as u64;
        Ok(offset)
    }

    fn read(&mut self, place: &Spooled) -> io::Result<Listed> {
        self.file.flush()?;
        let mut file = BufReader::new(self.file.get_mut());
        file.seek(SeekFrom::Start(place.offset))?;
        Ok(Listed::deserialize(&mut serde_json::Deserializer::from_reader(file))?)
    }
}

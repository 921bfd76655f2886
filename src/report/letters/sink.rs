//! Collects the rows of a report for letters.
//!
//! Rows of one input are held until its end, when all problems of its objects are known. They then go to a temporary
//! file. Memory keeps their offsets, for each owner as many as a letter lists. So memory depends on the number of
//! owners and on the largest input, whose ledger is in memory anyway.

use super::{Advice, LISTED, LOWEST, Letter, TROUBLES, Thing, Totals, Trouble, html::html, text::text};
use crate::{
    analysis::cost::Basis,
    finding::{Code, Severity},
    ledger::facts::Role,
    report::{
        Summary,
        counts::SeverityCounts,
        csv::defuse,
        output::{Output, OutputError},
        table::{Cell, Rows, Sink, Table},
        tables::{
            archives::{Archives, key as archive},
            findings::{Findings, key as finding},
            objects::{Objects, key as object},
            parcels::{Parcels, key as parcel},
            parts::{Parts, key as part},
        },
    },
    rules::catalogue::{self, Rule},
    settings::users::Users,
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
    output: Option<Output>,
    spool: Spool,
    owners: BTreeMap<Uuid, Owner>,
    input: Input,
}

/// Sums and things of an owner.
#[derive(Default)]
struct Owner {
    totals: Totals,
    things: Vec<Spooled>,
}

/// Offset of a thing in the spool. The worst come first; equal ones in their order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Spooled {
    worst: Reverse<Severity>,
    offset: u64,
}

/// Rows of the current input.
#[derive(Default)]
struct Input {
    archive: String,
    things: Vec<Held>,
    troubles: Vec<Trouble>,
    /// Things by entry and root prim; parcels have no root.
    by_place: HashMap<[String; 2], usize>,
    meshes: HashMap<String, Mesh>,
}

/// A thing with its owner and findings.
struct Held {
    owner: Uuid,
    thing: Thing,
    wrong: Wrong,
}

/// A mesh. Its findings are about all things that use it.
#[derive(Default)]
struct Mesh {
    users: Vec<usize>,
    wrong: Wrong,
}

/// Findings about one thing or mesh, cut to the number in a letter: a mesh with thousands of findings may have thousands
/// of users.
#[derive(Default)]
struct Wrong {
    /// Indexes of the worst troubles; equal ones in their order.
    worst: Vec<usize>,
    /// Number of findings.
    all: usize,
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
    pub fn open(folder: &Path, users: Option<Users>) -> Result<Self, OutputError> {
        let output = Output::new(folder)?;
        output.without_halves(is_letter);
        let spool = Spool { file: BufWriter::new(output.scratch()), end: 0 };
        Ok(Self {
            folder: folder.into(),
            users,
            output: Some(output),
            spool,
            owners: BTreeMap::new(),
            input: Input::default(),
        })
    }

    /// Assigns the findings of the input to owners.
    fn end_input(&mut self) -> io::Result<()> {
        let Input { mut things, troubles, meshes, .. } = std::mem::take(&mut self.input);
        for held in &things {
            if held.wrong.all > 0 {
                let owner = self.owners.entry(held.owner).or_default();
                owner.totals.findings.add_all(&held.wrong.totals);
            }
        }
        for mesh in meshes.values().filter(|mesh| mesh.wrong.all > 0) {
            // A mesh that many objects of an owner use is one problem.
            let owners: BTreeSet<Uuid> = mesh.users.iter().map(|&user| things[user].owner).collect();
            for uuid in owners {
                self.owners.entry(uuid).or_default().totals.findings.add_all(&mesh.wrong.totals);
            }
            for &user in &mesh.users {
                things[user].wrong.add(&mesh.wrong, &troubles);
            }
        }
        for Held { owner, mut thing, wrong } in things {
            let Some(&worst) = wrong.worst.first() else { continue };
            let owner = self.owners.entry(owner).or_default();
            owner.totals.listed += 1;
            thing.more = wrong.all - wrong.worst.len();
            thing.troubles = wrong.worst.into_iter().map(|number| troubles[number].clone()).collect();
            let offset = self.spool.write(&thing)?;
            owner.things.push(Spooled { worst: Reverse(troubles[worst].severity), offset });
            // Cut from time to time, to bound memory.
            if owner.things.len() > 2 * LISTED {
                owner.cut();
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
        ])?;
        for (&uuid, owner) in &mut self.owners {
            if owner.things.is_empty() {
                continue;
            }
            owner.cut();
            let things: Vec<Thing> =
                owner.things.iter().map(|place| self.spool.read(place)).collect::<io::Result<_>>()?;
            let mut codes: Vec<&str> = Vec::new();
            for trouble in things.iter().flat_map(|thing| &thing.troubles) {
                if !codes.contains(&trouble.code.as_str()) {
                    codes.push(&trouble.code);
                }
            }
            let name = self.users.as_ref().and_then(|users| users.name(uuid));
            let manifest = &summary.manifest;
            let rules = codes.into_iter().filter_map(Code::parse).map(catalogue::rule);
            let advice = |rule: &Rule| Advice {
                code: rule.code,
                title: rule.title,
                words: rule.owner_advice(manifest.profile.grid()),
            };
            let rules = rules.map(advice).collect();
            let target = manifest.target();
            let letter = Letter {
                owner: uuid,
                name,
                target: &target,
                now: manifest.now.as_deref(),
                complete: summary.complete,
                totals: &owner.totals,
                things,
                rules,
            };
            let files = [format!("{uuid}.txt"), format!("{uuid}.html")];
            for (file, content) in files.iter().zip([text(&letter), html(&letter)]) {
                let mut file = output.open(file).map_err(io::Error::other)?;
                file.write_all(content.as_bytes())?;
                file.flush()?;
            }
            let totals = letter.totals;
            let counts = [Severity::Blocker, Severity::Error, Severity::Warning];
            let numbers = [totals.rezzed + totals.elsewhere, totals.listed].into_iter();
            let numbers = numbers.chain(counts.map(|severity| totals.findings.get(severity)));
            let words = [uuid.to_string(), defuse(name.unwrap_or_default()).into_owned()];
            index.write_record(
                words.into_iter().chain(files).chain(numbers.map(|number| number.to_string())),
            )?;
        }
        index.flush()
    }
}

impl Owner {
    fn cut(&mut self) {
        self.things.sort();
        self.things.truncate(LISTED);
    }
}

impl Input {
    /// Adds a thing that findings may be about, if it has an owner.
    fn add(&mut self, owner: Option<Uuid>, entry: &str, root: &str, thing: Thing) {
        let Some(owner) = owner else { return };
        self.by_place.insert([entry.into(), root.into()], self.things.len());
        self.things.push(Held { owner, thing, wrong: Wrong::default() });
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

    /// Adds a finding to its subject: the thing at its place, else the mesh.
    fn find(&mut self, entry: &str, root: &str, asset: &str, trouble: Trouble) {
        let wrong = match self.by_place.get(&[entry.to_owned(), root.to_owned()]) {
            Some(&thing) => &mut self.things[thing].wrong,
            None if root.is_empty() => match self.meshes.get_mut(asset) {
                Some(mesh) => &mut mesh.wrong,
                None => return,
            },
            None => return,
        };
        let mut totals = SeverityCounts::default();
        totals.add(trouble.severity, trouble.count);
        let found = Wrong { worst: vec![self.troubles.len()], all: 1, totals };
        self.troubles.push(trouble);
        wrong.add(&found, &self.troubles);
    }
}

impl Wrong {
    fn add(&mut self, more: &Self, troubles: &[Trouble]) {
        self.worst.extend(&more.worst);
        self.worst.sort_by_key(|&number| (Reverse(troubles[number].severity), number));
        self.worst.truncate(TROUBLES);
        self.all += more.all;
        self.totals.add_all(&more.totals);
    }
}

impl Rows for Letters {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        if !matches!(table, Archives::NAME | Parcels::NAME | Objects::NAME | Parts::NAME | Findings::NAME) {
            return Ok(());
        }
        if table == Archives::NAME {
            self.end_input().map_err(|error| self.failed(error))?;
        }
        let input = &mut self.input;
        match table {
            Archives::NAME => archive::ARCHIVE.text(row).clone_into(&mut input.archive),
            Parcels::NAME => {
                let thing = Thing {
                    land: true,
                    archive: input.archive.clone(),
                    name: parcel::PARCEL.text(row).into(),
                    region: parcel::REGION.text(row).into(),
                    prims: parcel::PARTS.count(row),
                    land_impact: finite(parcel::LAND_IMPACT.number(row)),
                    at_least: Basis::is_lower_bound(parcel::LAND_IMPACT_BASIS.text(row)),
                    ..Thing::default()
                };
                input.add(parcel::OWNER_UUID.uuid(row), parcel::ENTRY.text(row), "", thing);
            }
            Objects::NAME => {
                let position = [object::POSITION_X_M, object::POSITION_Y_M, object::POSITION_Z_M];
                let role = object::ROLE.text(row);
                // Loose files are one input, and each has its own name.
                let file = if role == "loose" { object::ENTRY.text(row) } else { &input.archive };
                let thing = Thing {
                    archive: file.to_owned(),
                    name: object::NAME.text(row).into(),
                    region: object::REGION.text(row).into(),
                    role: role.into(),
                    position_m: match position.map(|axis| finite(axis.number(row))) {
                        [Some(x), Some(y), Some(z)] => Some([x, y, z]),
                        _ => None,
                    },
                    prims: object::PARTS.count(row),
                    land_impact: finite(object::LAND_IMPACT.number(row)),
                    at_least: Basis::is_lower_bound(object::LAND_IMPACT_BASIS.text(row)),
                    ..Thing::default()
                };
                let owner = object::OWNER_UUID.uuid(row);
                if let Some(owner) = owner {
                    self.owners.entry(owner).or_default().totals.add(&thing);
                }
                input.add(owner, object::ENTRY.text(row), object::OBJECT_UUID.text(row), thing);
            }
            Parts::NAME => {
                input.uses(part::ENTRY.text(row), part::OBJECT_UUID.text(row), part::MESH_UUID.text(row));
            }
            _ => {
                let waived = !finding::WAIVED_UNTIL.text(row).is_empty();
                let severity = Severity::named(finding::SEVERITY.text(row));
                let Some(severity) = severity.filter(|&severity| severity >= LOWEST && !waived) else {
                    return Ok(());
                };
                let code = finding::CODE.text(row).to_owned();
                let message = finding::MESSAGE.text(row).into();
                let trouble = Trouble { severity, code, message, count: finding::COUNT.count(row) };
                let place = [finding::ENTRY, finding::OBJECT_UUID, finding::ASSET_UUID];
                let [entry, root, asset] = place.map(|key| key.text(row));
                input.find(entry, root, asset, trouble);
            }
        }
        Ok(())
    }
}

/// Returns the number if it is finite. JSON has no others.
fn finite(number: Option<f64>) -> Option<f64> {
    number.filter(|number| number.is_finite())
}

impl Sink for Letters {
    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        self.end_input().map_err(|error| self.failed(error))?;
        let Some(mut output) = self.output.take() else { return Ok(()) };
        self.write(&mut output, summary).map_err(|error| self.failed(error))?;
        output.publish().map_err(io::Error::other)
    }
}

impl Totals {
    fn add(&mut self, object: &Thing) {
        if object.role == Role::Rezzed.name() {
            self.rezzed += 1;
            self.prims += object.prims;
            self.land_impact += object.land_impact.unwrap_or(0.0);
            self.at_least |= object.at_least || object.land_impact.is_none();
        } else {
            self.elsewhere += 1;
        }
    }
}

/// An unnamed temporary file for things until the letters are written.
struct Spool {
    file: BufWriter<SpooledTempFile>,
    end: u64,
}

impl Spool {
    /// Adds a thing and returns its offset.
    fn write(&mut self, thing: &Thing) -> io::Result<u64> {
        let bytes = serde_json::to_vec(thing)?;
        self.file.write_all(&bytes)?;
        let offset = self.end;
        self.end += bytes.len() as u64;
        Ok(offset)
    }

    fn read(&mut self, place: &Spooled) -> io::Result<Thing> {
        self.file.flush()?;
        let mut file = BufReader::new(self.file.get_mut());
        file.seek(SeekFrom::Start(place.offset))?;
        Ok(Thing::deserialize(&mut serde_json::Deserializer::from_reader(file))?)
    }
}

//! An evaluated input as formats get it: facts, measures and findings, and which of them the report shows.

use super::{
    actions::{self, ListedAction},
    counts::Counts,
    diff::Change,
    findings::{ReportedFinding, ReportedFindings},
    first_user::{FirstUser, regions_by_entry},
    missing::MissingAsset,
    preflight::Lacking,
    region_status::RegionStatus,
    row_filter::Shown,
    run_tables::RunRows,
    table::{Rows, write as write_row},
    tables::{
        archives::{self, Archives},
        assets::{self, Assets},
        changes::Changes,
        checks::Checks,
        findings::{self, Findings},
        hulls::Hulls,
        meshes::{self, Meshes},
        objects::{self, Objects},
        parcels::Parcels,
        parts::Parts,
        regions::Regions,
    },
};
use hullmark_analysis::{Measured, ParcelMeasures, RegionMeasures};
use hullmark_finding::Finding;
use hullmark_ledger::facts::{MeshFacts, ObjectFacts, ParcelFacts, RegionFacts};
use hullmark_rules::RuleCount;
use std::{
    collections::{BTreeMap, HashMap},
    io,
    ops::Range,
};
use uuid::Uuid;

/// Estimated bytes of the rows of a piece, about 512 rows of objects.
pub const BYTES: usize = 512 << 10;

/// Estimated bytes of a row without the texts of an export.
const ROW: usize = 1 << 10;

/// The losses of an input without content.
static NOTHING_LOST: BTreeMap<Uuid, u64> = BTreeMap::new();

/// An evaluated input, or the run, which has findings alone.
pub struct Reported<'a> {
    /// Its facts and measures.
    pub measured: &'a Measured<'a>,
    /// Its row in `archives`. `None` for the run.
    pub row: Option<archives::Row<'a>>,
    /// The actions on it.
    pub actions: &'a [ListedAction<'a>],
    /// The assets that it lacks.
    pub missing: &'a [MissingAsset<'a>],
    /// Its lacking content. `None` without content.
    pub lacking: Option<&'a Lacking>,
    /// Its findings and rule outcomes.
    pub findings: &'a ReportedFindings<'a>,
    counts: &'a Counts<'a>,
    /// The status of each of its regions.
    statuses: &'a [RegionStatus],
    /// Whether its assets are listed.
    lists_assets: bool,
    /// Whether its regions, objects and meshes are reported. Those of a dated copy are not.
    has_content: bool,
    first_actions: HashMap<usize, &'a ListedAction<'a>>,
    shown: Shown,
}

/// A piece of a report.
pub enum Piece<'a> {
    /// The row of an input, its regions and parcels.
    Head(&'a Reported<'a>),
    /// Some of its objects, with their parts. Of a large linkset: its first parts.
    Objects(&'a Reported<'a>, Range<usize>),
    /// More parts of the object with this number, which is the last one of the piece before.
    Parts(&'a Reported<'a>, usize, Range<usize>),
    /// Some of its meshes, with their hulls.
    Meshes(&'a Reported<'a>, Range<usize>),
    /// Some of the assets that it has.
    Assets(&'a Reported<'a>, Range<usize>),
    /// Some of its findings.
    Findings(&'a Reported<'a>, Range<usize>),
    /// Its rule outcomes. The last piece of an input.
    End(&'a Reported<'a>),
    /// Rows of tables about the run, which follow the last input.
    Run(&'a RunRows),
    /// The differences from an earlier run.
    Changes(&'a [Change]),
}

/// A region with its number in the input.
pub type Region<'a> = (usize, &'a RegionFacts, &'a RegionMeasures);

/// A region with its status.
pub type RegionWithStatus<'a> = (&'a RegionFacts, &'a RegionMeasures, &'a RegionStatus);

impl<'a> Reported<'a> {
    /// Reports an input with its content.
    pub fn new(
        measured: &'a Measured<'a>,
        row: archives::Row<'a>,
        findings: &'a ReportedFindings<'a>,
        counts: &'a Counts<'a>,
        actions: &'a [ListedAction<'a>],
        (missing, lacking): (&'a [MissingAsset<'a>], &'a Lacking),
    ) -> Self {
        let first_actions = actions::first_of_objects(actions);
        let alone = Self::findings_alone(measured, Some(row), findings, counts, actions);
        Self { missing, lacking: Some(lacking), has_content: true, first_actions, ..alone }
    }

    /// Reports findings without the content that they are about, with their repairs.
    pub fn findings_alone(
        measured: &'a Measured<'a>,
        row: Option<archives::Row<'a>>,
        findings: &'a ReportedFindings<'a>,
        counts: &'a Counts<'a>,
        actions: &'a [ListedAction<'a>],
    ) -> Self {
        Self {
            measured,
            row,
            actions,
            missing: &[],
            lacking: None,
            findings,
            counts,
            statuses: &[],
            lists_assets: false,
            has_content: false,
            first_actions: HashMap::new(),
            shown: Shown::default(),
        }
    }

    /// Leaves out what a filter does not show.
    pub fn showing(self, shown: Shown) -> Self {
        Self { shown, ..self }
    }

    /// Lists the assets, too.
    pub fn listing_assets(self, lists_assets: bool) -> Self {
        Self { lists_assets, ..self }
    }

    /// Adds the status of each region.
    pub fn with_statuses(self, statuses: &'a [RegionStatus]) -> Self {
        Self { statuses, ..self }
    }

    /// Returns the selection.
    pub fn shown(&self) -> &Shown {
        &self.shown
    }

    /// Returns its pieces in their order.
    pub fn pieces(&'a self) -> Vec<Piece<'a>> {
        let mut pieces = vec![Piece::Head(self)];
        if self.has_content {
            let ledger = self.measured.ledger;
            for share in shares(ledger.objects.iter().map(bytes_of_object)) {
                // An object that fills a piece is the last one of its share.
                let last = share.end - 1;
                let more = shares_of_parts(&ledger.objects[last]).into_iter().skip(1);
                pieces.push(Piece::Objects(self, share));
                pieces.extend(more.map(|parts| Piece::Parts(self, last, parts)));
            }
            let meshes = shares(ledger.meshes.iter().map(bytes_of_mesh));
            pieces.extend(meshes.into_iter().map(|share| Piece::Meshes(self, share)));
        }
        if self.lists_assets {
            let assets = shares(self.measured.ledger.assets.iter().map(|_| ROW));
            pieces.extend(assets.into_iter().map(|share| Piece::Assets(self, share)));
        }
        let findings = shares(self.findings.findings.iter().map(bytes_of_finding));
        pieces.extend(findings.into_iter().map(|share| Piece::Findings(self, share)));
        pieces.push(Piece::End(self));
        pieces
    }

    /// Returns the shown regions.
    pub fn regions(&self) -> impl Iterator<Item = Region<'a>> {
        self.all_regions().filter(|&(number, ..)| self.shown.region(number))
    }

    /// Returns the shown regions with their statuses.
    pub fn regions_with_statuses(&self) -> impl Iterator<Item = RegionWithStatus<'a>> {
        let statuses = self.statuses;
        self.regions().filter_map(|(number, facts, sums)| Some((facts, sums, statuses.get(number)?)))
    }

    fn all_regions(&self) -> impl Iterator<Item = Region<'a>> + use<'a> {
        let content = if self.has_content { self.measured.ledger.regions.as_slice() } else { &[] };
        let regions = content.iter().zip(&self.measured.regions).enumerate();
        regions.map(|(number, (facts, sums))| (number, facts, sums))
    }

    /// Returns the shown parcels with their regions, shown or not.
    pub fn parcels(&self) -> impl Iterator<Item = (Region<'a>, &'a ParcelFacts, &'a ParcelMeasures)> {
        self.all_regions().flat_map(move |region @ (number, facts, sums)| {
            let parcels = facts.parcels.iter().zip(&sums.parcels).enumerate();
            let shown = parcels.filter(move |(parcel, _)| self.shown.parcel(number, *parcel));
            shown.map(move |(_, (parcel, of_parcel))| (region, parcel, of_parcel))
        })
    }

    /// Returns the shown actions.
    pub fn actions(&self) -> impl Iterator<Item = &'a ListedAction<'a>> {
        let actions = self.actions.iter().enumerate();
        actions.filter(|(number, _)| self.shown.action(*number)).map(|(_, action)| action)
    }

    /// Returns the shown assets among those with these numbers.
    pub fn assets(&self, numbers: Range<usize>) -> impl Iterator<Item = assets::Row<'a>> {
        let measured = self.measured;
        let lands = regions_by_entry(measured.ledger);
        let assets = measured.ledger.assets[numbers].iter().map(move |asset| {
            let used = asset.uuid().and_then(|uuid| measured.uses.get(&uuid));
            assets::Row { measured, asset, by: used.map(|used| FirstUser::new(measured, used, &lands)) }
        });
        assets.filter(|row| self.shown.asset(row))
    }

    /// Returns the shown missing assets.
    pub fn missing(&self) -> impl Iterator<Item = &'a MissingAsset<'a>> {
        let missing = self.missing.iter().enumerate();
        missing.filter(|(number, _)| self.shown.missing(*number)).map(|(_, missing)| missing)
    }

    /// Returns the numbers of lost assets that the objects of each owner use. `None` if a filter leaves out regions.
    pub fn lost_of_owners(&self) -> Option<&'a BTreeMap<Uuid, u64>> {
        let has_all = self.all_regions().all(|(number, ..)| self.shown.region(number));
        let lost = self.lacking.map_or(&NOTHING_LOST, |lacking| &lacking.users.lost_of_owners);
        has_all.then_some(lost)
    }

    /// Returns the shown objects among those with these numbers.
    pub fn objects(&self, numbers: Range<usize>) -> impl Iterator<Item = objects::Row<'a>> {
        let objects = self.measured.objects().enumerate().skip(numbers.start).take(numbers.len());
        objects.filter(|(number, _)| self.shown.object(*number)).map(|(number, (object, measures))| {
            let root = object.linkset.parts.first().map_or(Uuid::nil(), |root| root.uuid);
            let about = self.counts.object(&object.entry, root);
            let action = self.first_actions.get(&number).copied();
            let lost = self.lacking.and_then(|lacking| lacking.users.lost_of_objects.get(&number));
            objects::Row { measured: self.measured, object, number, measures, about, action, lost }
        })
    }

    /// Returns all shown objects.
    pub fn all_objects(&self) -> impl Iterator<Item = objects::Row<'a>> {
        self.objects(0..if self.has_content { self.measured.ledger.objects.len() } else { 0 })
    }

    /// Returns the shown meshes among those with these numbers.
    pub fn meshes(&self, numbers: Range<usize>) -> impl Iterator<Item = meshes::Row<'a>> {
        let measured = self.measured;
        let meshes =
            measured.ledger.meshes.iter().zip(&measured.meshes).zip(&measured.mesh_users).enumerate();
        let some = meshes.skip(numbers.start).take(numbers.len());
        some.filter(|(number, _)| self.shown.mesh(*number)).map(move |(_, ((mesh, measures), &users))| {
            meshes::Row { measured, mesh, measures, users, about: self.counts.entry(&mesh.entry) }
        })
    }

    /// Returns all shown meshes.
    pub fn all_meshes(&self) -> impl Iterator<Item = meshes::Row<'a>> {
        self.meshes(0..if self.has_content { self.measured.ledger.meshes.len() } else { 0 })
    }

    /// Returns all shown findings.
    pub fn all_findings(&self) -> impl Iterator<Item = findings::Row<'a>> {
        self.findings(0..self.findings.findings.len())
    }

    /// Returns the shown findings among those with these numbers.
    pub fn findings(&self, numbers: Range<usize>) -> impl Iterator<Item = findings::Row<'a>> {
        let findings = self.findings.findings.iter().enumerate().skip(numbers.start).take(numbers.len());
        let shown = findings.filter(|(number, _)| self.shown.finding(*number));
        shown.map(|(_, reported)| findings::Row { measured: self.measured, reported })
    }

    /// Returns the shown rule outcomes.
    pub fn checks(&self) -> impl Iterator<Item = &'a RuleCount> {
        let checks = self.findings.checks.iter().enumerate();
        checks.filter(|(number, _)| self.shown.check(*number)).map(|(_, check)| check)
    }
}

/// Splits things whose rows have these bytes into ranges of about [`BYTES`].
fn shares(things: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let (mut shares, mut start, mut bytes, mut end) = (Vec::new(), 0, 0, 0);
    for of_thing in things {
        (end, bytes) = (end + 1, bytes + of_thing);
        if bytes >= BYTES {
            shares.push(start..end);
            (start, bytes) = (end, 0);
        }
    }
    if bytes > 0 {
        shares.push(start..end);
    }
    shares
}

/// Splits the parts of an object, whose first share is in the piece of the object.
fn shares_of_parts(object: &ObjectFacts) -> Vec<Range<usize>> {
    shares(bytes_of_parts(object))
}

fn bytes_of_object(object: &ObjectFacts) -> usize {
    ROW + object.entry.len() + bytes_of_parts(object).sum::<usize>()
}

fn bytes_of_parts(object: &ObjectFacts) -> impl Iterator<Item = usize> {
    object.linkset.parts.iter().map(|part| ROW + object.entry.len() + part.name.len())
}

fn bytes_of_mesh(mesh: &MeshFacts) -> usize {
    (1 + mesh.hulls()) * (ROW / 4 + mesh.entry.len())
}

fn bytes_of_finding(row: &ReportedFinding<'_>) -> usize {
    let texts = |finding: &Finding| finding.place.entry.len() + finding.detail.len();
    ROW + row.findings().map(texts).sum::<usize>()
}

impl Piece<'_> {
    /// Estimates the bytes of its rows.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Objects(input, numbers) => {
                let objects = input.measured.ledger.objects[numbers.clone()].iter();
                objects.map(|object| bytes_of_object(object).min(BYTES)).sum()
            }
            Self::Meshes(input, numbers) => {
                input.measured.ledger.meshes[numbers.clone()].iter().map(bytes_of_mesh).sum()
            }
            Self::Findings(input, numbers) => {
                input.findings.findings[numbers.clone()].iter().map(bytes_of_finding).sum()
            }
            Self::Assets(_, numbers) => ROW * numbers.len(),
            Self::Run(rows) => rows.bytes(),
            Self::Parts(..) | Self::Head(_) | Self::End(_) | Self::Changes(_) => BYTES,
        }
    }

    /// Passes on the rows of the piece.
    pub fn rows(&self, rows: &mut dyn Rows) -> io::Result<()> {
        match self {
            Self::Head(input) => head(input, rows),
            Self::Objects(input, numbers) => input.objects(numbers.clone()).try_for_each(|row| {
                write_row::<Objects>(rows, &row)?;
                let first = shares_of_parts(row.object).into_iter().next().unwrap_or_default();
                write_parts(&row, first, rows)
            }),
            Self::Parts(input, object, numbers) => input
                .objects(*object..*object + 1)
                .try_for_each(|row| write_parts(&row, numbers.clone(), rows)),
            Self::Meshes(input, numbers) => {
                input.meshes(numbers.clone()).try_for_each(|row| mesh_with_hulls(&row, rows))
            }
            Self::Assets(input, numbers) => {
                input.assets(numbers.clone()).try_for_each(|row| write_row::<Assets>(rows, &row))
            }
            Self::Findings(input, numbers) => {
                input.findings(numbers.clone()).try_for_each(|row| write_row::<Findings>(rows, &row))
            }
            Self::End(input) => {
                input.checks().try_for_each(|check| write_row::<Checks>(rows, &(input.measured, check)))
            }
            Self::Run(run) => run.rows(rows),
            Self::Changes(changes) => {
                changes.iter().try_for_each(|change| write_row::<Changes>(rows, &change))
            }
        }
    }
}

fn head(input: &Reported<'_>, rows: &mut dyn Rows) -> io::Result<()> {
    if let Some(row) = &input.row {
        write_row::<Archives>(rows, row)?;
    }
    for (region, sums, status) in input.regions_with_statuses() {
        write_row::<Regions>(rows, &(input.measured, region, sums, status))?;
    }
    for ((_, region, _), parcel, sums) in input.parcels() {
        write_row::<Parcels>(rows, &(input.measured, region, parcel, sums))?;
    }
    Ok(())
}

fn write_parts(row: &objects::Row<'_>, numbers: Range<usize>, rows: &mut dyn Rows) -> io::Result<()> {
    let parts = row.object.linkset.parts.iter().zip(&row.measures.parts);
    let mut some = parts.skip(numbers.start).take(numbers.len());
    some.try_for_each(|(part, measures)| {
        write_row::<Parts>(rows, &(row.measured, row.object, part, measures))
    })
}

fn mesh_with_hulls(row: &meshes::Row<'_>, rows: &mut dyn Rows) -> io::Result<()> {
    write_row::<Meshes>(rows, row)?;
    let Some(convex) = &row.mesh.convex else { return Ok(()) };
    let base = convex.base.iter().map(|hull| (None, hull));
    let hulls = convex.hulls.iter().enumerate().map(|(number, hull)| (Some(number), hull));
    base.chain(hulls)
        .try_for_each(|(number, hull)| write_row::<Hulls>(rows, &(row.measured, row.mesh, number, hull)))
}

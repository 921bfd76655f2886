//! Compares costs that a simulator reports with costs computed from an export of its region.

mod compare;
mod constants;
mod fit;
mod matching;
mod measured;
mod observe;
mod pbr;
mod profile;

use crate::{
    assets::Assets,
    measure::{ObjectMeasures, has_pbr_material, measure_object},
};
pub use compare::{Agreement, Quantity};
use compare::{Comparison, Pair, agreement, comparisons};
use hullmark_format::object::Part;
use hullmark_ledger::{
    Ledger,
    facts::{ObjectFacts, Role},
};
use hullmark_settings::profile::Profile;
use matching::{Candidate, matches};
pub use measured::{Measured, Row, Scope};
pub use pbr::PbrAccounting;
pub use profile::{Fitted, Verdict, written};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Sides that differ by more were changed after the export. In metres for sides up to 1 m, else relative.
const SAME_SIDE: f64 = 0.01;

pub struct Export<'a> {
    pub ledger: &'a Ledger,
    pub assets: Assets<'a>,
}

/// The agreement of measurements and exports, and the fitted constants of a profile. Its field names are stable.
#[derive(Debug, Serialize)]
pub struct Calibration {
    pub rows: usize,
    /// Number of rows that a later row with the same UUID replaced.
    pub rows_replaced: usize,
    /// Number of measured costs that are not finite: they count as not measured.
    pub costs_not_finite: usize,
    /// Number of parts in the exports, without those in inventories.
    pub parts: usize,
    pub matched_by_uuid: usize,
    /// Number of rows that were matched by name, position and link number.
    pub matched_by_place: usize,
    /// Matched rows that were changed after the export. Their part has other sides or another physics shape type, or
    /// their linkset another number of parts. Neither these rows nor the costs of their linksets are compared.
    pub changed: Vec<Place>,
    pub unmatched_rows: Vec<Place>,
    /// Parts without a row of their own or of their linkset.
    pub unmatched_parts: Vec<Place>,
    /// Costs without a computed cost, and the reason.
    pub not_compared: Vec<NotCompared>,
    /// Quantities that are 0 in every row: the simulator does not report them.
    pub not_reported: Vec<Quantity>,
    pub agreement: Vec<Agreement>,
    /// The accounting that linksets with PBR materials show.
    pub pbr_accounting: PbrAccounting,
    /// Number of costs that agree under the profile, and under the fitted profile.
    pub overall: Vec<Overall>,
    pub constants: Vec<Fitted>,
}

/// A part as a person identifies it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Place {
    pub uuid: Uuid,
    pub name: String,
    pub link: i32,
    /// Position in the region, in metres.
    pub position: [f64; 3],
}

/// Measured costs without a computed cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotCompared {
    pub quantity: Quantity,
    /// Reason why there is no computed cost.
    pub reason: String,
    pub count: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overall {
    pub quantity: Quantity,
    pub count: usize,
    /// Number of costs that differ by at most 0.5% under the profile.
    pub within_half_percent: usize,
    /// Number of costs that differ by at most 0.5% under the fitted profile.
    pub within_half_percent_fitted: usize,
}

/// An object of one of the exports.
struct Subject<'a> {
    assets: &'a Assets<'a>,
    facts: &'a ObjectFacts,
}

/// Compares measurements with exports under a profile, and fits the constants of estimated formulas. `None` if no row
/// matches a part.
pub fn calibrate(
    exports: &[Export<'_>],
    measured: &Measured,
    tolerance: f64,
    profile: &Profile,
) -> Option<Calibration> {
    let subjects = subjects(exports);
    let measure =
        |subject: &Subject<'_>, profile: &Profile| measure_object(subject.facts, subject.assets, profile);
    let measures: Vec<ObjectMeasures> = subjects.par_iter().map(|it| measure(it, profile)).collect();
    let places: Vec<(usize, usize)> = subjects
        .iter()
        .enumerate()
        .flat_map(|(object, it)| (0..it.facts.linkset.parts.len()).map(move |part| (object, part)))
        .collect();
    let candidate = |&(object, part): &(usize, usize)| {
        let facts = &subjects[object].facts.linkset.parts[part];
        Candidate {
            uuid: facts.uuid,
            name: &facts.name,
            link: facts.link_number,
            position: measures[object].parts[part].position,
            scale: facts.scale,
        }
    };
    let candidates: Vec<Candidate<'_>> = places.iter().map(candidate).collect();
    let matches = matches(&measured.rows, &candidates, tolerance);
    if matches.pairs.is_empty() {
        return None;
    }

    let changed = Changed::new(&measured.rows, &matches.pairs, &subjects, &places);
    let pairs = pairs(&measured.rows, &matches.pairs, &changed, &subjects, &places);
    let compare =
        |measures: &dyn Fn(&Pair<'_>) -> ObjectMeasures, profile: &Profile| -> Vec<Comparison<'_>> {
            pairs.iter().flat_map(|pair| comparisons(pair, &measures(pair), profile)).collect()
        };
    let mut compared = compare(&|pair| measures[pair.object].clone(), profile);
    let not_reported = take_not_reported(&mut compared);

    let constants = observe::fit(&compared, &subjects, profile);
    let fitted = profile::fitted(profile, &constants);
    let objects: BTreeSet<usize> = pairs.iter().map(|pair| pair.object).collect();
    let objects: Vec<usize> = objects.into_iter().collect();
    let again: BTreeMap<usize, ObjectMeasures> =
        objects.par_iter().map(|&object| (object, measure(&subjects[object], &fitted))).collect();
    let compared_fitted = compare(&|pair| again[&pair.object].clone(), &fitted);

    let matched_rows: BTreeSet<usize> = matches.pairs.iter().map(|&(row, _)| row).collect();
    let unmatched_rows = (0..measured.rows.len()).filter(|row| !matched_rows.contains(row));
    let changed = changed.rows.iter().map(|&row| of_row(&measured.rows[row])).collect();
    Some(Calibration {
        rows: measured.rows.len(),
        rows_replaced: measured.replaced,
        costs_not_finite: measured.not_finite,
        parts: places.len(),
        matched_by_uuid: matches.by_uuid,
        matched_by_place: matches.pairs.len() - matches.by_uuid,
        changed,
        unmatched_rows: unmatched_rows.map(|row| of_row(&measured.rows[row])).collect(),
        unmatched_parts: unmatched_parts(&matches.pairs, &measured.rows, &places, &candidates),
        not_compared: not_compared(&compared),
        not_reported,
        agreement: agreement(&compared),
        pbr_accounting: PbrAccounting::new(&pairs, &measures),
        overall: overall(&compared, &compared_fitted),
        constants,
    })
}

/// Returns the objects in regions and the separate files; if there are none, the objects in inventories.
fn subjects<'a>(exports: &'a [Export<'a>]) -> Vec<Subject<'a>> {
    let of = |Export { ledger, assets }: &'a Export<'a>| {
        ledger.objects.iter().map(move |facts| Subject { assets, facts })
    };
    let (nested, standing): (Vec<_>, Vec<_>) =
        exports.iter().flat_map(of).partition(|it| it.facts.role == Role::Nested);
    if standing.is_empty() { nested } else { standing }
}

/// Whether a part is unchanged since the export, as far as the row has values.
fn is_same(row: &Row, part: &Part) -> bool {
    let same_sides = row.scale.is_none_or(|scale| {
        let near = |a: f64, b: f64| (a - b).abs() <= SAME_SIDE * b.abs().max(1.0);
        (0..3).all(|axis| near(scale[axis], part.scale[axis]))
    });
    let same_type = row.physics_shape_type.is_none_or(|it| it == part.physics_shape_type.unwrap_or(0));
    let same_materials = row.render_materials.is_none_or(|seen| seen == 0 || has_pbr_material(part));
    same_sides && same_type && same_materials
}

/// The changes between the export and the measurement.
struct Changed {
    /// Rows that differ. If the number of parts in a linkset differs, its first row is here.
    rows: BTreeSet<usize>,
    /// Objects of these rows. Costs of these linksets cannot be compared.
    objects: BTreeSet<usize>,
}

impl Changed {
    fn new(
        rows: &[Row],
        matched: &[(usize, usize)],
        subjects: &[Subject<'_>],
        places: &[(usize, usize)],
    ) -> Self {
        let mut changed = Self { rows: BTreeSet::new(), objects: BTreeSet::new() };
        for &(number, place) in matched {
            let ((object, part), row) = (places[place], &rows[number]);
            let parts = &subjects[object].facts.linkset.parts;
            let another_count = row.scope == Scope::Linkset
                && row.prims.is_some_and(|prims| prims as usize != parts.len())
                && !changed.objects.contains(&object);
            if another_count || !is_same(row, &parts[part]) {
                changed.rows.insert(number);
                changed.objects.insert(object);
            }
        }
        changed
    }
}

/// Returns the unchanged matched rows with their parts, in the order of objects.
fn pairs<'a>(
    rows: &'a [Row],
    matched: &[(usize, usize)],
    changed: &Changed,
    subjects: &[Subject<'a>],
    places: &[(usize, usize)],
) -> Vec<Pair<'a>> {
    let mut matched: Vec<(usize, usize)> = matched
        .iter()
        .filter(|(row, _)| !changed.rows.contains(row))
        .map(|&(row, part)| (part, row))
        .collect();
    matched.sort_unstable();
    let mut seen = BTreeSet::new();
    let pair = |(part, row): (usize, usize)| {
        let (object, part) = places[part];
        let first = !changed.objects.contains(&object) && seen.insert(object);
        Pair { row: &rows[row], object, facts: subjects[object].facts, part, first }
    };
    matched.into_iter().map(pair).collect()
}

/// Removes and returns quantities that are 0 in every row.
fn take_not_reported(comparisons: &mut Vec<Comparison<'_>>) -> Vec<Quantity> {
    let asked: BTreeSet<Quantity> = comparisons.iter().map(|it| it.quantity).collect();
    let reported: BTreeSet<Quantity> =
        comparisons.iter().filter(|it| it.measured != 0.0).map(|it| it.quantity).collect();
    comparisons.retain(|it| reported.contains(&it.quantity));
    asked.difference(&reported).copied().collect()
}

fn of_row(row: &Row) -> Place {
    Place { uuid: row.uuid, name: row.name.clone(), link: row.link, position: row.position.to_array() }
}

fn unmatched_parts(
    pairs: &[(usize, usize)],
    rows: &[Row],
    places: &[(usize, usize)],
    candidates: &[Candidate<'_>],
) -> Vec<Place> {
    let matched: BTreeSet<usize> = pairs.iter().map(|&(_, part)| part).collect();
    let of_linksets = pairs.iter().filter(|(row, _)| rows[*row].scope == Scope::Linkset);
    let whole: BTreeSet<usize> = of_linksets.map(|&(_, part)| places[part].0).collect();
    let unmatched = |part: &usize| !matched.contains(part) && !whole.contains(&places[*part].0);
    let place = |part: usize| {
        let Candidate { uuid, name, link, position, .. } = &candidates[part];
        Place { uuid: *uuid, name: (*name).into(), link: *link, position: position.to_array() }
    };
    (0..places.len()).filter(unmatched).map(place).collect()
}

fn not_compared(comparisons: &[Comparison<'_>]) -> Vec<NotCompared> {
    let mut counts: BTreeMap<(Quantity, String), usize> = BTreeMap::new();
    for it in comparisons.iter().filter(|it| it.computed.exact().is_none()) {
        *counts.entry((it.quantity, it.computed.basis().to_string())).or_default() += 1;
    }
    let line = |((quantity, reason), count)| NotCompared { quantity, reason, count };
    counts.into_iter().map(line).collect()
}

fn overall(before: &[Comparison<'_>], after: &[Comparison<'_>]) -> Vec<Overall> {
    let known = |it: &&Comparison<'_>| it.computed.exact().is_some();
    let quantities: BTreeSet<Quantity> = before.iter().filter(known).map(|it| it.quantity).collect();
    let agree = |all: &[Comparison<'_>], quantity| {
        all.iter().filter(known).filter(|it| it.quantity == quantity && it.agrees()).count()
    };
    let line = |quantity| Overall {
        quantity,
        count: before.iter().filter(known).filter(|it| it.quantity == quantity).count(),
        within_half_percent: agree(before, quantity),
        within_half_percent_fitted: agree(after, quantity),
    };
    quantities.into_iter().map(line).collect()
}

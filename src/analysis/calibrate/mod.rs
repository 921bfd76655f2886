//! Costs reported by a simulator, compared with costs computed from its export.

mod compare;
mod constants;
mod fit;
mod matching;
mod measured;
mod observe;
mod profile;

use crate::{
    analysis::{
        assets::Assets,
        measure::{ObjectMeasures, measure_object},
    },
    format::object::Part,
    ledger::{
        Ledger,
        facts::{ObjectFacts, Role},
    },
    settings::profile::Profile,
};
pub use compare::{Agreement, Quantity};
use compare::{Comparison, Pair, agreement, comparisons};
use matching::{Candidate, matches};
pub use measured::{Measured, Row, Scope};
pub use profile::{Fitted, Verdict, written};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// Sides of a part that differ by more were changed after the export, metres and share.
const SAME_SIDE: f64 = 0.01;

/// An export with its assets.
pub struct Export<'a> {
    /// What was read.
    pub ledger: &'a Ledger,
    /// Its assets, and those of stores.
    pub assets: Assets<'a>,
}

/// How measurements and exports agree, and what they say of a profile. Its field names are a promise.
#[derive(Debug, Serialize)]
pub struct Calibration {
    /// Rows of the measurements, one for each UUID.
    pub rows: usize,
    /// Rows that a later one of the same UUID replaced.
    pub rows_replaced: usize,
    /// Measured costs that are no finite numbers: they count as not measured.
    pub costs_not_finite: usize,
    /// Parts of the exports, without those in inventories.
    pub parts: usize,
    /// Rows that were matched by UUID.
    pub matched_by_uuid: usize,
    /// Rows that were matched by name, position and link number.
    pub matched_by_place: usize,
    /// Matched rows whose part has other sides or another physics shape type in the export, or whose linkset has another
    /// number of parts: they are not compared, nor is what is of their linksets.
    pub changed: Vec<Place>,
    /// Rows without a part.
    pub unmatched_rows: Vec<Place>,
    /// Parts without a row, of their own or of their linkset.
    pub unmatched_parts: Vec<Place>,
    /// Costs that no figure could be set beside, and why.
    pub not_compared: Vec<NotCompared>,
    /// What the simulator gave as 0 in every row: it does not report it.
    pub not_reported: Vec<Quantity>,
    /// How well they agree, by kind of shape and basis.
    pub agreement: Vec<Agreement>,
    /// How many agree under the profile, and would under the fitted one.
    pub overall: Vec<Overall>,
    /// The constants of estimated formulas.
    pub constants: Vec<Fitted>,
}

/// A part, by what a person calls it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Place {
    /// Its UUID.
    pub uuid: Uuid,
    /// Its name.
    pub name: String,
    /// Its link number.
    pub link: i32,
    /// Where it is, metres.
    pub position: [f64; 3],
}

/// Costs without a figure beside them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotCompared {
    /// Which.
    pub quantity: Quantity,
    /// Why.
    pub reason: String,
    /// How many.
    pub count: usize,
}

/// How many figures agree.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overall {
    /// Which.
    pub quantity: Quantity,
    /// How many were compared.
    pub count: usize,
    /// How many differ by at most 0.5 % under the profile.
    pub within_half_percent: usize,
    /// How many would under the fitted one.
    pub within_half_percent_fitted: usize,
}

/// An object of one of the exports.
struct Subject<'a> {
    assets: &'a Assets<'a>,
    facts: &'a ObjectFacts,
}

/// Compares measurements with exports under a profile, and fits the constants of estimated formulas. Nothing, where no
/// row is of a part.
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
        overall: overall(&compared, &compared_fitted),
        constants,
    })
}

/// Objects that stand in a region or are files of their own; where there are none, those in inventories.
fn subjects<'a>(exports: &'a [Export<'a>]) -> Vec<Subject<'a>> {
    let of = |Export { ledger, assets }: &'a Export<'a>| {
        ledger.objects.iter().map(move |facts| Subject { assets, facts })
    };
    let (nested, standing): (Vec<_>, Vec<_>) =
        exports.iter().flat_map(of).partition(|it| it.facts.role == Role::Nested);
    if standing.is_empty() { nested } else { standing }
}

/// Whether a part is as it was exported, as far as the row says.
fn is_same(row: &Row, part: &Part) -> bool {
    let same_sides = row.scale.is_none_or(|scale| {
        let near = |a: f64, b: f64| (a - b).abs() <= SAME_SIDE * b.abs().max(1.0);
        (0..3).all(|axis| near(scale[axis], part.scale[axis]))
    });
    let same_type = row.physics_shape_type.is_none_or(|it| it == part.physics_shape_type.unwrap_or(0));
    same_sides && same_type
}

/// What was changed between the export and the measurement.
struct Changed {
    /// Rows that tell so. A linkset with another number of parts is told by its first row.
    rows: BTreeSet<usize>,
    /// Objects that they are of: what is of the whole linkset is of another one.
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

/// The matched rows with their parts, object by object, without those that were changed.
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

/// Takes out what is 0 in every row.
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

//! Use and capacity of land: regions, and the parcels of one owner, which share their capacity.

use super::link::at;
use crate::{
    analysis::{self, Measured, ParcelMeasures, RegionMeasures, cost::Cost, measure::ObjectMeasures},
    finding::{Code, Finding},
    ledger::facts::{ParcelFacts, RegionFacts, Status},
    rules::{RuleOutcomes, SkipReason, abridged},
};
use std::collections::{BTreeMap, BTreeSet};

/// A region, or all parcels that one owner has in it.
struct Land<'a> {
    /// Its name in a sentence.
    name: String,
    /// The folder of the region, or the entry of the first parcel.
    entry: &'a str,
    /// What stands there: land impact, or prims where the grid counts those.
    load: Cost,
    /// How much of that may stand there.
    capacity: f64,
    /// The linksets that stand there: their numbers in the ledger.
    objects: Vec<usize>,
}

/// Every land of an input: of each region its owners' parcels, then the region itself. Parcels that may hold all
/// that the region may are left out, as the region tells the same.
fn lands<'a>(measured: &'a Measured<'_>) -> Vec<Land<'a>> {
    let mut lands = Vec::new();
    for (facts, region) in measured.ledger.regions.iter().zip(&measured.regions) {
        // What was not read may hold another parcel of the same owner.
        if measured.ledger.status == Status::Complete {
            let owned = by_owner(facts, region).into_values();
            let owned = owned.filter_map(|parcels| of_parcels(&parcels, measured));
            lands.extend(owned.filter(|land| land.capacity < region.capacity));
        }
        lands.push(Land {
            name: format!("region \"{}\"", facts.name),
            entry: &facts.folder,
            load: load(measured, &region.standing),
            capacity: region.capacity,
            objects: region.standing.clone(),
        });
    }
    lands
}

/// How many lands an input has.
pub(crate) fn count(measured: &Measured<'_>) -> usize {
    lands(measured).len()
}

/// A parcel with its sums.
type Parcel<'a> = (&'a ParcelFacts, &'a ParcelMeasures);

/// The parcels of a region by owner, under the number of the first of each. Of a parcel without owner nobody knows with which
/// it shares.
fn by_owner<'a>(facts: &'a RegionFacts, region: &'a RegionMeasures) -> BTreeMap<usize, Vec<Parcel<'a>>> {
    let mut first: BTreeMap<_, usize> = BTreeMap::new();
    let mut parcels: BTreeMap<usize, Vec<Parcel<'a>>> = BTreeMap::new();
    for (number, (facts, measures)) in facts.parcels.iter().zip(&region.parcels).enumerate() {
        let owner = facts.parcel.owner;
        let number = if owner.is_nil() { number } else { *first.entry(owner).or_insert(number) };
        parcels.entry(number).or_default().push((facts, measures));
    }
    parcels
}

/// These parcels as one land; nothing where the area of one is not known.
fn of_parcels<'a>(parcels: &[Parcel<'a>], measured: &Measured<'_>) -> Option<Land<'a>> {
    let capacity: Option<f64> = parcels.iter().map(|(_, measures)| measures.capacity).sum();
    let objects: BTreeSet<usize> =
        parcels.iter().flat_map(|(_, measures)| &measures.standing).copied().collect();
    let objects: Vec<usize> = objects.into_iter().collect();
    let names: Vec<String> = parcels.iter().map(|(facts, _)| format!("\"{}\"", facts.parcel.name)).collect();
    let name = match names.as_slice() {
        [name] => format!("parcel {name}"),
        names => format!("parcels {} of one owner", abridged(names)),
    };
    Some(Land {
        name,
        entry: &parcels.first()?.0.entry,
        load: load(measured, &objects),
        capacity: capacity?,
        objects,
    })
}

/// What these linksets take of the land that they stand on.
fn load(measured: &Measured<'_>, objects: &[usize]) -> Cost {
    analysis::load(objects.iter().map(|&number| &measured.objects[number]), measured.profile)
}

/// The land of owners that [`lands()`] leaves out: what was not read may hold more of it, or an area is not known.
fn without_lands(measured: &Measured<'_>, code: Code, verdicts: &mut RuleOutcomes) {
    let owned = measured
        .ledger
        .regions
        .iter()
        .zip(&measured.regions)
        .flat_map(|(facts, region)| by_owner(facts, region).into_values());
    if measured.ledger.status != Status::Complete {
        return verdicts.not_evaluated(code, SkipReason::Incomplete, owned.count());
    }
    let no_area = |parcels: &Vec<Parcel<'_>>| parcels.iter().any(|(_, measures)| measures.capacity.is_none());
    verdicts.not_evaluated(code, SkipReason::NotStated, owned.filter(no_area).count());
}

/// Why land that is not known to be over may be so all the same.
fn doubt(measured: &Measured<'_>, load: Cost) -> Option<SkipReason> {
    match measured.ledger.status {
        Status::Complete => (!load.is_complete()).then_some(SkipReason::CostUnknown),
        _ => Some(SkipReason::Incomplete),
    }
}

/// A finding for each land that holds more than it may.
pub(crate) fn over_capacity(measured: &Measured<'_>, code: Code, verdicts: &mut RuleOutcomes) {
    without_lands(measured, code, verdicts);
    for land in lands(measured) {
        if let Some(load) = land.load.value().filter(|&load| load > land.capacity) {
            let finding = Finding::new(code).entry(land.entry).detail(land.name);
            verdicts.push(finding.measured(load).limit(land.capacity));
        } else if let Some(reason) = doubt(measured, land.load) {
            verdicts.not_evaluated(code, reason, 1);
        }
    }
}

/// A finding for each land that one of its linksets would overfill alone if it took so much more: at the linkset
/// that would take most. Land that is over already is not told again.
pub(crate) fn overfilled(
    measured: &Measured<'_>,
    code: Code,
    more: impl Fn(&ObjectMeasures) -> Option<f64>,
    verdicts: &mut RuleOutcomes,
) {
    without_lands(measured, code, verdicts);
    let mut reported = BTreeSet::new();
    for land in lands(measured) {
        let left = land.load.value().map_or(f64::NAN, |load| land.capacity - load);
        if left < 0.0 {
            continue;
        }
        let more = |&number: &usize| Some((more(&measured.objects[number])?, number));
        let mut over: Vec<_> = land
            .objects
            .iter()
            .filter_map(more)
            .filter(|&(more, number)| more > left && reported.insert(number))
            .collect();
        over.sort_by(|(a, x), (b, y)| b.total_cmp(a).then(x.cmp(y)));
        let Some(&(most, number)) = over.first() else {
            if let Some(reason) = doubt(measured, land.load) {
                verdicts.not_evaluated(code, reason, 1);
            }
            continue;
        };
        let others = match over.len() - 1 {
            0 => String::new(),
            1 => "; 1 more linkset would overfill it too".into(),
            others => format!("; {others} more linksets would overfill it too"),
        };
        // With a cost unknown on it there is less left, never more.
        let at_most = if land.load.is_complete() { "" } else { ", where costs are missing" };
        let finding = at(&measured.ledger.objects[number], code).measured(most).limit(left);
        verdicts.push(finding.detail(format!("{}{at_most}{others}", land.name)));
    }
}

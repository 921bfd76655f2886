//! Use and capacity of land: regions, and the parcels of one owner, which share their capacity.

use super::place::at_object;
use crate::{RuleOutcomes, SkipReason, abridged, source_of_limit};
use hullmark_analysis::{
    self as analysis, Measured, ParcelMeasures, RegionMeasures, cost::Cost, measure::ObjectMeasures,
};
use hullmark_finding::{Code, Finding};
use hullmark_ledger::facts::{ParcelFacts, RegionFacts, Status};
use hullmark_settings::{
    profile::{Counted, Product},
    simulator::limits::LimitKey,
};
use hullmark_util::number_text::thousands;
use std::collections::{BTreeMap, BTreeSet};

/// A region, or all parcels that one owner has in it.
struct Land<'a> {
    name: String,
    region: u32,
    /// The folder of the region, or the entry of the first parcel.
    entry: &'a str,
    /// The load: land impact, or prims on grids that count prims.
    load: Cost,
    /// The capacity, in the unit of `load`.
    capacity: f64,
    /// Whether it is a region, not parcels.
    is_region: bool,
    /// Numbers of the linksets on this land in the ledger.
    objects: Vec<usize>,
}

/// Returns every land of an input: for each region the parcels of each owner, then the region itself. Parcels with at
/// least the capacity of the region are left out, because the finding of the region covers them.
fn lands<'a>(measured: &'a Measured<'_>) -> Vec<Land<'a>> {
    let mut lands = Vec::new();
    for ((facts, region), number) in measured.ledger.regions.iter().zip(&measured.regions).zip(0..) {
        // The unread part may contain another parcel of the same owner.
        if measured.ledger.status == Status::Complete {
            let owned = by_owner(facts, region).into_values();
            let owned = owned.filter_map(|parcels| of_parcels(&parcels, number, measured));
            lands.extend(owned.filter(|land| land.capacity < region.capacity));
        }
        lands.push(Land {
            name: format!("region \"{}\"", facts.name),
            region: number,
            entry: &facts.folder,
            load: load(measured, &region.standing),
            capacity: region.capacity,
            is_region: true,
            objects: region.standing.clone(),
        });
    }
    lands
}

/// Whether land holds a certain land impact, so that a rule about it can be evaluated. Without a chosen target, nobody
/// knows the capacity.
pub fn holds_land_impact(measured: &Measured<'_>, code: Code, outcomes: &mut RuleOutcomes) -> bool {
    let land = &measured.profile.land;
    if !land.holds_land_impact() {
        outcomes.not_evaluated(code, SkipReason::NoTarget, count(measured));
    }
    land.counted == Counted::LandImpact
}

pub fn count(measured: &Measured<'_>) -> usize {
    lands(measured).len()
}

/// A parcel with its measures.
type Parcel<'a> = (&'a ParcelFacts, &'a ParcelMeasures);

/// Groups the parcels of a region by owner, under the number of the first parcel of each. Each parcel without an owner
/// is a group of its own.
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

/// Combines these parcels into one land. `None` if the area of a parcel is unknown.
fn of_parcels<'a>(parcels: &[Parcel<'a>], region: u32, measured: &Measured<'_>) -> Option<Land<'a>> {
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
        region,
        entry: &parcels.first()?.0.entry,
        load: load(measured, &objects),
        capacity: capacity?,
        is_region: false,
        objects,
    })
}

fn load(measured: &Measured<'_>, objects: &[usize]) -> Cost {
    let objects = objects.iter().map(|&number| (&measured.ledger.objects[number], &measured.objects[number]));
    analysis::load(objects, measured.profile)
}

/// Counts the owners' land that [`lands()`] leaves out, because the input is incomplete or an area is unknown.
fn without_lands(measured: &Measured<'_>, code: Code, outcomes: &mut RuleOutcomes) {
    let owned = measured
        .ledger
        .regions
        .iter()
        .zip(&measured.regions)
        .flat_map(|(facts, region)| by_owner(facts, region).into_values());
    if measured.ledger.status != Status::Complete {
        return outcomes.not_evaluated(code, SkipReason::Incomplete, owned.count());
    }
    let no_area = |parcels: &Vec<Parcel<'_>>| parcels.iter().any(|(_, measures)| measures.capacity.is_none());
    outcomes.not_evaluated(code, SkipReason::NotStated, owned.filter(no_area).count());
}

/// Why land may be over its capacity although this is not proved. `None` if the load is exact.
fn doubt(measured: &Measured<'_>, load: Cost) -> Option<SkipReason> {
    match measured.ledger.status {
        Status::Complete => (!load.is_complete()).then_some(SkipReason::CostUnknown),
        _ => Some(SkipReason::Incomplete),
    }
}

pub fn over_capacity(measured: &Measured<'_>, code: Code, outcomes: &mut RuleOutcomes) {
    without_lands(measured, code, outcomes);
    for land in lands(measured) {
        if let Some(load) = land.load.value().filter(|&load| load > land.capacity) {
            let source = source_of_limit(measured, Some(land.region), LimitKey::MaxPrims);
            let product = if land.is_region { product(measured, &land) } else { String::new() };
            let finding =
                Finding::new(code).entry(land.entry).detail(format!("{}{source}{product}", land.name));
            outcomes.push(finding.measured(load).limit(land.capacity));
        } else if let Some(reason) = doubt(measured, land.load) {
            outcomes.not_evaluated(code, reason, 1);
        }
    }
}

/// Names the kind of region with this capacity, and the smallest one that would hold the load. Empty on grids that sell
/// no regions.
fn product(measured: &Measured<'_>, land: &Land<'_>) -> String {
    let sold = &measured.profile.land;
    let Some(largest) = sold.products.iter().max_by_key(|Product(capacity, _)| *capacity) else {
        return String::new();
    };
    let named = |Product(capacity, name): &Product| format!("{name} ({})", thousands(u64::from(*capacity)));
    let own = sold.products.iter().find(|Product(capacity, _)| f64::from(*capacity) == land.capacity);
    let own = own.map_or_else(String::new, |Product(_, name)| format!(" ({name})"));
    let at_least = if land.load.is_complete() { "" } else { " what is known of" };
    match land.load.value().and_then(|load| sold.smallest_product(load)) {
        Some(holds) => format!("{own}; the smallest product that holds{at_least} it: {}", named(holds)),
        None => format!("{own}; no product holds it, the largest is {}", named(largest)),
    }
}

/// Adds a finding for each land that a single linkset would overfill if its load rose by `more`. The finding names the
/// linkset with the largest rise. Land that is already over its capacity is not reported again.
pub(crate) fn overfilled(
    measured: &Measured<'_>,
    code: Code,
    more: impl Fn(&ObjectMeasures) -> Option<f64>,
    outcomes: &mut RuleOutcomes,
) {
    without_lands(measured, code, outcomes);
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
                outcomes.not_evaluated(code, reason, 1);
            }
            continue;
        };
        let others = match over.len() - 1 {
            0 => String::new(),
            1 => "; 1 more linkset would overfill it too".into(),
            others => format!("; {others} more linksets would overfill it too"),
        };
        // If costs are unknown, less is left, never more.
        let at_most = if land.load.is_complete() { "" } else { ", where costs are missing" };
        let finding = at_object(&measured.ledger.objects[number], code).measured(most).limit(left);
        outcomes.push(finding.detail(format!("{}{at_most}{others}", land.name)));
    }
}

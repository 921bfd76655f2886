//! The actions of a region in their order, with sums and words for people.
//!
//! Three kinds of actions share the list. Some lower land impact ([`land_impact`]), and some repair what findings report
//! ([`mod@repairs`]). Others lower only the cost for the simulator ([`simulator`]). [`Urgency`] orders them. An [`Order`]
//! compares actions of all inputs.

mod land_impact;
mod repairs;
mod simulator;

pub use simulator::SimulatorSaving;

use crate::{findings::ReportedFindings, place_link::place_link};
use hullmark_analysis::{
    Measured,
    actions::{self, Action, Kind, Terms},
    cost::{Basis, Cost},
    regroup::Advice,
};
use hullmark_finding::{Code, Severity};
use hullmark_format::object::Part;
use hullmark_ledger::facts::{ObjectFacts, RegionFacts};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// Least share of the saving for each edit at which a further step joins the action on its object.
pub const JOINED: f64 = 0.1;

/// What comes first, the most urgent first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Urgency {
    /// A repair without which a load stops or is refused, or a region that is gone.
    Blocker,
    /// A repair without which content is lost.
    Loss,
    /// An action that lowers the land impact of a region over its capacity.
    OverCapacity,
    /// A repair of another error.
    Error,
    /// Any other action that lowers land impact.
    #[default]
    Saving,
    /// Any other repair.
    Other,
    /// An action that lowers only the cost for the simulator.
    Simulator,
}

/// The place of an action among those of all inputs, the least first. Urgency decides, then whether it is new, then the
/// land impact saved for each edit or the weight of the findings. Actions of one region keep their order.
pub type Order = u64;

/// An action in the list of its region.
#[derive(Debug, Clone)]
pub struct ListedAction<'a> {
    /// Name of its kind.
    pub kind: &'static str,
    /// Its place in the order.
    pub urgency: Urgency,
    /// Whether the findings are new or worse since the earlier run.
    pub is_new: bool,
    /// Its place among the actions of all inputs.
    pub order: Order,
    /// Rank in the region, from 1.
    pub rank: usize,
    /// The region; `None` for objects that are files of their own, and for files.
    pub region: Option<&'a RegionFacts>,
    /// Name of the parcel of the first object; empty if no parcel has it.
    pub parcel: &'a str,
    /// Index of the first object; `None` if the action concerns no object.
    pub first: Option<usize>,
    /// The first object.
    pub object: Option<&'a ObjectFacts>,
    /// Indices of the objects to which the words apply. Empty for a repair.
    pub objects: Vec<usize>,
    /// Name of the objects, or kind of the assets.
    pub name: String,
    /// Number of objects or assets that are alike; 1 for a link.
    pub count: usize,
    /// Number of edits.
    pub edits: usize,
    /// Link numbers of the prims to edit, as ranges. Empty without such prims, and for an object of one prim.
    pub link_numbers: String,
    /// Land impact of the objects before and after an action that lowers it. `None` for other actions.
    pub land_impact: Option<[Cost; 2]>,
    /// What a link or a split saves the simulator.
    pub simulator: Option<SimulatorSaving>,
    /// Land impact of the region after this action and all above it.
    pub sum_after: Option<f64>,
    /// Land impact that the region can hold.
    pub capacity: Option<f64>,
    /// Rule and severity of the finding that a repair mends.
    pub finding: Option<(Code, Severity)>,
    /// The first asset that a repair concerns.
    pub asset: Option<Uuid>,
    /// Weight of the findings that a repair mends.
    pub weight: f64,
    /// Addresses of the first object for viewers: in Second Life, and on the grid of the settings. Empty if unknown.
    pub urls: [String; 2],
    /// What to do.
    pub words: String,
    /// The problem that a repair mends, in one sentence. Empty for other actions.
    pub problem: String,
    /// What to do about it. Empty for other actions.
    pub advice: &'static str,
    /// The change that people notice, or the effect without a repair.
    pub effect: String,
}

/// Returns the first action that lowers the land impact of each object, by the index of the object.
pub fn first_of_objects<'l, 'a>(list: &'l [ListedAction<'a>]) -> HashMap<usize, &'l ListedAction<'a>> {
    let mut first = HashMap::new();
    for listed in list {
        for &object in &listed.objects {
            first.entry(object).or_insert(listed);
        }
    }
    first
}

impl<'a> ListedAction<'a> {
    /// Returns the root of the first object.
    pub fn root(&self) -> Option<&'a Part> {
        self.object.and_then(|object| object.linkset.parts.first())
    }

    /// Returns the land impact of the objects before and after the action, also if it does not fall. `None` for a
    /// repair.
    pub fn land_impacts(&self) -> Option<[Cost; 2]> {
        self.land_impact.or_else(|| self.simulator.as_ref().map(|saving| saving.land_impact))
    }

    /// Returns the land impact that the action saves; 0 for a repair.
    pub fn saving(&self) -> f64 {
        self.land_impact.map_or(0.0, |[before, after]| actions::saved(before, after))
    }

    /// Returns the land impact of the region after this action, in percent of its capacity.
    pub fn percent_after(&self) -> Option<f64> {
        let capacity = self.capacity.filter(|&capacity| capacity > 0.0)?;
        Some(100.0 * self.sum_after? / capacity)
    }

    /// Returns its place among the actions of all inputs, regardless of those of its region.
    fn order(&self) -> Order {
        let worth = match self.land_impact {
            Some(_) => self.saving() / self.edits.max(1) as f64,
            None => self.weight,
        };
        // Numbers from 0 have the order of their bits.
        let worth = worth.max(0.0).to_bits() >> 16;
        (self.urgency as Order) << 56 | Order::from(!self.is_new) << 48 | (!worth & ((1 << 48) - 1))
    }

    /// Returns the basis of both land impacts.
    pub fn basis(&self) -> Option<Basis> {
        self.land_impacts().map(|costs| Cost::sum(costs).basis())
    }
}

/// Lists the actions of an input, region by region, then those on files. `links` has the advice for each region.
/// `address` is that of the grid; empty for Second Life.
pub fn list<'a>(
    measured: &'a Measured<'a>,
    reported: &ReportedFindings<'a>,
    links: &[Vec<Advice>],
    address: &str,
) -> Vec<ListedAction<'a>> {
    // Without a chosen target, nobody knows what a lower land impact gains.
    let gains = measured.profile.land.holds_land_impact();
    let joined = |actions| actions::joined(actions, JOINED, measured);
    let mut repairs = repairs::by_region(measured, reported, address);
    let mut all = Vec::new();
    for region in 0..measured.regions.len() {
        let links = links.get(region).map_or(&[][..], Vec::as_slice);
        let actions = match gains {
            true => joined(actions::of_region(measured, region, links, Terms::default())),
            false => Vec::new(),
        };
        let mut others = repairs.remove(&Some(region)).unwrap_or_default();
        others.extend(simulator::listed(measured, links, &actions, address));
        let mut rows = listed(measured, Some(region), actions, others, address);
        simulator::add_savings(&mut rows, links, measured);
        all.extend(rows);
    }
    let files = if gains { joined(actions::of_files(measured, Terms::default())) } else { Vec::new() };
    all.extend(listed(measured, None, files, repairs.remove(&None).unwrap_or_default(), address));
    all
}

/// Orders the actions of a region, or of everything outside regions, and adds ranks, parcels and sums.
pub fn listed<'a>(
    measured: &'a Measured<'a>,
    region: Option<usize>,
    actions: Vec<Action>,
    repairs: Vec<ListedAction<'a>>,
    address: &str,
) -> Vec<ListedAction<'a>> {
    let facts = region.map(|region| &measured.ledger.regions[region]);
    let sums = region.map(|region| &measured.regions[region]);
    let parcels: HashMap<usize, &str> = facts
        .into_iter()
        .flat_map(|facts| &facts.parcels)
        .zip(sums.into_iter().flat_map(|sums| &sums.parcels))
        .flat_map(|(facts, sums)| sums.standing.iter().map(|&object| (object, facts.parcel.name.as_str())))
        .collect();
    let capacity = sums.filter(|_| measured.profile.land.holds_land_impact()).map(|sums| sums.capacity);
    let mut sum_after = sums.and_then(|sums| sums.total.land_impact.value());
    let is_over = sum_after.zip(capacity).is_some_and(|(sum, capacity)| sum > capacity);
    let urgency = if is_over { Urgency::OverCapacity } else { Urgency::Saving };
    // One edit lowers land impact and brings a physical object below the cap: it is said once.
    let shaped: HashSet<usize> = actions
        .iter()
        .filter(|action| action.kind == Kind::ConvexHull)
        .flat_map(|action| action.objects.iter().copied())
        .collect();
    let is_said = |repair: &ListedAction<'_>| {
        let is_over_cap = repair.finding.is_some_and(|(code, _)| code == Code::PHY001);
        is_over_cap && repair.first.is_some_and(|first| shaped.contains(&first))
    };
    let actions = actions.into_iter().filter_map(|action| land_impact::listed(measured, &action, address));
    let mut all: Vec<ListedAction<'a>> = actions.map(|listed| ListedAction { urgency, ..listed }).collect();
    all.extend(repairs.into_iter().filter(|repair| !is_said(repair)));
    // Stable: both lists are sorted.
    all.sort_by_key(|listed| (listed.urgency, !listed.is_new));
    let mut order = Order::MIN;
    for (index, listed) in all.iter_mut().enumerate() {
        order = order.max(listed.order());
        listed.order = order;
        sum_after = sum_after.map(|sum| sum - listed.saving());
        listed.rank = index + 1;
        listed.region = facts.or(listed.region);
        listed.parcel = listed.first.and_then(|first| parcels.get(&first)).copied().unwrap_or_default();
        listed.sum_after = sum_after;
        listed.capacity = capacity;
    }
    all
}

/// Returns the region of an object.
fn region_of<'a>(measured: &'a Measured<'a>, object: &ObjectFacts) -> Option<&'a RegionFacts> {
    object.region.and_then(|region| measured.ledger.regions.get(region as usize))
}

/// Returns the addresses of an object for viewers: in Second Life, and on the grid with this address. Empty without a
/// region name, a finite position or an address.
fn urls(measured: &Measured<'_>, object: &ObjectFacts, address: &str) -> [String; 2] {
    let place = region_of(measured, object)
        .zip(object.linkset.parts.first())
        .filter(|(region, root)| !region.name.is_empty() && root.group_position.is_finite());
    let link = |address| {
        let (region, root) = place?;
        Some(place_link(address, &region.name, root.group_position.to_array()))
    };
    let on_grid = Some(address).filter(|address| !address.is_empty()).and_then(link);
    [link("").unwrap_or_default(), on_grid.unwrap_or_default()]
}

/// Lists the repairs of everything in an input, without other actions.
pub fn repairs<'a>(
    measured: &'a Measured<'a>,
    reported: &ReportedFindings<'a>,
    address: &str,
) -> Vec<ListedAction<'a>> {
    let all = repairs::by_region(measured, reported, address).into_values().flatten().collect();
    listed(measured, None, Vec::new(), all, address)
}

//! The view as plain data. Text and JSON are written from it.

use super::{super::select_entry::Head, Goal, object::ObjectWeights};
use hullmark_analysis::{
    Measured,
    actions::{self, Action, FEW, Terms},
    cost::Cost,
    regroup,
};
use hullmark_ledger::facts::Role;
use hullmark_report::{
    ReportedFindings,
    actions::{JOINED, ListedAction, listed, repairs},
    summary::ActionLine,
};
use serde::Serialize;
use std::collections::HashMap;
use uuid::Uuid;

/// Everything that is shown. The field names here and below are stable.
#[derive(Debug, Serialize)]
pub(super) struct FixView {
    #[serde(flatten)]
    pub(super) head: Head,
    /// Name of the region. `None` for files, and for several regions.
    pub(super) region: Option<String>,
    /// Number of selected objects.
    pub(super) objects: usize,
    pub(super) land_impact: f64,
    pub(super) land_impact_basis: String,
    /// Land impact that the region can hold, if its objects are selected.
    pub(super) capacity: Option<f64>,
    /// Land impact to reach. `None` without a goal.
    pub(super) goal: Option<f64>,
    /// Whether the actions reach it. `None` without a goal.
    pub(super) reached: Option<bool>,
    /// Land impact after all listed actions.
    pub(super) land_impact_after: f64,
    /// The actions in their order. Without a goal, also repairs of what the whole file shows.
    pub(super) actions: Vec<ActionLine>,
    /// Parcels whose land impact is above their share of the region after the actions.
    pub(super) parcels_over: Vec<ParcelOver>,
    /// Weights of the object, if a single one is selected.
    pub(super) object: Option<ObjectWeights>,
}

/// A parcel above its share of the region.
#[derive(Debug, Serialize)]
pub(super) struct ParcelOver {
    pub(super) parcel: String,
    pub(super) owner_uuid: Uuid,
    pub(super) land_impact_after: f64,
    /// Land impact that the parcel can hold.
    pub(super) capacity: f64,
}

/// The selected objects, and the land impact that they should reach.
#[derive(Debug, Clone, Copy)]
pub(super) struct Selection<'a> {
    /// Index of the region. `None` for all objects.
    pub(super) region: Option<usize>,
    /// UUIDs of the owner. `None` for all owners.
    pub(super) owners: Option<&'a [Uuid]>,
    /// Whether the file was read for one name only.
    pub(super) by_name: bool,
    pub(super) goal: Goal,
    pub(super) terms: Terms,
    /// Maximum number of links.
    pub(super) top: usize,
    /// Address of the grid; empty for Second Life.
    pub(super) address: &'a str,
}

impl FixView {
    /// Selects the actions that reach a goal.
    pub(super) fn new<'a>(
        measured: &'a Measured<'a>,
        reported: &ReportedFindings<'a>,
        head: Head,
        selection: Selection<'_>,
    ) -> Self {
        let Selection { region, owners, by_name, goal, terms, top, address } = selection;
        let selected = selected(measured, region, owners);
        let land_impact = Cost::sum(selected.iter().map(|&number| measured.objects[number].land_impact));
        let present = land_impact.value().unwrap_or(0.0);
        let candidates = |terms| {
            let mut all = candidates(measured, region, by_name || owners.is_some(), terms, top);
            all.retain(|action| action.objects.iter().all(|object| selected.contains(object)));
            all
        };
        let all = candidates(terms);
        let holds_land_impact = measured.profile.land.holds_land_impact();
        let capacity = region.filter(|_| holds_land_impact).map(|region| measured.regions[region].capacity);
        let at_most = match goal {
            Goal::Best => None,
            Goal::LandImpact(impact) => Some(impact),
            Goal::Capacity => capacity,
        };
        let (taken, reached, land_impact_after) = match at_most {
            None => {
                let saved: f64 = all.iter().map(Action::saving).sum();
                (actions::joined(all, JOINED, measured), None, present - saved)
            }
            Some(at_most) => {
                let goal = actions::Goal { present, at_most };
                let mut found = goal.reach(&all);
                if !found.reached {
                    // Coarser than the convention, which only a goal justifies.
                    found = goal.reach(&candidates(Terms { lowest_at_most: Some(FEW), ..terms }));
                }
                (actions::joined(found.actions, 0.0, measured), Some(found.reached), found.after)
            }
        };
        let parcels_over = match region {
            Some(region) if reached.is_some() && holds_land_impact => parcels_over(measured, region, &taken),
            _ => Vec::new(),
        };
        // Only the whole file shows missing assets, and a goal is reached by land impact alone.
        let repairs = match goal {
            Goal::Best if !by_name => repairs(measured, reported, address),
            _ => Vec::new(),
        };
        let is_selected = |repair: &ListedAction<'_>| match repair.first {
            Some(first) => selected.contains(&first),
            None => owners.is_none(),
        };
        let repairs = repairs.into_iter().filter(is_selected).collect();
        let lines = listed(measured, region, taken, repairs, address);
        let line = |listed: &ListedAction<'_>| {
            let line = ActionLine::new(&measured.ledger.input, listed);
            // The file was read for this object only, so sums of its region are unknown.
            let sums = (line.land_impact_sum_after, line.percent_of_capacity_after);
            let (sum, percent) = if by_name { (None, None) } else { sums };
            ActionLine { land_impact_sum_after: sum, percent_of_capacity_after: percent, ..line }
        };
        let single = selected.as_slice();
        Self {
            head,
            region: region.map(|region| measured.ledger.regions[region].name.clone()),
            objects: selected.len(),
            land_impact: present,
            land_impact_basis: land_impact.basis().to_string(),
            capacity: capacity.filter(|_| owners.is_none() && !by_name),
            goal: at_most,
            reached,
            land_impact_after,
            actions: lines.iter().map(line).collect(),
            parcels_over,
            object: match single {
                [number] if by_name => ObjectWeights::new(measured, *number),
                _ => None,
            },
        }
    }
}

/// Returns the objects of a region and owner; without regions those that are files of their own.
fn selected(measured: &Measured<'_>, region: Option<usize>, owners: Option<&[Uuid]>) -> Vec<usize> {
    let objects = measured.ledger.objects.iter().enumerate();
    let here = |role: Role, of: Option<u32>| match region {
        Some(region) => role == Role::Rezzed && of == Some(region as u32),
        None => role != Role::Nested,
    };
    let of_owner = |number: usize| {
        let root = measured.ledger.objects[number].linkset.parts.first();
        owners.is_none_or(|owners| root.is_some_and(|root| owners.contains(&root.owner)))
    };
    let mut numbers: Vec<usize> =
        objects.filter(|(_, object)| here(object.role, object.region)).map(|(number, _)| number).collect();
    // A nested object may be the only one of its name.
    if numbers.is_empty() {
        numbers = (0..measured.ledger.objects.len()).collect();
    }
    numbers.retain(|&number| of_owner(number));
    numbers
}

/// Returns all actions that may be taken, in steps as small as possible.
fn candidates(
    measured: &Measured<'_>,
    region: Option<usize>,
    few: bool,
    terms: Terms,
    top: usize,
) -> Vec<Action> {
    let of_region = |region: usize| {
        // A link joins objects of a whole region.
        let links = if few { Vec::new() } else { regroup::advise(measured, region, top) };
        actions::of_region(measured, region, &links, terms)
    };
    let mut all: Vec<Action> = match region {
        Some(region) => of_region(region),
        None => (0..measured.regions.len()).flat_map(of_region).collect(),
    };
    if region.is_none() {
        let apart =
            (0..measured.objects.len()).filter(|&number| measured.ledger.objects[number].region.is_none());
        all.extend(apart.flat_map(|number| actions::of_object(measured, number, terms)));
        all.sort_by(|a, b| b.saved_per_edit.total_cmp(&a.saved_per_edit));
    }
    all
}

/// Returns the parcels above their share after these actions.
fn parcels_over(measured: &Measured<'_>, region: usize, taken: &[Action]) -> Vec<ParcelOver> {
    let mut saved: HashMap<usize, f64> = HashMap::new();
    for action in taken {
        let share = action.saving() / action.objects.len() as f64;
        action.objects.iter().for_each(|&object| *saved.entry(object).or_default() += share);
    }
    let parcels = measured.ledger.regions[region].parcels.iter().zip(&measured.regions[region].parcels);
    let over = parcels.filter_map(|(facts, sums)| {
        let saved: f64 = sums.standing.iter().filter_map(|object| saved.get(object)).sum();
        let (land_impact_after, capacity) = (sums.total.land_impact.value()? - saved, sums.capacity?);
        (land_impact_after > capacity).then(|| ParcelOver {
            parcel: facts.parcel.name.clone(),
            owner_uuid: facts.parcel.owner,
            land_impact_after,
            capacity,
        })
    });
    over.collect()
}

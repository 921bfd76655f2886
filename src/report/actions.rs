//! Actions of a region with their sums, and their words for people.

use crate::{
    analysis::{
        Measured,
        actions::{self, Action, Kind, LevelTarget, Terms},
        cost::Cost,
        regroup::Advice,
    },
    format::object::Part,
    ledger::facts::{ObjectFacts, RegionFacts},
    report::place_link::place_link,
    util::number_text::{counted, ranges, thousands},
};
use std::collections::HashMap;

/// Least share of the saving for each edit at which a further step joins the action on its object.
pub const JOINED: f64 = 0.1;
/// Names of the levels that have targets, from lowest to medium.
const LEVELS: [&str; 3] = ["lowest", "low", "medium"];

/// An action in the list of its region.
#[derive(Debug, Clone)]
pub struct ListedAction<'a> {
    /// The action.
    pub action: Action,
    /// Rank in the region, from 1.
    pub rank: usize,
    /// The region; `None` for objects that are files of their own.
    pub region: Option<&'a RegionFacts>,
    /// Name of the parcel of the first object; empty if no parcel has it.
    pub parcel: &'a str,
    /// Land impact of the region after this action and all above it.
    pub sum_after: Option<f64>,
    /// Land impact that the region can hold.
    pub capacity: Option<f64>,
    object: &'a ObjectFacts,
}

/// Lists the actions of an input, region by region, then those on files. `links` has the advice for each region.
pub fn list<'a>(
    measured: &'a Measured<'a>,
    links: &[Vec<Advice<'a>>],
    terms: Terms,
) -> Vec<ListedAction<'a>> {
    let joined = |actions| actions::joined(actions, JOINED, measured);
    let regions = (0..measured.regions.len()).flat_map(|region| {
        let links = links.get(region).map_or(&[][..], Vec::as_slice);
        listed(measured, Some(region), joined(actions::of_region(measured, region, links, terms)))
    });
    let files = listed(measured, None, joined(actions::of_files(measured, terms)));
    regions.chain(files).collect()
}

/// Adds ranks, parcels and sums to the actions of a region, or of objects that are in no region.
pub fn listed<'a>(
    measured: &'a Measured<'a>,
    region: Option<usize>,
    actions: Vec<Action>,
) -> Vec<ListedAction<'a>> {
    let facts = region.map(|region| &measured.ledger.regions[region]);
    let sums = region.map(|region| &measured.regions[region]);
    let parcels: HashMap<usize, &str> = facts
        .into_iter()
        .flat_map(|facts| &facts.parcels)
        .zip(sums.into_iter().flat_map(|sums| &sums.parcels))
        .flat_map(|(facts, sums)| sums.standing.iter().map(|&object| (object, facts.parcel.name.as_str())))
        .collect();
    let mut sum_after = sums.and_then(|sums| sums.total.land_impact.value());
    let list = actions.into_iter().enumerate().filter_map(|(index, action)| {
        sum_after = sum_after.map(|sum| sum - action.saving());
        let first = *action.objects.first()?;
        let object = &measured.ledger.objects[first];
        let of_object = object.region.and_then(|region| measured.ledger.regions.get(region as usize));
        Some(ListedAction {
            rank: index + 1,
            region: facts.or(of_object),
            parcel: parcels.get(&first).copied().unwrap_or_default(),
            sum_after,
            capacity: sums.map(|sums| sums.capacity),
            object,
            action,
        })
    });
    list.collect()
}

impl<'a> ListedAction<'a> {
    /// Returns the first object.
    pub fn object(&self) -> &'a ObjectFacts {
        self.object
    }

    /// Returns the root of the first object.
    pub fn root(&self) -> Option<&'a Part> {
        self.object.linkset.parts.first()
    }

    /// Returns the number of objects that are alike; 1 for a link.
    pub fn count(&self) -> usize {
        if self.action.kind == Kind::Link { 1 } else { self.action.objects.len() }
    }

    /// Returns the land impact of the region after this action, in percent of its capacity.
    pub fn percent_after(&self) -> Option<f64> {
        let capacity = self.capacity.filter(|&capacity| capacity > 0.0)?;
        Some(100.0 * self.sum_after? / capacity)
    }

    /// Returns the link numbers of the prims to edit, as ranges. Empty without such prims, and for an object of one prim.
    pub fn link_numbers(&self) -> String {
        if self.action.parts.is_empty() || self.object.linkset.parts.len() < 2 {
            return String::new();
        }
        let parts = &self.object.linkset.parts;
        let numbers: Vec<i32> = self.action.parts.iter().map(|&part| parts[part].link_number).collect();
        ranges(&numbers)
    }

    /// Returns the basis of both land impacts.
    pub fn basis(&self) -> crate::analysis::cost::Basis {
        Cost::sum([self.action.before, self.action.after]).basis()
    }

    /// Returns the address of the first object in Second Life; empty without a region name or a finite position.
    pub fn url(&self) -> String {
        let place = self
            .region
            .zip(self.root())
            .filter(|(region, root)| !region.name.is_empty() && root.group_position.is_finite());
        place.map_or_else(String::new, |(region, root)| {
            place_link("", &region.name, root.group_position.to_array())
        })
    }

    /// Returns the steps in a viewer.
    pub fn words(&self) -> String {
        let links = self.link_numbers();
        let edit = match links.as_str() {
            "" => "Edit the object".into(),
            links if self.action.parts.len() == 1 => format!("Edit linked, select link {links}"),
            links => format!("Edit linked, select links {links}"),
        };
        match self.action.kind {
            Kind::ConvexHull => format!("{edit}: Features > Physics Shape Type > Convex Hull."),
            Kind::ShapeNone => format!("{edit}: Features > Physics Shape Type > None."),
            Kind::CoarserLevels => {
                let meshes: Vec<String> =
                    self.action.levels.iter().map(|level| self.level_words(level)).collect();
                meshes.join(" ")
            }
            Kind::RemoveCopy => {
                "Delete it, if the other object at this position is the same: Build > Edit, then Delete."
                    .into()
            }
            Kind::Link => {
                let count = counted(self.action.edits as u64, "object");
                format!("Select these {count}, this one last, and link them: Build > Object > Link.")
            }
        }
    }

    fn level_words(&self, level: &LevelTarget) -> String {
        let parts = &self.object.linkset.parts;
        let users = parts.iter().filter(|part| part.mesh() == Some(level.mesh));
        let links: Vec<i32> = users.map(|part| part.link_number).collect();
        let place = match links.as_slice() {
            _ if parts.len() < 2 => String::new(),
            [one] => format!(" of link {one}"),
            _ => format!(" of links {}", ranges(&links)),
        };
        let changed = (0..3).filter(|&index| level.triangles[index] < level.present[index]);
        let words: Vec<String> = changed
            .map(|index| {
                let [most, now] = [level.triangles, level.present].map(|counts| thousands(counts[index]));
                format!("{} {most} (now {now})", LEVELS[index])
            })
            .collect();
        format!("Upload the mesh{place} again with fewer triangles: {}.", words.join(", "))
    }

    /// Returns the change that people notice.
    pub fn effect(&self) -> &'static str {
        match self.action.kind {
            Kind::ConvexHull => "Collides as a convex hull: hollows, doorways and gaps of these prims close.",
            Kind::ShapeNone => "No longer collides: avatars and objects pass through these prims.",
            Kind::CoarserLevels => "Looks simpler from a distance.",
            Kind::RemoveCopy => "One of the objects at this position stays.",
            Kind::Link => "Becomes one object: scripts and link numbers change.",
        }
    }
}

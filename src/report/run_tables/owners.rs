//! The sums of each owner over all inputs, with findings and losses.

use crate::{counts::SeverityCounts, findings::ReportedFinding, reported::Reported, summary::large_first};
use hullmark_analysis::cost::Cost;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::facts::Role;
use hullmark_settings::users::Users;
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, collections::BTreeMap, io};
use uuid::Uuid;

/// What an owner has.
#[derive(Debug, Serialize, Deserialize)]
pub struct Owner {
    /// Number of linksets in regions and in files of their own.
    pub objects: u64,
    /// Number of their prims.
    pub parts: u64,
    /// Sum of their land impacts.
    pub land_impact: Cost,
    /// Number of linksets in inventories.
    pub in_inventories: u64,
    /// Number of parcels.
    pub parcels: u64,
    /// Area of these parcels, m².
    pub area_m2: f64,
    /// Findings about the objects.
    pub findings: SeverityCounts,
    /// The worst of them, by severity, then by weight.
    pub worst: Option<(Severity, f64, Code)>,
    /// Number of lost assets that the objects use. An asset that several inputs lack counts for each of them.
    lost: u64,
}

impl Default for Owner {
    fn default() -> Self {
        Self {
            objects: 0,
            parts: 0,
            land_impact: Cost::spec(0.0),
            in_inventories: 0,
            parcels: 0,
            area_m2: 0.0,
            findings: SeverityCounts::default(),
            worst: None,
            lost: 0,
        }
    }
}

impl Owner {
    /// Keeps a finding that is worse than those before.
    fn keep_worst(&mut self, finding: (Severity, f64, Code)) {
        let (severity, weight, _) = finding;
        if self.worst.is_none_or(|(worst, most, _)| (severity, weight) > (worst, most)) {
            self.worst = Some(finding);
        }
    }

    fn join(&mut self, next: &Self) {
        self.objects += next.objects;
        self.parts += next.parts;
        self.land_impact = Cost::sum([self.land_impact, next.land_impact]);
        self.in_inventories += next.in_inventories;
        self.parcels += next.parcels;
        self.area_m2 += next.area_m2;
        self.findings.add_all(&next.findings);
        next.worst.into_iter().for_each(|finding| self.keep_worst(finding));
        self.lost += next.lost;
    }
}

/// A row of the table.
pub struct Row<'a> {
    /// The owner.
    pub uuid: Uuid,
    /// Its name in the list of users.
    pub name: Option<&'a str>,
    /// Its sums.
    pub owner: &'a Owner,
    /// Number of lost assets that the objects use. `None` in a report of some regions.
    pub lost: Option<u64>,
    /// Area of all regions, m².
    pub land_m2: f64,
}

/// The sums of all owners.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Sums {
    owners: BTreeMap<Uuid, Owner>,
    land_m2: f64,
    /// Whether losses of some regions are unknown.
    is_of_some_regions: bool,
}

impl Sums {
    /// Adds the shown things of an input. Without an owner, a thing does not count.
    pub(super) fn add(&mut self, input: &Reported<'_>) {
        for (_, facts, _) in input.regions() {
            self.land_m2 += facts.size.map(f64::from).iter().product::<f64>();
        }
        for (_, facts, sums) in input.parcels() {
            if let Some(owner) = self.of(facts.parcel.owner) {
                owner.parcels += 1;
                owner.area_m2 += sums.area.unwrap_or_default();
            }
        }
        for row in input.all_objects() {
            let parts = &row.object.linkset.parts;
            let Some(owner) = parts.first().and_then(|root| self.of(root.owner)) else { continue };
            if row.object.role == Role::Nested {
                owner.in_inventories += 1;
                continue;
            }
            owner.objects += 1;
            owner.parts += parts.len() as u64;
            owner.land_impact = Cost::sum([owner.land_impact, row.measures.land_impact]);
        }
        for row in input.all_findings().filter(|row| row.reported.waived().is_none()) {
            let ReportedFinding { severity, finding, count, .. } = row.reported;
            let Some(owner) = row.root().and_then(|root| self.of(root.owner)) else { continue };
            owner.findings.add(*severity, *count);
            owner.keep_worst((*severity, finding.weight, finding.code));
        }
        match input.lost_of_owners() {
            None => self.is_of_some_regions = true,
            // A filter may leave out all other things of an owner.
            Some(lost) => lost.iter().for_each(|(uuid, lost)| {
                self.owners.entry(*uuid).and_modify(|owner| owner.lost += lost);
            }),
        }
    }

    /// Joins the sums of the next inputs to these.
    pub(super) fn join(&mut self, next: Self) {
        self.land_m2 += next.land_m2;
        self.is_of_some_regions |= next.is_of_some_regions;
        for (uuid, more) in next.owners {
            self.owners.entry(uuid).or_default().join(&more);
        }
    }

    fn of(&mut self, uuid: Uuid) -> Option<&mut Owner> {
        (!uuid.is_nil()).then(|| self.owners.entry(uuid).or_default())
    }

    /// Hands over the rows: owners with the worst findings first, then with most losses, then the heaviest.
    pub(super) fn rows(
        self,
        users: Option<&Users>,
        mut then: impl FnMut(&Row<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut owners: Vec<(Uuid, Owner)> = self.owners.into_iter().collect();
        // The sort is stable: of equal owners, the one with the lower UUID stays first.
        owners.sort_by_key(|(_, owner)| {
            let severity = owner.findings.worst().filter(|severity| *severity >= Severity::Error);
            (
                Reverse(severity),
                Reverse(owner.lost),
                large_first(owner.land_impact.value()),
                Reverse(owner.parts),
            )
        });
        owners.iter().try_for_each(|(uuid, owner)| {
            let name = users.and_then(|users| users.name(*uuid));
            let lost = (!self.is_of_some_regions).then_some(owner.lost);
            then(&Row { uuid: *uuid, name, owner, lost, land_m2: self.land_m2 })
        })
    }
}

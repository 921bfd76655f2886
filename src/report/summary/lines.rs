//! Lines of the lists of a summary: actions, losses, objects, findings, and inputs that were not read.

use super::large_first;
use crate::{actions::ListedAction, missing::MissingAsset, tables::findings};
use hullmark_analysis::Measured;
use hullmark_finding::{Code, Severity};
use hullmark_ledger::{
    facts::{Role, Status},
    identity::file_name,
};
use hullmark_rules::catalogue;
use hullmark_settings::users::Users;
use hullmark_util::number_text::{plain, thousands};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use uuid::Uuid;

/// An action in a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ActionLine {
    /// Path of its input.
    pub archive: String,
    /// Name of the region; empty for an object in its own file.
    pub region: String,
    /// Rank in the region, from 1.
    pub rank: usize,
    /// Kind of the action.
    pub kind: String,
    /// Name of the object, kind of the missing assets, or name of the file.
    pub name: String,
    /// Number of objects or assets that are alike.
    pub count: usize,
    /// UUID of the root prim of the first object; absent if the action concerns no object.
    pub object_uuid: Option<Uuid>,
    /// Address of the first object for viewers; empty if unknown.
    pub url: String,
    /// Its address on the grid of the settings; empty without one.
    pub hop_url: String,
    /// Number of edits in all these objects.
    pub edits: usize,
    /// Land impact of these objects before the action; absent for a repair.
    pub land_impact_before: Option<f64>,
    /// Land impact of these objects after the action; absent for a repair.
    pub land_impact_after: Option<f64>,
    /// Land impact of the region after this action and all that rank before it.
    pub land_impact_sum_after: Option<f64>,
    /// The same in percent of the capacity.
    pub percent_of_capacity_after: Option<f64>,
    /// Basis of both land impacts; absent for a repair.
    pub basis: Option<String>,
    /// Rule whose findings the repair mends.
    pub code: Option<Code>,
    /// Severity of these findings.
    pub severity: Option<Severity>,
    /// Whether these findings are new or worse since the earlier run.
    pub is_new: bool,
    /// The problem that a repair mends, in one sentence. Empty for other actions.
    pub problem: String,
    /// What to do about it. Empty for other actions.
    pub advice: String,
    /// What to do, with the steps in a viewer.
    pub action: String,
    /// Change that people notice, or the effect without the repair.
    pub effect: String,
}

impl ActionLine {
    /// Creates the line of an action.
    pub fn new(archive: &str, listed: &ListedAction<'_>) -> Self {
        Self {
            archive: archive.into(),
            region: listed.region.map_or_else(String::new, |region| region.name.clone()),
            rank: listed.rank,
            kind: listed.kind.into(),
            name: listed.name.clone(),
            count: listed.count,
            object_uuid: listed.root().map(|root| root.uuid),
            url: listed.urls[0].clone(),
            hop_url: listed.urls[1].clone(),
            edits: listed.edits,
            land_impact_before: listed.land_impact.and_then(|[before, _]| before.value()),
            land_impact_after: listed.land_impact.and_then(|[_, after]| after.value()),
            land_impact_sum_after: listed.sum_after,
            percent_of_capacity_after: listed.percent_after(),
            basis: listed.basis().map(|basis| basis.to_string()),
            code: listed.finding.map(|(code, _)| code),
            severity: listed.finding.map(|(_, severity)| severity),
            is_new: listed.is_new,
            problem: listed.problem.clone(),
            advice: listed.advice.into(),
            action: listed.words.clone(),
            effect: listed.effect.clone(),
        }
    }

    /// Returns the name of the object, with the number of objects if there are several: `12 × Bench`.
    pub fn title(&self) -> String {
        let name = if self.object_uuid.is_some() { object_name(&self.name) } else { &self.name };
        match self.count {
            0 | 1 => name.to_owned(),
            count => format!("{} × {name}", thousands(count as u64)),
        }
    }

    /// Whether it is about limits and costs, not about the load.
    pub fn is_about_limits(&self) -> bool {
        self.code.is_none_or(Code::is_about_limits)
    }

    /// Returns the address of the first object: on the grid of the settings, else in Second Life.
    pub fn address(&self) -> &str {
        if self.hop_url.is_empty() { &self.url } else { &self.hop_url }
    }

    /// Returns the land impact before and after the action; `None` for a repair.
    pub fn land_impact(&self) -> Option<[f64; 2]> {
        Some([self.land_impact_before?, self.land_impact_after?])
    }

    /// Whether the region is over its capacity before this action, and not after it.
    pub fn reaches_capacity(&self) -> bool {
        let (Some([before, after]), Some(sum), Some(percent)) =
            (self.land_impact(), self.land_impact_sum_after, self.percent_of_capacity_after)
        else {
            return false;
        };
        // Without a remaining land impact the percentage does not show the capacity.
        percent <= 100.0 && sum > 0.0 && percent * (sum + before - after) / sum > 100.0
    }
}

/// Lost content of one kind, over all inputs.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LossLine {
    /// Kind of the content: a kind of asset, `object`, or another noun.
    pub kind: String,
    /// Number of lost items. An asset that several inputs lack counts for each of them.
    pub lost: u64,
    /// Number of objects that use the lost assets; absent if the items are not assets.
    pub objects: Option<u64>,
    /// The first object that uses the asset of most objects. Absent if no object uses one.
    pub first: Option<FirstUse>,
}

/// An object that uses lost content.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstUse {
    /// Path of its input.
    pub archive: String,
    /// Its name.
    pub object_name: String,
    /// Name of its owner in the list of users, else the UUID.
    pub owner: String,
    /// Name of its region; empty outside of regions.
    pub region: String,
    /// Its position, metres, if it is rezzed.
    pub position_m: Option<[f64; 3]>,
}

impl FirstUse {
    /// Creates it from a missing asset. `None` if no object uses that.
    pub fn new(measured: &Measured<'_>, missing: &MissingAsset<'_>, users: Option<&Users>) -> Option<Self> {
        let root = missing.by.root()?;
        let name = users.and_then(|users| users.name(root.owner)).map(str::to_owned);
        Some(Self {
            archive: measured.ledger.input.clone(),
            object_name: root.name.clone(),
            owner: name.unwrap_or_else(|| root.owner.to_string()),
            region: missing.by.region(measured).map_or_else(String::new, |region| region.name.clone()),
            position_m: missing.by.position(),
        })
    }

    /// Returns object, owner and place: `"Sign" of Ann, Hill 128, 64, 22`.
    pub fn in_words(&self) -> String {
        let place = if self.region.is_empty() { file_name(&self.archive) } else { &self.region };
        let at = self.position_m.map(|at| at.map(|metres| plain(metres.round())).join(", "));
        let at = at.map_or_else(String::new, |at| format!(" {at}"));
        format!("\"{}\" of {}, {place}{at}", self.object_name, self.owner)
    }
}

/// An object in a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObjectLine {
    /// Path of its input.
    pub archive: String,
    /// Entry of the archive, or file.
    pub entry: String,
    /// UUID of its root prim.
    pub object_uuid: Uuid,
    /// Its name.
    pub name: String,
    /// Its owner.
    pub owner_uuid: Uuid,
    /// Its role in the export.
    pub role: Role,
    /// Number of its prims.
    pub parts: u64,
    /// Its land impact.
    pub land_impact: f64,
    /// Basis of the land impact.
    pub land_impact_basis: String,
}

impl ObjectLine {
    /// Returns its name, or that it has none.
    pub fn title(&self) -> &str {
        object_name(&self.name)
    }
}

fn object_name(name: &str) -> &str {
    if name.is_empty() { "unnamed object" } else { name }
}

/// A finding in a list.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FindingLine {
    /// Severity for the target.
    pub severity: Severity,
    /// Code of the rule.
    pub code: Code,
    /// Message of the finding.
    pub message: String,
    /// Number of findings in the row.
    pub count: u64,
    /// Its weight, as in the column `weight` of `findings`.
    pub weight: f64,
    /// Path of its input; empty for a finding about the run.
    pub archive: String,
    /// Entry of the archive, or file.
    pub entry: String,
    /// Name of the object, if the finding is about one.
    pub object_name: Option<String>,
}

/// A key that puts the worst finding first.
pub type WorstFinding = (Reverse<Severity>, Reverse<Option<u64>>);

/// Returns a key that puts the worst finding first: by severity, then by weight.
pub(super) fn worst_finding(severity: Severity, weight: f64) -> WorstFinding {
    (Reverse(severity), large_first(Some(weight)))
}

impl FindingLine {
    /// Creates the line of a finding.
    pub(super) fn new(row: &findings::Row<'_>) -> Self {
        let findings::Row { measured, reported } = row;
        Self {
            severity: reported.severity,
            code: reported.finding.code,
            message: catalogue::message(reported.finding),
            count: reported.count,
            weight: reported.finding.weight,
            archive: measured.ledger.input.clone(),
            entry: reported.finding.place.entry.clone(),
            object_name: row.root().map(|root| root.name.clone()),
        }
    }

    /// Returns a key that puts the worst first.
    pub fn worst_first(&self) -> WorstFinding {
        worst_finding(self.severity, self.weight)
    }

    /// Returns its subject: the object, else the entry, the archive, or the run.
    pub fn subject(&self) -> &str {
        let names = [self.object_name.as_deref().unwrap_or_default(), &self.entry, &self.archive];
        names.into_iter().find(|name| !name.is_empty()).unwrap_or("the run")
    }
}

/// Files of a kind that is not audited.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnknownFiles {
    /// What they look like.
    pub looks_like: String,
    /// Number of files.
    pub files: u64,
}

/// An input that was not read to its end.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NotRead {
    /// Its path.
    pub archive: String,
    /// How far it was read.
    pub status: Status,
}

/// A region, and how full it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FullestRegion {
    /// Its name.
    pub region: String,
    /// Number of its prims, without temporary objects.
    pub prims: f64,
    /// Number of prims that it can hold.
    pub capacity: f64,
}

/// How full a region is, in what its target counts: land impact or prims.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegionFill {
    /// Its name.
    pub region: String,
    /// How much of this is in the region.
    pub load: f64,
    /// How much of this it can hold.
    pub capacity: f64,
}

impl FullestRegion {
    /// Returns its prims as a share of its capacity.
    pub fn share(&self) -> f64 {
        self.prims / self.capacity
    }
}

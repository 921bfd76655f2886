//! One difference between two runs.

use super::{Archive, Figure, Finding, Linkset, Region};
use crate::{
    table::Table,
    tables::{archives::Archives, findings::Findings, objects::Objects, regions::Regions},
};
use hullmark_finding::{Code, Severity};
use hullmark_util::{named, number_text::thousands};
use serde::{Deserialize, Deserializer, Serialize, de::Error};
use std::cmp::{Ordering, Reverse};
use uuid::Uuid;

/// The name of a column. With a name of its own, serde does not borrow it.
type ColumnName = &'static str;

/// The column of land impact.
pub const LAND_IMPACT: &str = "land_impact";

named! {
    /// Kind of change.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "snake_case")]
    pub enum ChangeKind {
        /// A new finding.
        New = "new",
        /// A finding whose severity, count or distance from its limit increased.
        Worse = "worse",
        /// An archive that cannot be compared completely.
        NotCompared = "not_compared",
        /// An archive, region or object that only the earlier run has.
        Removed = "removed",
        /// An archive, region or object that only this run has.
        Added = "added",
        /// A number that increased.
        Increased = "increased",
        /// A number that decreased.
        Decreased = "decreased",
        /// A finding with another measured value, neither better nor worse.
        Changed = "changed",
        /// A finding whose severity, count or distance from its limit decreased.
        Better = "better",
        /// A finding that only the earlier run has.
        Gone = "gone",
        /// It would be removed, decreased, better or gone, but its archive, its region or most of its archive was lost.
        Lost = "lost",
    }
}

named! {
    /// What a change is about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    #[serde(rename_all = "lowercase")]
    pub enum What {
        /// A finding.
        Finding = "finding",
        /// An input.
        Archive = "archive",
        /// A region.
        Region = "region",
        /// A linkset.
        Object = "object",
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Change {
    /// Kind of change.
    pub became: ChangeKind,
    /// What changed.
    pub what: What,
    /// Severity of the finding; its last severity if it is gone.
    pub severity: Option<Severity>,
    /// Severity in the earlier run, if it differs.
    pub severity_before: Option<Severity>,
    /// Code of the rule.
    pub code: Option<Code>,
    /// Column whose number changed.
    #[serde(deserialize_with = "measure")]
    pub measure: Option<ColumnName>,
    /// Number in the earlier run.
    pub before: Option<f64>,
    /// Number in this run.
    pub after: Option<f64>,
    /// Whether both numbers are lower bounds, because a summand is unknown.
    pub at_least: bool,
    /// Message of the finding, or a remark on the change.
    pub message: String,
    /// Name of the object, or the entry.
    pub name: String,
    /// UUID of the root prim.
    pub object_uuid: Option<Uuid>,
    /// Owner of the object.
    pub owner_uuid: Option<Uuid>,
    /// Name of the region.
    pub region: String,
    /// Path of the archive; its last path if it was removed.
    pub archive: String,
    /// Key that matches the archive across runs.
    pub identity: String,
    /// Key that matches the finding across runs, as 16 hexadecimal digits.
    pub fingerprint: Option<String>,
    /// Whether the object is rezzed in a region: only then its land impact counts there.
    #[serde(skip)]
    pub is_rezzed: bool,
}

impl Change {
    /// Adds the land impact of an object or region that only one run has.
    pub(super) fn with_land_impact(self, before: Option<Figure>, after: Option<Figure>) -> Self {
        let Some(figure) = before.or(after) else { return self };
        let value = |figure: Figure| figure.value;
        Self {
            measure: Some(LAND_IMPACT),
            before: before.map(value),
            after: after.map(value),
            at_least: figure.bound,
            ..self
        }
    }

    pub(super) fn new(became: ChangeKind, what: What, archive: &Archive) -> Self {
        Self {
            archive: archive.input.name.clone(),
            identity: archive.identity.clone(),
            ..Self::anywhere(became, what)
        }
    }

    /// Creates a change in no archive, without numbers.
    pub(crate) fn anywhere(became: ChangeKind, what: What) -> Self {
        Self {
            became,
            what,
            severity: None,
            severity_before: None,
            code: None,
            measure: None,
            before: None,
            after: None,
            at_least: false,
            message: String::new(),
            name: String::new(),
            object_uuid: None,
            owner_uuid: None,
            region: String::new(),
            archive: String::new(),
            identity: String::new(),
            fingerprint: None,
            is_rezzed: false,
        }
    }

    /// A change of a region.
    pub(super) fn in_region(became: ChangeKind, archive: &Archive, region: &Region) -> Self {
        Self {
            region: region.name.clone(),
            name: region.name.clone(),
            ..Self::new(became, What::Region, archive)
        }
    }

    /// A change of a linkset.
    pub(super) fn of_linkset(became: ChangeKind, archive: &Archive, linkset: &Linkset) -> Self {
        let message = match linkset.count {
            1 => String::new(),
            count => format!("{} objects with the same key; numbers are sums", thousands(count.into())),
        };
        let change = Self {
            message,
            is_rezzed: linkset.region.is_some(),
            name: linkset.name.to_string(),
            object_uuid: Some(linkset.uuid).filter(|uuid| !uuid.is_nil()),
            owner_uuid: Some(linkset.owner).filter(|uuid| !uuid.is_nil()),
            region: linkset.region.as_deref().unwrap_or_default().to_owned(),
            ..Self::new(became, What::Object, archive)
        };
        match became {
            ChangeKind::Added => change.with_land_impact(None, linkset.land_impact),
            ChangeKind::Removed => change.with_land_impact(linkset.land_impact, None),
            _ => change,
        }
    }

    /// A change of a finding.
    pub(super) fn of_finding(became: ChangeKind, archive: &Archive, code: Code, finding: &Finding) -> Self {
        Self {
            severity: Some(finding.severity),
            code: Some(code),
            message: finding.message.to_string(),
            name: finding.about.to_string(),
            object_uuid: Some(finding.object).filter(|uuid| !uuid.is_nil()),
            region: finding.region.to_string(),
            fingerprint: Some(format!("{:016x}", finding.fingerprint)),
            ..Self::new(became, What::Finding, archive)
        }
    }

    /// Returns the change of a finding in both runs, with the number that changed.
    pub(super) fn of_both(
        became: ChangeKind,
        archive: &Archive,
        code: Code,
        before: &Finding,
        after: &Finding,
    ) -> Self {
        let (measure, was, is) = match before.count == after.count {
            true => ("measured", before.measured, after.measured),
            false => ("count", Some(before.count as f64), Some(after.count as f64)),
        };
        let differs = was.zip(is).is_none_or(|(was, is)| !same(was, is));
        Self {
            severity_before: Some(before.severity).filter(|severity| *severity != after.severity),
            measure: differs.then_some(measure),
            before: was.filter(|_| differs),
            after: is.filter(|_| differs),
            ..Self::of_finding(became, archive, code, after)
        }
    }

    /// The number now minus the number before. An object or region that only one run has counts 0 in the other.
    pub fn difference(&self) -> Option<f64> {
        match self.became {
            ChangeKind::Added => self.after,
            ChangeKind::Removed => self.before.map(|before| -before),
            ChangeKind::Lost => Some(self.after.unwrap_or_default() - self.before?),
            _ => Some(self.after? - self.before?),
        }
    }

    /// The difference in percent of the number before.
    pub fn percent(&self) -> Option<f64> {
        let before = self.before.filter(|before| *before != 0.0)?;
        Some(100.0 * (self.after? - before) / before.abs())
    }

    /// The change of land impact in a region, if the change is one of a region or of an object rezzed there.
    pub fn land_impact(&self) -> Option<f64> {
        let counts = self.what == What::Region || self.what == What::Object && self.is_rezzed;
        self.difference().filter(|_| counts && self.measure == Some(LAND_IMPACT))
    }

    /// Its place among other changes. Greater land impact and new findings come first, then archives, which may be their
    /// cause, and what was lost. Lower land impact and resolved findings follow, then the rest.
    fn group(&self) -> u8 {
        match (self.what, self.became, self.land_impact()) {
            (What::Region, ChangeKind::Lost, _) => 5,
            (What::Object, ChangeKind::Lost, _) => 6,
            (What::Finding, ChangeKind::Lost, _) => 7,
            (What::Region, _, Some(more)) if more > 0.0 => 0,
            (What::Object, _, Some(more)) if more > 0.0 => 1,
            (What::Finding, ChangeKind::New, _) => 2,
            (What::Finding, ChangeKind::Worse, _) => 3,
            (What::Archive, ..) => 4,
            (What::Region, _, Some(_)) => 8,
            (What::Object, _, Some(_)) => 9,
            (What::Finding, ..) => 10,
            (What::Region, ..) => 11,
            (What::Object, ..) => 12,
        }
    }

    /// Orders changes, the worst first. Only equal changes have one place.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        let key = |change: &Self| {
            // The largest change of land impact comes first, new or not.
            let became = change.land_impact().is_none().then_some(change.became);
            (change.group(), Reverse(change.severity), became)
        };
        let size = |change: &Self| change.difference().map_or(0.0, f64::abs);
        let number = |number: Option<f64>| number.unwrap_or_default();
        key(self)
            .cmp(&key(other))
            .then_with(|| size(other).total_cmp(&size(self)))
            .then_with(|| self.place().cmp(&other.place()))
            // Added and removed rows lack one of the numbers, so their sizes are equal.
            .then_with(|| number(self.before).total_cmp(&number(other.before)))
            .then_with(|| number(self.after).total_cmp(&number(other.after)))
            .then_with(|| (&self.archive, self.owner_uuid).cmp(&(&other.archive, other.owner_uuid)))
    }

    /// Its place among changes of one size.
    fn place(&self) -> impl Ord {
        let Self { code, identity, region, name, object_uuid, measure, fingerprint, message, .. } = self;
        ((code, identity, region, name), (object_uuid, measure, fingerprint, message))
    }
}

/// Reads the name of a column whose number changed.
fn measure<'de, D: Deserializer<'de>>(from: D) -> Result<Option<ColumnName>, D::Error> {
    let Some(word) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let names = [names::<Archives>(), names::<Regions>(), names::<Objects>(), names::<Findings>()];
    let found = names.iter().flatten().find(|name| **name == word);
    found.map(|name| Some(*name)).ok_or_else(|| D::Error::custom(format!("{word} is no compared column")))
}

fn names<T: Table>() -> Vec<ColumnName> {
    T::COLUMNS.iter().map(|column| column.name).collect()
}

/// Whether two numbers differ by at most a millionth: sums depend on the order of their summands.
pub fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(b.abs()).max(1.0)
}

impl Finding {
    /// Returns the kind of change since an earlier run. `None` without a change. Measured values are compared only if
    /// the row was one finding in both runs, because the first of several is arbitrary. A greater age is no change,
    /// because ages always grow.
    pub fn change_from(&self, before: &Self, code: Code) -> Option<ChangeKind> {
        let worse = |greater: bool| if greater { ChangeKind::Worse } else { ChangeKind::Better };
        if self.severity != before.severity {
            return Some(worse(self.severity > before.severity));
        }
        if self.count != before.count {
            return Some(worse(self.count > before.count));
        }
        let (was, is) = before.measured.zip(self.measured).filter(|_| self.count == 1)?;
        if same(was, is) || code == Code::HIS002 && is > was {
            return None;
        }
        let distance = |finding: &Self| Some((finding.measured? - finding.limit?).abs());
        match distance(before).zip(distance(self)) {
            Some((was, is)) if !same(was, is) => Some(worse(is > was)),
            _ => Some(ChangeKind::Changed),
        }
    }
}

//! A finding as plain data.

use hullmark_finding::{Finding, Severity};
use hullmark_rules::catalogue::{self, Reader};
use hullmark_settings::profile::Profile;
use serde::Serialize;
use uuid::Uuid;

/// A finding with its formatted message.
#[derive(Debug, Clone, Serialize)]
pub struct FindingView {
    /// Severity for the target grid.
    pub severity: Severity,
    /// Code of the rule.
    pub code: &'static str,
    /// Title of the rule.
    pub title: &'static str,
    /// Message of the finding.
    pub message: String,
    /// Measured value. `None` if the rule has none.
    pub measured: Option<f64>,
    /// Limit for the measured value. `None` if the rule has none.
    pub limit: Option<f64>,
    /// Unit of both. `None` without a number.
    pub unit: Option<&'static str>,
    /// The member of the finding.
    pub entry: String,
    /// UUID of the part.
    pub part_uuid: Option<Uuid>,
    /// Link number of the part.
    pub link_number: Option<i32>,
    /// UUID of the asset.
    pub asset_uuid: Option<Uuid>,
    /// Advice for the target.
    pub advice: &'static str,
}

impl FindingView {
    /// Returns the finding with its message and the advice for the target.
    pub fn new(severity: Severity, finding: &Finding, profile: &Profile) -> Self {
        let (rule, place) = (catalogue::rule(finding.code), &finding.place);
        let numbers = finding.measured.is_some() || finding.limit.is_some();
        Self {
            severity,
            code: finding.code.name(),
            title: rule.title,
            message: catalogue::message(finding),
            measured: finding.measured,
            limit: finding.limit,
            unit: (numbers && !rule.unit.is_empty()).then_some(rule.unit),
            entry: place.entry.clone(),
            part_uuid: place.part,
            link_number: place.link_number,
            asset_uuid: place.asset,
            advice: catalogue::advice(finding, Reader::Operator, profile),
        }
    }
}

//! A finding as plain data.

use crate::{
    finding::{Finding, Severity},
    rules::catalogue,
    settings::profile::Grid,
};
use serde::Serialize;
use uuid::Uuid;

/// A finding with its formatted message.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct FindingView {
    /// Severity for the target grid.
    pub(crate) severity: Severity,
    /// Code of the rule.
    pub(crate) code: &'static str,
    /// Title of the rule.
    pub(crate) title: &'static str,
    /// Message of the finding.
    pub(crate) message: String,
    /// Measured value. `None` if the rule has none.
    pub(crate) measured: Option<f64>,
    /// Limit for the measured value. `None` if the rule has none.
    pub(crate) limit: Option<f64>,
    /// Unit of both. `None` without a number.
    pub(crate) unit: Option<&'static str>,
    /// The member of the finding.
    pub(crate) entry: String,
    /// UUID of the part.
    pub(crate) part_uuid: Option<Uuid>,
    /// Link number of the part.
    pub(crate) link_number: Option<i32>,
    /// UUID of the asset.
    pub(crate) asset_uuid: Option<Uuid>,
    /// Advice for the target grid.
    pub(crate) advice: &'static str,
}

impl FindingView {
    /// Returns the finding with its message and the advice for the target.
    pub(crate) fn new(severity: Severity, finding: &Finding, grid: Grid) -> Self {
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
            advice: rule.advice(grid),
        }
    }
}

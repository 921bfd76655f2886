//! `changes`: one row for each difference between two runs.

use super::column;
use crate::{
    diff::Change,
    table::{Column, Percent, Table},
};
use hullmark_finding::{Code, Severity};

/// The table.
#[derive(Debug)]
pub struct Changes;

impl Table for Changes {
    type Row<'a> = &'a Change;
    const NAME: &'static str = "changes";
    const ABOUT: &'static str = "One row for each difference from an earlier run. Greater land impact comes first, then new and worse findings, then lost content, then lower land impact and resolved findings. Written by `diff` and with `--baseline`.";
    const COLUMNS: &'static [Column<Self>] = &[
        column!("change", row => row.became.name(), "Findings: `new`, `worse` (more severe, more of them, or further from the limit), `better`, `changed` or `gone`. Others: `added`, `removed`, `increased` or `decreased`. `lost`: it would be better, gone, removed or decreased, but an archive, a region, or most of an archive was lost (HIS001, HIS005). `not_compared`: one run did not cover the archive or did not read it to its end."),
        column!("kind", row => row.what.name(), "What changed: `finding`, `archive`, `region` or `object`."),
        column!("severity", row => row.severity.map(Severity::name), "Severity of the finding; its last severity if it is gone."),
        column!("severity_before", row => row.severity_before.map(Severity::name), "Severity in the earlier run, if it differs."),
        column!("code", row => row.code.map(Code::name), "Code of the rule."),
        column!("message", row => &row.message, "Message of the finding, or a remark on the change."),
        column!("name", row => &row.name, "Name of the object or region. For any other finding: the entry."),
        column!("region", row => &row.region, "Name of the region."),
        column!("measure", row => row.measure, "Column whose number changed; for added and removed objects and regions `land_impact`. Empty if no number changed."),
        column!("before", row => row.before, "Number in the earlier run. Empty for an object or region that only this run has."),
        column!("after", row => row.after, "Number in this run. Empty for an object or region that only the earlier run has."),
        column!("difference", row => row.difference(), "`after` minus `before`; an empty one counts 0."),
        column!("percent", row => row.percent().map(Percent), "Difference in percent of `before`."),
        column!("at_least", row => row.measure.map(|_| row.at_least), "Whether both numbers are lower bounds, because a summand is unknown."),
        column!("archive", row => &row.archive, "Path of the input; its last path if it was removed."),
        column!("identity", row => &row.identity, "Key that matches the archive across runs."),
        column!("object_uuid", row => row.object_uuid, "UUID of the root prim."),
        column!("owner_uuid", row => row.owner_uuid, "Owner of the object. Empty for other kinds."),
        column!("fingerprint", row => row.fingerprint.as_ref(), "Fingerprint of the finding."),
    ];
}

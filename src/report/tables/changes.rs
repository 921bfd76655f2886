//! `changes`: one row for each difference between two nights.

use super::column;
use crate::{
    finding::{Code, Severity},
    report::{
        diff::Change,
        table::{Column, Percent, Table},
    },
};

/// The table.
#[derive(Debug)]
pub struct Changes;

impl Table for Changes {
    type Row<'a> = &'a Change;
    const NAME: &'static str = "changes";
    const ABOUT: &'static str = "One row for each difference from an earlier night: what is new stands first, the worst of it on top. Written by `diff`, and where there is a `--baseline`.";
    const COLUMNS: &'static [Column<Self>] = &[
        column!("change", row => row.became.name(), "Findings: `new`, `worse` (more severe, more of them, or further from the limit), `better`, `changed`, `gone`. Others: `came`, `went`, `grew`, `shrank`. `not_compared`: an archive that one night did not read to its end, or did not cover."),
        column!("what", row => row.what.name(), "`finding`, `archive`, `region` or `object`."),
        column!("severity", row => row.severity.map(Severity::name), "Severity of the finding; where it is gone, its last."),
        column!("severity_before", row => row.severity_before.map(Severity::name), "What it was, where that differs."),
        column!("code", row => row.code.map(Code::name), "Code of its rule."),
        column!("message", row => &row.message, "What was found, or what there is to say."),
        column!("name", row => &row.name, "Name of the object or region; for a finding about neither, the entry."),
        column!("region", row => &row.region, "Name of the region."),
        column!("measure", row => row.measure, "The column that differs, where it is a number."),
        column!("before", row => row.before, "That number in the earlier night."),
        column!("after", row => row.after, "That number now."),
        column!("difference", row => row.difference(), "By how much it is greater now."),
        column!("percent", row => row.percent().map(Percent), "That as a share of what it was."),
        column!("at_least", row => row.measure.map(|_| row.at_least), "Whether both numbers are lower bounds, because something in them is not known."),
        column!("archive", row => &row.archive, "Path of the input; where it is there no more, its last."),
        column!("home", row => &row.home, "What tells the archive again in another night."),
        column!("object_uuid", row => row.object_uuid, "UUID of the object's root."),
        column!("owner_uuid", row => row.owner_uuid, "Who owns it, where an object changed."),
        column!("fingerprint", row => row.fingerprint.as_ref(), "Fingerprint of the finding."),
    ];
}

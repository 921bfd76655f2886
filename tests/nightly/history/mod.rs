//! Sequences of backups, made by editing archives: signs of a failed backup, and changes that are no such sign.

mod earlier_runs;
mod expected;
mod losses;
mod removed;

use crate::support::desk::Desk;

/// Returns the archives for which a rule was not evaluated, with the reason. The run itself has no name.
fn unknown(desk: &Desk, report: &str, code: &str) -> Vec<(String, String)> {
    let column = |name| desk.column(report, "checks", name).into_iter();
    let rows = column("archive").zip(column("code")).zip(column("reason"));
    rows.filter(|((_, of), because)| of == code && !because.is_empty())
        .map(|((archive, _), because)| (archive.rsplit('/').next().unwrap().to_owned(), because))
        .collect()
}

const PARTIAL: &str = "it depends on an input that this run does not cover (1)";

/// Returns fingerprints and messages of the family HIS in a report, the latest fall first.
fn fingerprints(desk: &Desk) -> Vec<(String, String)> {
    let column = |name| desk.column("report", "findings", name).into_iter();
    let rows = column("code").zip(column("fingerprint")).zip(column("message"));
    rows.filter(|((code, _), _)| code.starts_with("HIS"))
        .map(|((_, print), message)| (print, message))
        .collect()
}

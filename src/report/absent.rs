//! Archives that are expected and not there: each has a row, and the one finding that there is of it.

use super::{Judged, Narrowed, Summary, write_case};
use crate::{
    finding::Code,
    join::Case,
    ledger::Ledger,
    profile::Profile,
    rules::{Check, his002_absent},
};
use std::{collections::BTreeMap, io};

/// Writes the rows. It is no input: nothing of it is counted, and the run is not incomplete for it.
pub(super) fn write(
    name: &str,
    profile: &Profile,
    sink: &mut Narrowed,
    summary: &mut Summary,
) -> io::Result<()> {
    let code = Code::HIS002;
    if !profile.selects(code) {
        return Ok(());
    }
    let judged = Judged {
        findings: vec![(profile.severity(code), his002_absent(name))],
        checks: vec![Check { code, subjects: 1, failed: 1, not_evaluated: BTreeMap::new() }],
    };
    write_case(&Case::new(&Ledger::absent(name), profile), &judged, &[], sink, summary)
}

//! Archives that are expected and not there: each has a row, and the one finding that there is of it.

use super::{Judged, Narrowed, Summary, Telling, write_case};
use crate::{
    finding::Code,
    join::Case,
    ledger::Ledger,
    profile::Profile,
    rules::{Check, his002_absent},
    waivers::{Uses, Waivers},
};
use std::{collections::BTreeMap, io};

/// Writes the rows. It is no input: nothing of it is counted, and the run is not incomplete for it.
pub(super) fn write(
    name: &str,
    profile: &Profile,
    waivers: &Waivers,
    uses: &mut Uses<'_>,
    sink: &mut Narrowed,
    summary: &mut Summary,
) -> io::Result<()> {
    let code = Code::HIS002;
    if !profile.selects(code) {
        return Ok(());
    }
    let judged = Judged {
        findings: vec![(profile.severity(code), his002_absent(name))],
        checks: vec![Check { code, subjects: 1, failed: 1, waived: 0, not_evaluated: BTreeMap::new() }],
    };
    let absent = Ledger::absent(name);
    let case = Case::new(&absent, profile);
    let told = Telling::of(&case, &judged, waivers);
    uses.look(&case);
    told.note_uses(uses);
    write_case(&case, &told, &[], sink, summary)
}

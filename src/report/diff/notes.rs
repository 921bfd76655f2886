//! Differences of version, rules or target that may explain other differences.

use super::Snapshot;
use hullmark_util::number_text::{counted, thousands};

/// Maximum number of ledgers that notes name, for each run.
const NAMED: usize = 3;

/// Describes such differences.
pub(super) fn notes(old: &Snapshot, new: &Snapshot) -> Vec<String> {
    let (before, after) = (&old.provenance, &new.provenance);
    let mut notes = Vec::new();
    let differ = |what: &str, was: &str, is: &str| {
        format!(
            "{what} differ ({was} before, {is} now). Some changes may come from that, not from the exports."
        )
    };
    if before.program != after.program {
        notes.push(differ("The versions of hullmark", &before.program, &after.program));
    } else if before.rules != after.rules {
        notes.push(differ("The rules", &before.rules, &after.rules));
    }
    if (&before.profile, &before.opensim_load) != (&after.profile, &after.opensim_load) {
        let name = |run: &Snapshot| {
            let of_run = &run.provenance;
            let described =
                if of_run.opensim_load.is_null() { &of_run.profile } else { &of_run.opensim_load };
            described["description"].as_str().unwrap_or("unknown").to_owned()
        };
        match (name(old), name(new)) {
            (was, is) if was != is => notes.push(differ("The targets", &was, &is)),
            (name, _) => notes.push(format!(
                "The settings of the target ({name}) differ in limits or selected rules. Some changes may come from that, \
                 not from the exports."
            )),
        }
    }
    if before.filter != after.filter {
        notes.push(
            "The two reports are filtered by different owners, regions or severities. Rows that only one of them \
             leaves out count as new or gone."
                .into(),
        );
    }
    let older = |run: &str, count: u64| {
        (count > 0).then(|| match count {
            1 => format!("1 archive of {run} is not compared: a newer one is."),
            _ => format!("{} archives of {run} are not compared: newer ones are.", thousands(count)),
        })
    };
    notes.extend(older("the earlier run", old.older));
    notes.extend(older("this run", new.older));
    for (run, words) in [("earlier", &old.unreadable), ("later", &new.unreadable)] {
        notes.extend(words.iter().take(NAMED).map(|words| format!("The {run} run is incomplete. {words}.")));
        if words.len() > NAMED {
            let more = counted((words.len() - NAMED) as u64, "further ledger");
            notes.push(format!("The {run} run is incomplete: {more} cannot be read."));
        }
    }
    notes
}

//! What is new, while a report is written.

use super::{Finding, Night};
use crate::{
    finding::{Code, Severity},
    join::Case,
    report::{Told, csv::real, home},
};
use std::collections::{BTreeMap, HashMap, HashSet};

/// What a finding is beside an earlier night, as the column `news` says it. What is new stands first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum News {
    /// It was not there.
    New,
    /// It was there, and not as bad.
    Worse,
    /// The earlier night did not read the archive to its end, or a newer archive of the same region counts.
    NotCompared,
    /// It was there.
    Known,
}

impl News {
    /// All of them, the newest first.
    pub const NEW_FIRST: [Self; 4] = [Self::New, Self::Worse, Self::NotCompared, Self::Known];

    /// The name used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Worse => "worse",
            Self::NotCompared => "not_compared",
            Self::Known => "known",
        }
    }

    /// The one of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NEW_FIRST.into_iter().find(|news| news.name() == name)
    }
}

impl Night {
    /// What each of the findings of an input is beside this earlier night.
    pub(crate) fn news(&self, case: &Case<'_>, told: &[Told<'_>]) -> Vec<News> {
        let Some(archive) = self.archives.get(&home::of_input(case.ledger)) else {
            return vec![News::New; told.len()];
        };
        // Rows of one fingerprint are one finding.
        let mut counts: HashMap<(Code, u64), (Severity, u64)> = HashMap::new();
        for told in told {
            let sum = counts.entry((told.finding.code, told.fingerprint)).or_insert((told.severity, 0));
            *sum = (sum.0.max(told.severity), sum.1 + told.count);
        }
        let news = told.iter().map(|told| {
            let key = (told.finding.code, told.fingerprint);
            let Some(known) = archive.findings.get(&key) else {
                return if archive.is_whole() { News::New } else { News::NotCompared };
            };
            let number = |value: Option<f64>| real(value?).parse().ok();
            let (severity, count) = counts[&key];
            let now = Finding {
                severity,
                count,
                measured: number(told.finding.measured),
                limit: number(told.finding.limit),
                ..known.clone()
            };
            match now.beside(known) {
                Some(super::Became::Worse) => News::Worse,
                _ => News::Known,
            }
        });
        news.collect()
    }
}

/// Those of these inputs for which a newer one stands, by the dates in their names: the others are compared.
pub(crate) fn older<'a>(inputs: impl Iterator<Item = &'a str>) -> HashSet<&'a str> {
    let mut newest: BTreeMap<String, (Option<String>, &str)> = BTreeMap::new();
    let mut older = HashSet::new();
    for input in inputs {
        let mine = (home::date_in(home::file_name(input)), input);
        let known = newest.entry(home::undated(input)).or_insert_with(|| mine.clone());
        if known.1 != input {
            let (newer, other) = if mine > *known { (mine, known.1) } else { (known.clone(), input) };
            older.insert(other);
            *known = newer;
        }
    }
    older
}

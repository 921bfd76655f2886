//! What is noted while a mesh is decoded.

use crate::finding::{Code, Finding};
use std::collections::{BTreeMap, BTreeSet};

/// Findings of one code that one asset may have; where there are more, the first stands for all.
pub(super) const FOLD: usize = 64;

/// Findings and oddities of one asset, bounded whatever the asset holds.
#[derive(Debug, Default)]
pub(super) struct Notes {
    findings: Vec<Finding>,
    counts: BTreeMap<Code, usize>,
    oddities: BTreeSet<&'static str>,
}

impl Notes {
    /// Notes a finding.
    pub(super) fn find(&mut self, finding: Finding) {
        let count = self.counts.entry(finding.code).or_default();
        *count += 1;
        if *count <= FOLD {
            self.findings.push(finding);
        }
    }

    /// Notes a departure that does no harm, by its fixed name.
    pub(super) fn odd(&mut self, name: &'static str) {
        self.oddities.insert(name);
    }

    /// The findings in the order they were made, codes with too many of them folded, and the oddities.
    pub(super) fn finish(self) -> (Vec<Finding>, Vec<&'static str>) {
        let mut findings = self.findings;
        for (code, count) in self.counts.into_iter().filter(|&(_, count)| count > FOLD) {
            let mut first = true;
            findings.retain(|finding| finding.code != code || std::mem::take(&mut first));
            let folded = findings.iter_mut().find(|finding| finding.code == code);
            if let Some(folded) = folded {
                let separator = if folded.detail.is_empty() { "" } else { "; " };
                folded.detail += &format!("{separator}and {} more like it in this asset", count - 1);
            }
        }
        (findings, self.oddities.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_of_a_code_become_one() {
        let mut notes = Notes::default();
        notes.find(Finding::new(Code::MSH016).detail("other"));
        for index in 0..1000 {
            notes.find(Finding::new(Code::MSH015).index(index).detail("bad"));
        }
        notes.odd("b");
        notes.odd("a");
        notes.odd("b");
        let (findings, oddities) = notes.finish();
        assert_eq!(findings.len(), 2);
        assert_eq!(findings[1].detail, "bad; and 999 more like it in this asset");
        assert_eq!(findings[1].place.index, Some(0));
        assert_eq!(oddities, ["a", "b"]);
    }

    #[test]
    fn a_few_stay() {
        let mut notes = Notes::default();
        (0..FOLD).for_each(|_| notes.find(Finding::new(Code::MSH015)));
        assert_eq!(notes.finish().0.len(), FOLD);
    }
}

//! What a decoder found, gathered while the place of it is still unknown.
//!
//! A part's number and UUID may stand behind the field that is broken, and the root's UUID behind much more. So
//! findings are made bare, and get their place when the part and the object are complete.

use super::{Linkset, Part, value::Field};
use crate::finding::{Code, Finding};

/// The findings of one document.
#[derive(Debug)]
pub(super) struct Report {
    findings: Vec<Finding>,
    /// Where those of the current part begin.
    part: usize,
    /// Most findings that are listed.
    limit: usize,
    /// Those that are not.
    unlisted: u64,
}

impl Report {
    pub(super) fn new(limit: usize) -> Self {
        Self { findings: Vec::new(), part: 0, limit, unlisted: 0 }
    }

    pub(super) fn push(&mut self, finding: Finding) {
        if self.findings.len() < self.limit {
            self.findings.push(finding);
        } else {
            self.unlisted += 1;
        }
    }

    /// Says that a field is missing or cannot be read.
    pub(super) fn field(&mut self, element: &'static str, why: &str) {
        self.push(Finding::new(Code::OBJ006).within(element).detail(format!("{element}: {why}")));
    }

    /// The value of a field that could be read.
    pub(super) fn good<T>(&mut self, element: &'static str, field: Field<T>) -> Option<T> {
        match field {
            Ok(value) => Some(value),
            Err(why) => {
                self.field(element, &why);
                None
            }
        }
    }

    /// Stores the value of a field, or leaves the default and says why.
    pub(super) fn keep<T>(&mut self, element: &'static str, field: Field<T>, place: &mut T) {
        if let Some(value) = self.good(element, field) {
            *place = value;
        }
    }

    pub(super) fn begin_part(&mut self) {
        self.part = self.findings.len();
    }

    /// Gives what was found in the current part its place.
    pub(super) fn end_part(&mut self, part: &Part) {
        for finding in &mut self.findings[self.part..] {
            finding.place.part = Some(part.uuid);
            finding.place.link_number = Some(part.link_number);
        }
    }

    /// Where the findings of an object that begins here will begin.
    pub(super) fn mark(&self) -> usize {
        self.findings.len()
    }

    /// Gives what was found since `mark` its object.
    pub(super) fn end_linkset(&mut self, mark: usize, linkset: &Linkset) {
        let root = linkset.parts.first().map(|part| part.uuid);
        for finding in &mut self.findings[mark..] {
            finding.place.object = finding.place.object.or(root);
        }
    }

    /// All of them; the number that is not listed comes last.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        if self.unlisted > 0 {
            let more = Finding::new(Code::RUN006).measured(self.unlisted as f64).limit(self.limit as f64);
            self.findings.push(more.detail("one document"));
        }
        self.findings
    }
}

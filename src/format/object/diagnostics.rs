//! Collects a decoder's defects until their place is known.
//!
//! A part's number and UUID may follow the broken field, and the root's UUID may come much later. So defects start
//! without a place, and get one when the part and the object are complete.

use super::{
    Linkset, Part,
    values::{Field, Unread},
};
use crate::{
    finding::Capped,
    format::defect::{Defect, FieldFault, ObjectDefect},
    settings::limits::Limits,
};

/// The defects of one document.
#[derive(Debug)]
pub(super) struct Report {
    defects: Capped<Defect>,
    /// Where those of the current part begin.
    part: usize,
    /// OpenSim catches what its readers throw here.
    forgiving: bool,
    /// OpenSim gives up the object at fields, and each has a defect already.
    given_up: bool,
    /// Items in contents so far, and how many are read.
    items: usize,
    most_items: usize,
}

impl Report {
    /// Within these limits.
    pub(super) fn new(limits: &Limits, given_up: bool) -> Self {
        let defects = Capped::new(limits.findings_per_code);
        Self { defects, part: 0, forgiving: false, given_up, items: 0, most_items: limits.items }
    }

    /// Counts an item, and says whether it is to be read.
    pub(super) fn takes_item(&mut self) -> bool {
        self.items += 1;
        self.items <= self.most_items
    }

    /// How many items there were, where that is more than were read.
    pub(super) fn too_many_items(&self) -> Option<usize> {
        (self.items > self.most_items).then_some(self.items)
    }

    pub(super) fn push(&mut self, defect: Defect) {
        self.defects.push(defect);
    }

    /// Says that a field is missing or cannot be read, and that something else stands in for it.
    pub(super) fn field(&mut self, element: &str, why: FieldFault) {
        self.push(Defect::new(ObjectDefect::Field { why }).within(element.to_owned()));
    }

    /// The same of a field at which OpenSim's reader throws, if that is not told already.
    pub(super) fn thrown(&mut self, element: &str, why: FieldFault) {
        if !self.given_up {
            self.field(element, why);
        }
    }

    /// What is read where OpenSim catches what its readers throw.
    pub(super) fn forgiving<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.forgiving = true;
        let value = read(self);
        self.forgiving = false;
        value
    }

    /// The value of a field that could be read.
    pub(super) fn good<T>(&mut self, element: &str, field: Field<T>) -> Option<T> {
        match field {
            Ok(value) => Some(value),
            Err(Unread { why, thrown }) => {
                match thrown && !self.forgiving {
                    true => self.thrown(element, why),
                    false => self.field(element, why),
                }
                None
            }
        }
    }

    /// Says what is wrong with a field whose value nobody asks for.
    pub(super) fn check<T>(&mut self, element: &str, field: Field<T>) {
        self.good(element, field);
    }

    /// Stores the value of a field, or leaves the default and says why.
    pub(super) fn keep<T>(&mut self, element: &str, field: Field<T>, place: &mut T) {
        if let Some(value) = self.good(element, field) {
            *place = value;
        }
    }

    pub(super) fn begin_part(&mut self) {
        self.part = self.defects.len();
    }

    /// Gives what was found in the current part its place.
    pub(super) fn end_part(&mut self, part: &Part) {
        for defect in self.defects.since(self.part) {
            defect.place.part = Some(part.uuid);
            defect.place.link_number = Some(part.link_number);
        }
    }

    /// Where the defects of an object that begins here will begin.
    pub(super) fn mark(&self) -> usize {
        self.defects.len()
    }

    /// Gives what was found since `mark` its object.
    pub(super) fn end_linkset(&mut self, mark: usize, linkset: &Linkset) {
        let root = linkset.parts.first().map(|part| part.uuid);
        for defect in self.defects.since(mark) {
            defect.place.object = defect.place.object.or(root);
        }
    }

    pub(super) fn finish(self) -> Vec<Defect> {
        self.defects.finish()
    }
}

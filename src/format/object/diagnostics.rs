//! Collects a decoder's defects until their place is known.
//!
//! A part's number and UUID may follow the broken field, and the root's UUID may come much later. So defects start
//! without a place, and get one when the part and the object are complete.

use super::{
    Linkset, Part,
    values::{Field, Unread},
};
use crate::defect::{Defect, FieldFault, ObjectDefect};
use hullmark_finding::Capped;
use hullmark_settings::limits::Limits;

#[derive(Debug)]
pub(super) struct Report {
    defects: Capped<Defect>,
    /// Index of the first defect of the current part.
    part: usize,
    /// Whether OpenSim catches exceptions of the current reader.
    forgiving: bool,
    /// Whether OpenSim gives up the object at fields, which already have defects.
    given_up: bool,
    /// Number of items in contents so far.
    items: usize,
    most_items: usize,
}

impl Report {
    /// Creates a report with these limits.
    pub(super) fn new(limits: &Limits, given_up: bool) -> Self {
        let defects = Capped::new(limits.findings_per_code);
        Self { defects, part: 0, forgiving: false, given_up, items: 0, most_items: limits.items }
    }

    /// Counts an item, and returns whether it should be read.
    pub(super) fn takes_item(&mut self) -> bool {
        self.items += 1;
        self.items <= self.most_items
    }

    /// Returns the number of items if it exceeds the limit.
    pub(super) fn too_many_items(&self) -> Option<usize> {
        (self.items > self.most_items).then_some(self.items)
    }

    pub(super) fn push(&mut self, defect: Defect) {
        self.defects.push(defect);
    }

    /// Adds the defect of a field that is missing or cannot be read, so that a default is used.
    pub(super) fn field(&mut self, element: &str, why: FieldFault) {
        self.push(Defect::new(ObjectDefect::Field { why }).within(element.to_owned()));
    }

    /// Like [`Self::field`], for a field at which OpenSim's reader throws, unless `given_up` covers it.
    pub(super) fn thrown(&mut self, element: &str, why: FieldFault) {
        if !self.given_up {
            self.field(element, why);
        }
    }

    /// Runs `read` for elements in which OpenSim catches exceptions.
    pub(super) fn forgiving<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        self.forgiving = true;
        let value = read(self);
        self.forgiving = false;
        value
    }

    /// Returns the value of a field; `None` and a defect if it could not be read.
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

    /// Adds the defect of a field whose value is not used.
    pub(super) fn check<T>(&mut self, element: &str, field: Field<T>) {
        self.good(element, field);
    }

    /// Stores the value of a field. If it could not be read, keeps the default and adds a defect.
    pub(super) fn keep<T>(&mut self, element: &str, field: Field<T>, place: &mut T) {
        if let Some(value) = self.good(element, field) {
            *place = value;
        }
    }

    pub(super) fn begin_part(&mut self) {
        self.part = self.defects.len();
    }

    /// Sets the place of the defects in the current part.
    pub(super) fn end_part(&mut self, part: &Part) {
        for defect in self.defects.since(self.part) {
            defect.place.part = Some(part.uuid);
            defect.place.link_number = Some(part.link_number);
        }
    }

    /// Returns the index of the first defect of an object that begins here.
    pub(super) fn mark(&self) -> usize {
        self.defects.len()
    }

    /// Sets the object of the defects since `mark`.
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

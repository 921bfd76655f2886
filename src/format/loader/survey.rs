//! The places of an object document that OpenSim's loader does not pass, each element read alone.
//!
//! A verdict follows the loader, which misses much behind a fault. A survey finds all faults at once, so that somebody
//! can mend them.

use super::{
    calls::CallFailure,
    document_of,
    fields::{self, Table, Take},
    part::PartOutcome,
    position::{Position, Stop},
    reader::{NodeKind, Scope, XmlReader},
};
use crate::{
    defect::LoadFault,
    xml::{SMALL_DOCUMENT_DEPTH, parse_uuid},
};
use hullmark_settings::limits::Limits;
use std::ops::Range;
use uuid::Uuid;

/// What keeps OpenSim's loader from reading an object document. Positions are bytes of its text.
#[derive(Debug, Default)]
pub struct Survey {
    /// The reason why the document is not well-formed. The survey then ends there.
    pub ill_formed: Option<&'static str>,
    /// Whether the document nests too deep to follow.
    pub too_deep: bool,
    /// The parts in the order of the document.
    pub parts: Vec<SurveyedPart>,
    /// Nodes that the loader does not pass, in the order of the document. None is inside of another.
    pub unsound: Vec<Unsound>,
    /// Positions of saved states that stop the load, and the names of their items.
    pub bad_states: Vec<(usize, String)>,
    /// Whether elements inside of an element are looked at.
    is_deep: bool,
}

/// A `SceneObjectPart`.
#[derive(Debug, Default)]
pub struct SurveyedPart {
    /// Position behind its start tag. `None` if it ends in that tag.
    pub inside: Option<usize>,
    /// Its UUID and the element that states it.
    pub uuid: Option<(Uuid, Range<usize>)>,
    pub items: Vec<SurveyedItem>,
    /// Whether it has an element for its shape, sound or not.
    pub has_shape: bool,
    /// Number of its linkset in the document.
    pub linkset: usize,
}

/// An item in the inventory of a part.
#[derive(Debug, Default)]
pub struct SurveyedItem {
    /// Position behind its start tag.
    pub inside: usize,
    /// Its UUID and the element that states it.
    pub uuid: Option<(Uuid, Range<usize>)>,
    /// Elements that name its part.
    pub of_part: Vec<Range<usize>>,
}

/// A node that the loader does not pass.
#[derive(Debug)]
pub struct Unsound {
    /// The number of its part.
    pub part: usize,
    pub range: Range<usize>,
    pub field: &'static str,
    /// How its value is read. `None` for a node that may not be there.
    pub take: Option<Take>,
    /// The exception. `None` if the loader only misses the end of the element.
    pub why: Option<LoadFault>,
    /// Whether the loader never leaves it.
    pub hangs: bool,
}

/// Reads each element of a document alone. With `deep`, those inside of a shape, an inventory or a vehicle, too.
pub fn survey(text: &str, limits: &Limits, deep: bool) -> Survey {
    let mut survey = Survey { is_deep: deep, ..Survey::default() };
    let (mut document, of_inventories) = match document_of(text, limits) {
        Ok(document) => document,
        Err(malformed) => return Survey { ill_formed: Some(malformed.why), ..survey },
    };
    let mut linkset = 0;
    while document.enter_part().is_some() {
        // The reader for inventories makes an object of each root. The other one makes one object of all parts.
        linkset += usize::from(of_inventories && document.node().parent() == Some("RootPart"));
        survey.part(&mut document, linkset);
        for nested in document.leave_part() {
            survey.part(&mut document.inside(nested), linkset);
        }
    }
    match document.stop() {
        Some(Stop::Malformed(malformed)) => survey.ill_formed = Some(malformed.why),
        Some(Stop::TooDeep) => survey.too_deep = true,
        None => {}
    }
    survey.bad_states = document.bad_states().map(|(offset, item)| (offset, item.to_owned())).collect();
    // A part in a part is read with the outer one, and again.
    survey.unsound.sort_by_key(|unsound| (unsound.range.start, usize::MAX - unsound.range.end));
    survey.unsound.dedup_by(|next, last| next.range.start < last.range.end);
    survey
}

/// Like [`survey`], for an item of an inventory archive. It counts as a part.
pub fn survey_item(text: &str) -> Survey {
    let mut survey = Survey { parts: vec![SurveyedPart::default()], ..Survey::default() };
    let mut at = Position::without_parts(XmlReader::new(text), SMALL_DOCUMENT_DEPTH);
    while !(at.kind() == NodeKind::Element && at.node().depth() == 1) {
        at.read();
        if at.is_at_end() {
            return survey;
        }
    }
    survey.children(&mut at, fields::ARCHIVED_ITEM);
    survey
}

/// Whether the loader reads this element, which is alone, to its end.
pub fn is_sound(element: &str, field: &'static str, take: Take) -> bool {
    let mut at = Position::without_parts(XmlReader::new(element), SMALL_DOCUMENT_DEPTH);
    at.read();
    PartOutcome::default().value(&mut at, field, take).is_ok() && at.is_at_end() && at.stop().is_none()
}

/// Returns the range of the element at this position of a well-formed document.
pub fn element_at(text: &str, offset: usize) -> Range<usize> {
    let mut at = Position::without_parts(XmlReader::new(text).within(offset, Scope::default()), usize::MAX);
    at.read();
    range_of(&at).0
}

/// Elements with other elements in them, which no table of fields has.
const STRUCTURE: [&str; 7] =
    ["SceneObjectGroup", "SceneObjectPart", "RootPart", "OtherParts", "Part", "TaskInventoryItem", "UUID"];

/// Whether documents of objects have elements of this name.
pub fn is_known(name: &str) -> bool {
    let parents = ["SceneObjectPart", "Shape", "TaskInventoryItem"];
    STRUCTURE.contains(&name) || parents.iter().any(|parent| field_in(parent, name).is_some())
}

/// How an element is read inside of another; `None` for one that the loader skips.
pub fn field_in(parent: &str, name: &str) -> Option<Take> {
    let table: Table = match parent {
        "SceneObjectPart" => fields::PART,
        "Shape" => fields::SHAPE,
        "TaskInventoryItem" => fields::ITEM,
        _ => return None,
    };
    fields::find(table, name).map(|(_, take)| take)
}

impl Survey {
    fn part(&mut self, at: &mut Position<'_>, linkset: usize) {
        let inside = (!at.is_empty_element()).then(|| at.node().end());
        self.parts.push(SurveyedPart { inside, linkset, ..SurveyedPart::default() });
        at.read();
        if inside.is_some() {
            self.children(at, fields::PART);
        }
    }

    /// Looks at the elements up to the end of the one around them.
    fn children(&mut self, at: &mut Position<'_>, table: Table) {
        while !matches!(at.kind(), NodeKind::EndElement | NodeKind::None) {
            if at.kind() == NodeKind::Element
                && let Some((field, take)) = fields::find(table, at.name())
            {
                self.element(at, field, take);
            }
            at.pass();
        }
    }

    fn element(&mut self, at: &Position<'_>, field: &'static str, take: Take) {
        let (range, beyond) = range_of(at);
        let mut tried = at.alone();
        let mut outcome = PartOutcome::default();
        let failure = tried.call(|at| outcome.value(at, field, take)).err();
        let ends = tried.start() == beyond.start() && tried.kind() == beyond.kind();
        let part = self.parts.len() - 1;
        let surveyed = &mut self.parts[part];
        surveyed.has_shape |= take == Take::Shape;
        if field == "UUID" && failure.is_none() {
            surveyed.uuid = Some((outcome.uuid, range.clone()));
        }
        let is_sound = ends && failure.is_none() || outcome.item_twice;
        if take == Take::Contents {
            self.contents(at.alone(), !is_sound);
        }
        if is_sound {
            return;
        }
        let found = self.unsound.len();
        if self.is_deep {
            match take {
                Take::Shape => self.inside(at, fields::SHAPE),
                Take::Vehicle => self.inside(at, fields::VEHICLE),
                Take::Inertia => self.inside(at, fields::INERTIA),
                _ => {}
            }
        }
        let is_found = self.unsound[..found].last().is_some_and(|last| last.range.start > range.start);
        if self.unsound.len() == found && !is_found {
            let hangs = matches!(failure, Some(CallFailure::Hangs(_)));
            let why = failure.map(CallFailure::why);
            self.unsound.push(Unsound { part, range, field, take: Some(take), why, hangs });
        }
    }

    fn inside(&mut self, at: &Position<'_>, table: Table) {
        let mut inside = at.alone();
        if !inside.is_empty_element() {
            inside.read();
            self.children(&mut inside, table);
        }
    }

    /// Reads the items of an inventory. `is_unsound`: the loader does not read it to its end.
    fn contents(&mut self, mut at: Position<'_>, is_unsound: bool) {
        if at.is_empty_element() {
            return;
        }
        let part = self.parts.len() - 1;
        at.read();
        while !matches!(at.kind(), NodeKind::EndElement | NodeKind::None) {
            if at.kind() == NodeKind::Element && at.name() == "TaskInventoryItem" {
                self.item(&at, is_unsound && self.is_deep);
            } else if is_unsound && self.is_deep {
                let (range, _) = range_of(&at);
                let (field, why) = ("TaskInventory", Some(LoadFault::NotEnd { found: at.here() }));
                self.unsound.push(Unsound { part, range, field, take: None, why, hangs: false });
            }
            at.pass();
        }
    }

    fn item(&mut self, at: &Position<'_>, is_unsound: bool) {
        let mut item = SurveyedItem { inside: at.node().end(), ..SurveyedItem::default() };
        let mut inside = at.alone();
        if inside.is_empty_element() {
            return;
        }
        inside.read();
        while !matches!(inside.kind(), NodeKind::EndElement | NodeKind::None) {
            match inside.name() {
                "ItemID" => {
                    let uuid = parse_uuid(&inside.node().inner_text()).unwrap_or_default();
                    item.uuid = Some((uuid, range_of(&inside).0));
                }
                "ParentID" | "ParentPartID" => item.of_part.push(range_of(&inside).0),
                _ => {}
            }
            if is_unsound && let Some((field, take)) = fields::find(fields::ITEM, inside.name()) {
                self.element(&inside, field, take);
            }
            inside.pass();
        }
        if let Some(part) = self.parts.last_mut() {
            part.items.push(item);
        }
    }
}

/// Returns the range of the node at a position, and the position behind it.
fn range_of<'a>(at: &Position<'a>) -> (Range<usize>, Position<'a>) {
    let mut beyond = at.alone();
    let depth = at.node().depth();
    if at.kind() == NodeKind::Element && !at.is_empty_element() {
        loop {
            beyond.read();
            let is_end = beyond.kind() == NodeKind::EndElement && beyond.node().depth() == depth;
            if is_end || beyond.is_at_end() {
                break;
            }
        }
    }
    let range = at.start()..beyond.node().end();
    beyond.read();
    (range, beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(fields: &str) -> String {
        format!(
            "<SceneObjectGroup><SceneObjectPart>{fields}<Shape></Shape></SceneObjectPart></SceneObjectGroup>"
        )
    }

    /// Returns the texts of the nodes that the loader does not pass.
    fn unsound(fields: &str) -> Vec<String> {
        let text = document(fields);
        let survey = survey(&text, &Limits::default(), true);
        assert_eq!(survey.ill_formed, None, "{fields}");
        survey.unsound.into_iter().map(|unsound| text[unsound.range].to_owned()).collect()
    }

    #[test]
    fn the_smallest_elements_that_are_not_passed_are_found() {
        let item = |fields: &str| {
            format!("<TaskInventory><TaskInventoryItem>{fields}</TaskInventoryItem></TaskInventory>")
        };
        for (fields, found) in [
            ("<LinkNum>1</LinkNum><Name>a</Name>".to_owned(), vec![]),
            (
                "<LinkNum>x</LinkNum><Name>a<b/>c</Name>".to_owned(),
                vec!["<LinkNum>x</LinkNum>", "<Name>a<b/>c</Name>"],
            ),
            ("<RotationOffset/>".to_owned(), vec!["<RotationOffset/>"]),
            ("<Unknown><Name><a/></Name></Unknown>".to_owned(), vec![]),
            (
                "<Shape><PathBegin><a/></PathBegin><PathEnd>5</PathEnd></Shape>".to_owned(),
                vec!["<PathBegin><a/></PathBegin>"],
            ),
            ("<Shape><PathBegin>x</PathBegin></Shape>".to_owned(), vec![]),
            (
                item("<ItemID><UUID><UUID/></UUID></ItemID><Name>n</Name>"),
                vec!["<ItemID><UUID><UUID/></UUID></ItemID>"],
            ),
            (format!("{}x", item("<Name>n</Name>")), vec![]),
            ("<TaskInventory><!-- c --></TaskInventory>".to_owned(), vec!["<!-- c -->"]),
        ] {
            assert_eq!(unsound(&fields), found, "{fields}");
        }
    }
}

//! OBJ: errors in object documents, and their effect on OpenSim's reader.

use super::{byte, say};
use crate::{
    finding::{Code, Finding},
    format::defect::{Defect, LoadFault, Node, ObjectDefect},
};

/// The code of a defect, and what is said of it.
pub(super) fn said(kind: &ObjectDefect, defect: &Defect) -> Finding {
    use ObjectDefect as D;
    let element = &*defect.place.within;
    let offset = byte(defect);
    let at = |code, why: &str, line: u64| say(code, format!("{element}: {why} (line {line}, byte {offset})"));
    match kind {
        D::Field { why } => say(Code::OBJ006, format!("{element}: {why}")),
        D::MotionNotBase64 => say(Code::OBJ007, "KeyframeMotion is not base64"),
        D::LinksetDataTooLarge => say(Code::OBJ013, "scripts keep more in the linkset than OpenSim takes"),
        D::LinksetDataUnreadable => say(Code::OBJ013, "the linkset data cannot be decoded"),
        D::StatesWithoutItem { states } => {
            say(Code::OBJ013, format!("{states} saved script states name no item"))
        }
        D::StateOfNoItem { text } => {
            say(Code::OBJ007, format!("a saved script state is of the item “{text}”, which is no UUID"))
        }
        D::EmptyObject { number } => say(Code::OBJ001, format!("object {number} holds no SceneObjectPart")),
        D::EmptyDocument => say(Code::OBJ001, "it holds no SceneObjectPart"),
        D::TooManyParts => say(Code::ARC012, "the document has too many parts"),
        D::TooManyItems => {
            say(Code::ARC012, "the parts of the document have too many items in their contents")
        }
        D::RootNumber { parts, number } => {
            say(Code::OBJ010, format!("the first part of {parts} has the number {number}"))
        }
        D::LinkNumberTwice { parts, number } => {
            say(Code::OBJ010, format!("{number} is there more than once in {parts} parts"))
        }
        D::LinkNumberMissing { parts, number, next } => {
            say(Code::OBJ010, format!("{number} is missing in {parts} parts, the next is {next}"))
        }
        D::IllFormed { what } => say(Code::OBJ001, format!("{what} at byte {offset}")),
        D::Hangs { line, why } => at(Code::OBJ016, &words(why), *line),
        D::Throws { line, why } => at(Code::OBJ014, &words(why), *line),
        D::EndsEarly { line } => {
            at(Code::OBJ006, "OpenSim takes an element inside a value for the end of the part", *line)
        }
        D::NoShape { line } => {
            at(Code::OBJ014, "missing, and a part without a form cannot stand in a region", *line)
        }
        D::UuidTwice { line, uuid } => at(Code::OBJ014, &format!("the UUID {uuid} stands twice"), *line),
    }
}

/// What OpenSim's reader meets.
fn words(fault: &LoadFault) -> String {
    match fault {
        LoadFault::Empty { wanted } => format!("empty, where {wanted} is expected"),
        LoadFault::Other { text, wanted } => format!("“{text}” is not {wanted}"),
        LoadFault::NoElement { found } => format!("{} stands where an element is expected", here(found)),
        LoadFault::NotElement { found, wanted } => {
            format!("{} stands where {wanted} is expected", here(found))
        }
        LoadFault::NotEnd { found } => format!("{} stands where the element should end", here(found)),
        LoadFault::NoValue { found } => {
            format!("{} stands where an element with a value is expected", here(found))
        }
        LoadFault::NoText { found } => format!("{} stands where text is expected", here(found)),
        LoadFault::InsideValue { found } => format!("{} stands inside a value", here(found)),
        LoadFault::InsideText { found } => format!("{} stands inside a text", here(found)),
        LoadFault::Namespace { name } => format!("{name} is in a namespace"),
        LoadFault::ItemTwice { uuid } => format!("two items have the UUID {uuid}"),
        LoadFault::Channel { value } => format!("{value} is not within 0 to 255"),
        LoadFault::NoMap => "it holds no map in LLSD".into(),
        LoadFault::NoComponent { name: Some(name) } => format!("“{name}” is not X, Y, Z or W"),
        LoadFault::NoComponent { name: None } => {
            "something stands in it that is none of X, Y, Z and W".into()
        }
        LoadFault::PastEnd { gives_up: true } => {
            "OpenSim reads past the end of the part, and takes 60 s to give up".into()
        }
        LoadFault::PastEnd { gives_up: false } => {
            "OpenSim reads past the end of the part and never stops".into()
        }
        LoadFault::Inside { field, why } => format!("{field}: {}", words(why)),
    }
}

/// What stands before its reader.
fn here(node: &Node) -> String {
    match node {
        Node::End => "the end of the part".into(),
        Node::Element(name) => format!("the element {name}"),
        Node::EndOf(name) => format!("the end of {name}"),
        Node::Text => "text".into(),
        Node::White => "white space".into(),
        Node::Comment => "a comment".into(),
    }
}

//! OBJ: words for defects of object documents.

use super::{byte, whole};
use hullmark_finding::{Code, Finding};
use hullmark_format::defect::{Defect, LoadFault, Node, ObjectDefect, ViewerFault};
use hullmark_util::number_text::counted;

/// The aspect of a document that is no text.
pub(crate) const BINARY: &str = "binary";

pub(super) fn said(kind: &ObjectDefect, defect: &Defect) -> Finding {
    use ObjectDefect as D;
    let element = &*defect.place.within;
    let offset = byte(defect);
    let at = |code, why: &str, line: u64| {
        Finding::new(code).detail(format!("{element} ({why}; line {line}, byte {offset})"))
    };
    match kind {
        D::Field { why } => say!(OBJ006, "{element} ({why})"),
        D::MotionNotBase64 => say!(OBJ007, "KeyframeMotion is not base64"),
        D::LinksetDataTooLarge => {
            let (used, limit) = (whole(defect.measured), whole(defect.limit));
            say!(OBJ013, "linkset data has {used} characters, above the limit of {limit}")
        }
        D::LinksetDataUnreadable => say!(OBJ013, "the linkset data cannot be decoded"),
        D::StatesWithoutItem { states } => {
            say!(OBJ013, "{} without an item", counted(*states, "saved script state"))
        }
        D::StateOfNoItem { text } => {
            say!(OBJ007, "a saved script state names the item “{text}”, which is not a UUID")
        }
        D::EmptyObject { number } => say!(OBJ001, "object {number} has no prim (SceneObjectPart)"),
        D::Binary => say!(OBJ001, "it is binary, not XML").aspect(BINARY),
        D::EmptyDocument => say!(OBJ001, "it has no prim (SceneObjectPart)"),
        D::TooManyParts => say!(ARC012, "prims in the document"),
        D::TooManyItems => say!(ARC012, "items in the inventories of the document's prims"),
        D::RootNumber { parts, number } => {
            say!(OBJ010, "the first of {} has number {number}", counted(*parts, "prim"))
        }
        D::LinkNumberTwice { parts, number } => {
            say!(OBJ010, "number {number} occurs more than once in {}", counted(*parts, "prim"))
        }
        D::LinkNumberMissing { parts, number, next } => {
            say!(OBJ010, "number {number} is missing in {}, the next is {next}", counted(*parts, "prim"))
        }
        D::IllFormed { what } => say!(OBJ001, "{what} at byte {offset}"),
        D::Stuck { what } => {
            say!(OBJ001, "{what} at byte {offset}; OpenSim gives up after 60 s").aspect("gives up")
        }
        D::Hangs { line, why } => at(Code::OBJ016, &words(why), *line),
        D::Throws { line, why } => at(Code::OBJ014, &words(why), *line),
        D::EndsEarly { line } => {
            at(Code::OBJ006, "OpenSim takes an element inside a value for the end of the prim", *line)
        }
        D::NoShape { line } => at(Code::OBJ014, "missing, and a prim must have a shape", *line),
        D::ViewerExport { why } => say!(OBJ001, "{why}").aspect(aspect(why)),
        D::ViewerExportTooLarge => say!(ARC012, "bytes in the file after decompression"),
        D::UuidTwice { line, uuid } => at(Code::OBJ014, &format!("the UUID {uuid} occurs twice"), *line),
    }
}

/// Returns what distinguishes the faults of a viewer's export: the object, if the others can be read.
fn aspect(fault: &ViewerFault) -> String {
    match fault {
        ViewerFault::NoPrims { object }
        | ViewerFault::PrimMissing { object, .. }
        | ViewerFault::Roots { object, .. }
        | ViewerFault::Places { object } => format!("object {object}"),
        _ => String::new(),
    }
}

pub(super) fn words(fault: &LoadFault) -> String {
    match fault {
        LoadFault::Empty { wanted } => format!("empty instead of {wanted}"),
        LoadFault::Other { text, wanted } => format!("“{text}” is not {wanted}"),
        LoadFault::NoElement { found } => format!("{} instead of an element", here(found)),
        LoadFault::NotElement { found, wanted } => {
            format!("{} instead of {wanted}", here(found))
        }
        LoadFault::NotEnd { found } => format!("{} instead of the element's end", here(found)),
        LoadFault::NoValue { found } => {
            format!("{} instead of an element with a value", here(found))
        }
        LoadFault::NoText { found } => format!("{} instead of text", here(found)),
        LoadFault::InsideValue { found } => format!("{} inside a value", here(found)),
        LoadFault::InsideText { found } => format!("{} inside a text", here(found)),
        LoadFault::Namespace { name } => format!("{name} is in a namespace"),
        LoadFault::ItemTwice { uuid } => format!("two items have the UUID {uuid}"),
        LoadFault::Channel { value } => format!("{value} is not within 0 to 255"),
        LoadFault::NoMap => "it holds no LLSD map".into(),
        LoadFault::NoComponent { name: Some(name) } => format!("“{name}” is not X, Y, Z or W"),
        LoadFault::NoComponent { name: None } => "it holds something other than X, Y, Z and W".into(),
        LoadFault::PastEnd { gives_up: true } => "OpenSim reads past the end and gives up after 60 s".into(),
        LoadFault::PastEnd { gives_up: false } => "OpenSim reads past the end and never stops".into(),
        LoadFault::Inside { field, why } => format!("{field}: {}", words(why)),
    }
}

fn here(node: &Node) -> String {
    match node {
        Node::End => "the end of the prim".into(),
        Node::Element(name) => format!("the element {name}"),
        Node::EndOf(name) => format!("the end of {name}"),
        Node::Text => "text".into(),
        Node::White => "white space".into(),
        Node::Comment => "a comment".into(),
    }
}

//! OBJ: words for defects of object documents.

use super::{byte, whole};
use hullmark_finding::{Code, Finding};
use hullmark_format::defect::{Defect, ObjectDefect, ViewerFault};
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
        D::Hangs { line, why } => at(Code::OBJ016, &why.to_string(), *line),
        D::Throws { line, why } => at(Code::OBJ014, &why.to_string(), *line),
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

//! What OpenSim's loader makes of a document: it loads, it stops the load of the region, or it hangs the simulator.
//!
//! ```text
//! text ──▶ well-formed? ──▶ for each SceneObjectPart: call after call, as SceneObjectSerializer makes them
//!          reader           part: which call reads which element (fields)
//!                           calls: where it moves, where it throws (text: what .NET takes for a number)
//! ```
//!
//! An exception is caught for each element, the reading goes on behind it, and the part is given up at its end. Where it
//! goes on depends on where the call left off, so a child in a text can end a part early without a word. That is why the
//! calls are followed here, and not only values checked.

mod calls;
mod fields;
mod part;
mod reader;
mod text;

use calls::Position;
use part::Broken;
use reader::{Kind, Malformed, Reader};
use std::collections::HashSet;

/// What OpenSim makes of a document.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    /// It is not well-formed.
    pub(super) malformed: Option<Fault>,
    /// Elements that make it give up the document, with their parts.
    pub(super) stops: Vec<(usize, Fault)>,
    /// The element that it never leaves, with its part.
    pub(super) hangs: Option<(usize, Fault)>,
    /// Parts, or items of a part, have one UUID.
    pub(super) uuid_twice: Option<Fault>,
    /// Parts whose reading ends early: what stands behind is not read.
    pub(super) ends_early: Vec<(usize, Fault)>,
}

/// What is wrong at a place of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) field: &'static str,
    pub(super) why: String,
    pub(super) offset: usize,
    pub(super) line: usize,
}

impl Verdict {
    /// The document is given up, or the simulator with it.
    pub(super) fn is_given_up(&self) -> bool {
        self.malformed.is_some() || !self.stops.is_empty() || self.hangs.is_some()
    }
}

/// Reads a document as OpenSim would, up to so many parts.
pub(super) fn read(text: &str, most_parts: usize) -> Verdict {
    let fault = |Broken { field, why, offset }: Broken| {
        let line = 1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|&&byte| byte == b'\n').count();
        Fault { field, why, offset, line }
    };
    let mut verdict = Verdict::default();
    let mut document = Reader::new(text);
    let mut parts = Vec::new();
    loop {
        match document.read() {
            Ok(true) if document.kind() == Kind::Element && document.name() == "SceneObjectPart" => {
                if parts.len() < most_parts {
                    parts.push((document.start(), document.scope()));
                }
            }
            Ok(true) => {}
            Ok(false) => break,
            Err(Malformed { why, offset }) => {
                verdict.malformed = Some(fault(Broken { field: "", why: why.into(), offset }));
                return verdict;
            }
        }
    }
    let mut uuids = HashSet::new();
    for (number, &(offset, scope)) in parts.iter().enumerate() {
        let part = part::read(Position::new(document.fragment(offset, scope)));
        if let Some(broken) = part.hangs {
            // What stands behind a part that stops the load is not read.
            match verdict.stops.is_empty() && verdict.uuid_twice.is_none() {
                true => verdict.hangs = verdict.hangs.or_else(|| Some((number, fault(broken)))),
                false => verdict.stops.push((number, fault(broken))),
            }
        }
        let given_up = !part.broken.is_empty();
        if part.item_twice || !given_up && !uuids.insert(part.uuid) {
            let why = format!("the UUID {} stands twice", part.uuid);
            verdict.uuid_twice.get_or_insert_with(|| fault(Broken { field: "UUID", why, offset }));
        }
        let told = part.broken.into_iter().filter(|broken| !(part.item_twice && broken.field == "TaskInventory"));
        verdict.stops.extend(told.map(|broken| (number, fault(broken))));
        if !given_up && !part.has_shape && verdict.hangs.is_none() {
            let why = "missing, and a part without a form cannot stand in a region".into();
            verdict.stops.push((number, fault(Broken { field: "Shape", why, offset })));
        }
        if let Some(offset) = part.ended_early {
            let why = "OpenSim takes an element inside a value for the end of the part".into();
            verdict.ends_early.push((number, fault(Broken { field: "SceneObjectPart", why, offset })));
        }
    }
    verdict
}

//! The result of OpenSim's loader for a document: it loads, it stops the load of the region, or it hangs the simulator.
//!
//! ```text
//! text ──▶ nodes, well-formed ──▶ for each SceneObjectPart: call after call, as SceneObjectSerializer makes them
//!          reader, position       part: which call reads which element (fields)
//!                                 calls: where it moves, where it throws (text: what .NET takes for a number)
//! ```
//!
//! An exception is caught for each element, reading continues after it, and the part is given up at its end. The failed
//! call's position decides where reading continues, so a child in a text can end a part early without a message. The
//! loader therefore follows the calls. Checking values alone is not enough.

mod calls;
pub(super) mod control;
mod fields;
pub(super) mod item;
mod llsd;
mod part;
mod plain;
mod position;
mod reader;
pub(super) mod settings;
mod survey;
mod text;

use crate::{
    defect::{Defect, ObjectDefect},
    xml::{control_character, excerpt},
};
pub use fields::Take;
use hullmark_finding::without_numbers;
use hullmark_settings::limits::Limits;
use hullmark_util::base64;
use memchr::memmem;
use part::{Broken, PartOutcome};
use position::{Position, Stop};
use reader::{FORBIDDEN, Malformed, Read, XmlReader};
pub use settings::is_known as is_setting;
use std::collections::{HashMap, HashSet, VecDeque};
pub use survey::{
    Survey, SurveyedItem, SurveyedPart, Unsound, element_at, field_in, is_known, is_sound, survey,
    survey_item,
};
pub(super) use text::{HOLES, PRIM_FLAGS, PROFILES};
use uuid::Uuid;

/// The result of OpenSim's loader for a document.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Verdict {
    /// The reason why the document is not well-formed.
    malformed: Option<Malformed>,
    /// Whether the loader asks for a next element at that place until it gives up.
    stuck: bool,
    /// Elements at which the loader gives up the document, with the index of their part, in order.
    stops: VecDeque<(usize, Fault)>,
    /// The element that the loader never leaves, with the index of its part.
    hangs: Option<(usize, Fault)>,
    /// Two parts, or two items of a part, with the same UUID.
    uuid_twice: Option<Fault>,
    /// Parts that the loader leaves early, so that the rest is not read.
    ends_early: VecDeque<(usize, Fault)>,
    /// A saved state and a motion that stop the load.
    of_group: Vec<Fault>,
}

#[derive(Debug, Clone, PartialEq)]
struct Fault {
    field: &'static str,
    kind: ObjectDefect,
    offset: usize,
    /// Number of faults that this one represents, including itself.
    count: u64,
}

/// Maximum number of equal faults of one field. The last of them counts the rest.
const FOLD: usize = 64;

/// Folds faults that are equal apart from numbers: thousands of parts may lack the same field.
fn fold(faults: &mut VecDeque<(usize, Fault)>) {
    if faults.len() <= FOLD {
        return;
    }
    let mut alike: HashMap<(&'static str, String), (usize, usize)> = HashMap::new();
    let mut kept: VecDeque<(usize, Fault)> = VecDeque::new();
    for (part, fault) in std::mem::take(faults) {
        let says = without_numbers(&format!("{:?}", fault.kind));
        let (count, last) = alike.entry((fault.field, says)).or_default();
        *count += 1;
        if *count <= FOLD {
            *last = kept.len();
            kept.push_back((part, fault));
        } else {
            kept[*last].1.count += 1;
        }
    }
    *faults = kept;
}

impl Verdict {
    fn of_malformed(malformed: Malformed) -> Self {
        Self { malformed: Some(malformed), ..Self::default() }
    }

    /// Whether OpenSim gives up the document at fields, or never leaves one.
    pub(super) fn stops_at_fields(&self) -> bool {
        !self.stops.is_empty() || self.hangs.is_some()
    }

    /// Returns the defects of the part with this index, and of earlier parts that were not requested.
    pub(super) fn defects_of(&mut self, part: usize) -> Vec<Defect> {
        let hangs = self.hangs.take_if(|(number, _)| *number <= part);
        let mut defects: Vec<_> = hangs.map(|(_, fault)| fault.defect()).into_iter().collect();
        for faults in [&mut self.stops, &mut self.ends_early] {
            let of_part = faults.partition_point(|(number, _)| *number <= part);
            defects.extend(faults.drain(..of_part).map(|(_, fault)| fault.defect()));
        }
        defects
    }

    /// Returns the defect of a document that is not well-formed.
    pub(super) fn malformed(&self) -> Option<Defect> {
        let Malformed { why, offset } = self.malformed?;
        let what = why.into();
        let kind = if self.stuck { ObjectDefect::Stuck { what } } else { ObjectDefect::IllFormed { what } };
        Some(Defect::new(kind).offset(offset))
    }

    /// Whether the loader is stuck at the place where the document is not well-formed.
    pub(super) fn is_stuck(&self) -> bool {
        self.stuck
    }

    /// Returns the defects of saved states and of the motion.
    pub(super) fn of_group(&mut self) -> impl Iterator<Item = Defect> {
        std::mem::take(&mut self.of_group).into_iter().map(Fault::defect)
    }

    /// Returns the defect of parts or items with the same UUID.
    pub(super) fn uuid_twice(&self) -> Option<Defect> {
        self.uuid_twice.clone().map(Fault::defect)
    }
}

impl Fault {
    fn defect(self) -> Defect {
        Defect { count: self.count, ..Defect::new(self.kind).within(self.field).offset(self.offset) }
    }
}

/// Line numbers in a text, counted from the last requested position.
struct Lines<'a> {
    text: &'a [u8],
    offset: usize,
    line: usize,
}

impl Lines<'_> {
    fn at(&mut self, offset: usize) -> usize {
        let count = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count();
        match offset >= self.offset {
            true => self.line += count(&self.text[self.offset..offset]),
            false => self.line -= count(&self.text[offset..self.offset]),
        }
        self.offset = offset;
        self.line
    }

    /// Creates a fault in a field that begins at `offset`, of a kind that contains the line.
    fn fault(&mut self, field: &'static str, offset: usize, kind: impl FnOnce(u64) -> ObjectDefect) -> Fault {
        Fault { field, kind: kind(self.at(offset) as u64), offset, count: 1 }
    }

    fn throws(&mut self, Broken { field, why, offset }: Broken) -> Fault {
        self.fault(field, offset, |line| ObjectDefect::Throws { line, why })
    }
}

/// Refuses characters that XML forbids, at any place. .NET accepts them only as references.
fn characters(text: &str) -> Read<()> {
    // U+FFFE and U+FFFF: no other character has these first two bytes and then one of these.
    let bytes = text.as_bytes();
    let last = |at: &usize| matches!(bytes.get(at + 2), Some(0xBE | 0xBF));
    let found = control_character(text).or_else(|| memmem::find_iter(bytes, b"\xEF\xBF").find(last));
    found.map_or(Ok(()), |offset| Err(Malformed { why: FORBIDDEN, offset }))
}

/// Returns why a text is not well-formed, as far as it was read.
fn malformed(at: &Position<'_>, text: &str) -> Option<Malformed> {
    match at.stop() {
        Some(Stop::Malformed(malformed)) => Some(malformed),
        _ => characters(text).err().filter(|malformed| malformed.offset < at.node().end()),
    }
}

/// Returns a position before the first node of a document, and whether the reader for inventories reads it.
fn document_of<'a>(text: &'a str, limits: &Limits) -> Read<(Position<'a>, bool)> {
    // Objects of inventories have their own reader, which expects parts in certain places. The other reader takes them
    // from anywhere, and begins with a check of the whole text.
    let of_inventories = is_of_inventories(text);
    let reader = match (of_inventories, characters(text)) {
        (true, checked) => {
            XmlReader::new(text).mended(checked.err().map_or(usize::MAX, |malformed| malformed.offset))
        }
        (false, checked) => checked.map(|()| XmlReader::new(text))?,
    };
    Ok((Position::new(reader, of_inventories, limits), of_inventories))
}

/// Whether OpenSim's reader for objects of inventories reads this document, given that it is an asset.
pub fn is_of_inventories(text: &str) -> bool {
    memmem::find(text.as_bytes(), b"<RootPart").is_some()
}

/// Returns the faults at which OpenSim's loader ends a document, or leaves a part before its end. Empty for one that
/// nests too deep. A UUID that occurs twice is among them, even if its parts are of several linksets.
pub fn faults(text: &str, limits: &Limits) -> Vec<Defect> {
    let mut verdict = read(text, limits);
    let mut faults: Vec<Defect> = verdict.malformed().into_iter().collect();
    faults.extend(verdict.defects_of(usize::MAX));
    faults.extend(verdict.of_group());
    faults.extend(verdict.uuid_twice());
    faults
}

/// Reads a document as OpenSim would. The verdict is empty for a document that nests too deep.
pub(super) fn read(text: &str, limits: &Limits) -> Verdict {
    let verdict = read_with(text, limits, Position::passing_plain);
    match verdict.malformed {
        // What the reader shows after a fault depends on all nodes before it.
        Some(_) => read_with(text, limits, |document| document),
        None => verdict,
    }
}

fn read_with<'a>(text: &'a str, limits: &Limits, way: fn(Position<'a>) -> Position<'a>) -> Verdict {
    let mut document = match document_of(text, limits) {
        Ok((document, _)) => way(document),
        Err(malformed) => return Verdict::of_malformed(malformed),
    };
    let mut parts = Parts::new(text);
    while let Some(offset) = document.enter_part() {
        let part = part::read(&mut document);
        parts.add(offset, part);
        for nested in document.leave_part() {
            parts.add(nested.0, part::read(&mut document.inside(nested)));
        }
    }
    match document.stop() {
        Some(Stop::Malformed(malformed)) => {
            Verdict { stuck: document.is_stuck(), ..Verdict::of_malformed(malformed) }
        }
        Some(Stop::TooDeep) => Verdict::default(),
        None => Verdict { of_group: of_group(&document), ..parts.verdict() },
    }
}

/// Returns the faults of saved states and of the motion. OpenSim finds both by their names, wherever they are.
fn of_group(document: &Position<'_>) -> Vec<Fault> {
    let fault = |field, offset, kind| Fault { field, kind, offset, count: 1 };
    let mut faults = Vec::new();
    if let Some((offset, item)) = document.bad_states().next() {
        faults.push(fault("SavedScriptState", offset, ObjectDefect::StateOfNoItem { text: excerpt(item) }));
    }
    let motion = document.motion().filter(|(_, text)| base64::decode(text).is_none());
    faults.extend(motion.map(|(offset, _)| fault("KeyframeMotion", offset, ObjectDefect::MotionNotBase64)));
    faults
}

/// Whether this is a UUID in one of the two forms that `new UUID(text)` takes: with hyphens or without.
fn is_plain_uuid(text: &str) -> bool {
    let text = text.trim_matches(' ');
    matches!(text.len(), 32 | 36) && Uuid::try_parse(text).is_ok()
}

struct Parts<'a> {
    lines: Lines<'a>,
    uuids: HashSet<Uuid>,
    count: usize,
    /// Whether a part was given up.
    gave_up: bool,
    verdict: Verdict,
}

impl<'a> Parts<'a> {
    fn new(text: &'a str) -> Self {
        let lines = Lines { text: text.as_bytes(), offset: 0, line: 1 };
        Self { lines, uuids: HashSet::new(), count: 0, gave_up: false, verdict: Verdict::default() }
    }

    /// Adds the next part of the document.
    fn add(&mut self, offset: usize, part: PartOutcome) {
        let Self { lines, uuids, count, gave_up, verdict } = self;
        let number = *count;
        *count += 1;
        let loads = part.broken.is_empty() && part.hangs.is_none();
        if part.item_twice || loads && !uuids.insert(part.uuid) {
            let twice = |line| ObjectDefect::UuidTwice { line, uuid: part.uuid };
            verdict.uuid_twice.get_or_insert_with(|| lines.fault("UUID", offset, twice));
        }
        // A part that was given up before ends the object: its shape is never asked for.
        if loads && !part.has_shape && !*gave_up {
            let fault = lines.fault("Shape", offset, |line| ObjectDefect::NoShape { line });
            verdict.stops.push_back((number, fault));
        }
        // The loader does not read parts after one that stops the load.
        let is_reached = verdict.stops.is_empty() && verdict.uuid_twice.is_none();
        // Two items with the same UUID have a defect of their own.
        let reported =
            part.broken.into_iter().filter(|broken| !(part.item_twice && broken.field == "TaskInventory"));
        *gave_up |= !loads;
        verdict.stops.extend(reported.map(|broken| (number, lines.throws(broken))));
        if let Some(broken) = part.hangs {
            match is_reached && verdict.hangs.is_none() {
                true => {
                    let Broken { field, why, offset } = broken;
                    let fault = lines.fault(field, offset, |line| ObjectDefect::Hangs { line, why });
                    verdict.hangs = Some((number, fault));
                }
                false => verdict.stops.push_back((number, lines.throws(broken))),
            }
        }
        if let Some(offset) = part.ended_early {
            let fault = lines.fault("SceneObjectPart", offset, |line| ObjectDefect::EndsEarly { line });
            verdict.ends_early.push_back((number, fault));
        }
    }

    fn verdict(mut self) -> Verdict {
        fold(&mut self.verdict.stops);
        fold(&mut self.verdict.ends_early);
        self.verdict
    }
}

#[cfg(test)]
mod tests;

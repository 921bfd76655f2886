//! The position in a document, and the parts that are found on the way.
//!
//! A document is read once: what OpenSim's calls read of a part is also checked for well-formedness. Only a part inside
//! of another part is read again, because OpenSim reads the text of the outer part first.

use super::{
    fields::Table,
    is_plain_uuid,
    part::PartOutcome,
    plain::{self, Plain},
    reader::{Malformed, NodeKind, Scope, XmlReader, attribute},
};
use hullmark_settings::limits::Limits;
use std::borrow::Cow;

/// Maximum nesting of parts in parts. OpenSim reads each of them separately. Deeper ones are skipped, because each
/// level is read again.
const MOST_NESTED: usize = 8;

/// Maximum number of saved states with a bad name that are kept.
const MOST_STATES: usize = 4096;

/// The position of a part, and the scope of its outer elements.
type Start = (usize, Scope);

/// Why the reading of a document stopped before its end.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stop {
    TooDeep,
    Malformed(Malformed),
}

/// A position in a document. While a part is read, nothing outside of it is visible.
#[derive(Debug)]
pub(super) struct Position<'a> {
    reader: XmlReader<'a>,
    /// Whether parts are only read in the places where the reader for inventories expects them.
    of_inventories: bool,
    /// Maximum depth of elements.
    depth: usize,
    /// Maximum number of parts.
    most: usize,
    open: Vec<usize>,
    /// Number of parts that were found.
    count: usize,
    /// Parts that were found but not read.
    found: Vec<Start>,
    /// Names of items in saved states, wherever they are, that stop the load, with their positions.
    bad_states: Vec<(usize, Cow<'a, str>)>,
    /// The text of the first keyframe motion, wherever it is, with its position.
    motion: Option<(usize, String)>,
    stop: Option<Stop>,
    /// Whether plain elements are passed over at once.
    passes_plain: bool,
    /// Number of calls for elements, one inside the other, that read here.
    calls: usize,
    /// Whether the reading stopped at a fault inside of such a call, at a node that is no end.
    stuck: bool,
}

impl<'a> Position<'a> {
    /// Creates a position before the first node of a document.
    pub(super) fn new(reader: XmlReader<'a>, of_inventories: bool, limits: &Limits) -> Self {
        Self { of_inventories, most: limits.parts, ..Self::without_parts(reader, limits.xml_depth) }
    }

    /// Returns the position that passes over plain elements at once.
    ///
    /// After a fault in the form of the document, [`Position::is_stuck`] is then wrong: what the reader shows depends
    /// on the nodes before it.
    pub(super) fn passing_plain(self) -> Self {
        Self { passes_plain: true, ..self }
    }

    /// Creates a position in a document without parts.
    pub(super) fn without_parts(reader: XmlReader<'a>, depth: usize) -> Self {
        Self {
            reader,
            of_inventories: false,
            depth,
            most: 0,
            open: Vec::new(),
            count: 0,
            found: Vec::new(),
            bad_states: Vec::new(),
            motion: None,
            stop: None,
            passes_plain: false,
            calls: 0,
            stuck: false,
        }
    }

    /// Advances into the next part, and returns its position.
    pub(super) fn enter_part(&mut self) -> Option<usize> {
        loop {
            self.read();
            if let Some((offset, _)) = self.found.pop() {
                self.reader.enter();
                return Some(offset);
            }
            if self.is_at_end() {
                return None;
            }
        }
    }

    /// Advances past the end of the part, which OpenSim may have left early. Returns the parts inside it.
    pub(super) fn leave_part(&mut self) -> Vec<Start> {
        while !self.is_at_end() {
            self.read();
        }
        if self.stop.is_none() {
            self.reader.leave();
        }
        std::mem::take(&mut self.found)
    }

    /// Returns a position in a part inside of one that was read.
    pub(super) fn inside(&self, (offset, scope): Start) -> Self {
        let reader = self.reader.within(offset, scope);
        let (most, passes_plain) = (self.most, self.passes_plain);
        let mut part = Self { most, passes_plain, ..Self::without_parts(reader, self.depth) };
        part.enter_part();
        part
    }

    /// Returns a position at this node that looks for no parts.
    pub(super) fn alone(&self) -> Self {
        Self::without_parts(self.reader.clone(), self.depth)
    }

    /// Returns the first names of items in saved states that stop the load, with their positions.
    pub(super) fn bad_states(&self) -> impl Iterator<Item = (usize, &str)> {
        self.bad_states.iter().map(|(offset, item)| (*offset, &**item))
    }

    /// Returns the text of the first keyframe motion, with its position.
    pub(super) fn motion(&self) -> Option<(usize, &str)> {
        self.motion.as_ref().map(|(offset, text)| (*offset, text.as_str()))
    }

    /// Returns the reason why the reading stopped before the end.
    pub(super) fn stop(&self) -> Option<Stop> {
        self.stop
    }

    /// `Read`. Nothing follows a fault, or the end of the part.
    pub(super) fn read(&mut self) {
        match self.reader.read() {
            Ok(true) => self.look_for_parts(),
            Ok(false) => {}
            Err(malformed) => {
                self.stuck = self.of_inventories && self.calls > 0 && !self.reader.shows_end_after_fault();
                self.stop_at(Stop::Malformed(malformed));
            }
        }
    }

    /// Passes over plain elements of a table. The position is then at the next node.
    #[inline]
    pub(super) fn pass_plain(&mut self, table: Table, outcome: &mut PartOutcome) {
        let is_possible = self.passes_plain
            && self.kind() == NodeKind::Element
            && !self.reader.is_namespaced()
            && self.reader.depth() + plain::LEVELS < self.depth
            && !self.reader.keeps_white_space();
        if !is_possible {
            return;
        }
        let text = &self.reader.text()[self.start()..];
        let rest = Plain::new(text).pass(table, outcome);
        if rest.len() < text.len() {
            self.reader.leave_behind(text.len() - rest.len());
            self.read();
        }
    }

    /// Makes a call for an element, whose exceptions OpenSim catches.
    pub(super) fn call<T>(&mut self, call: impl FnOnce(&mut Self) -> T) -> T {
        self.calls += 1;
        let called = call(self);
        self.calls -= 1;
        called
    }

    /// Whether OpenSim asks for the next element again and again after a fault, because the reader shows no end.
    pub(super) fn is_stuck(&self) -> bool {
        self.stuck
    }

    fn look_for_parts(&mut self) {
        let depth = self.reader.depth();
        if depth >= self.depth {
            return self.stop_at(Stop::TooDeep);
        }
        match self.reader.kind() {
            NodeKind::Element => match self.name() {
                "SceneObjectPart" => self.found_part(),
                // The reader for inventories passes over bad UUIDs.
                "SavedScriptState" if !self.of_inventories && self.bad_states.len() < MOST_STATES => {
                    let tag = &self.reader.text()[self.start()..self.reader.end()];
                    let item = attribute(tag, "UUID").filter(|item| !is_plain_uuid(item));
                    self.bad_states.extend(item.map(|item| (self.start(), item)));
                }
                "KeyframeMotion" if self.motion.is_none() => {
                    self.motion = Some((self.start(), self.reader.inner_text()));
                }
                _ => {}
            },
            NodeKind::EndElement => drop(self.open.pop_if(|open| *open == depth)),
            _ => {}
        }
    }

    fn found_part(&mut self) {
        let stands = !self.of_inventories || matches!(self.reader.parent(), Some("RootPart" | "Part"));
        if stands && self.count < self.most && self.open.len() < MOST_NESTED {
            self.count += 1;
            self.found.push((self.start(), self.reader.scope()));
        }
        if !self.is_empty_element() {
            self.open.push(self.reader.depth());
        }
    }

    fn stop_at(&mut self, why: Stop) {
        self.stop = Some(why);
        self.reader.stop();
    }

    /// Returns the kind of node at this position.
    pub(super) fn kind(&self) -> NodeKind {
        self.reader.kind()
    }

    /// Returns the name of an element or an instruction; empty for other nodes.
    pub(super) fn name(&self) -> &'a str {
        self.reader.name()
    }

    /// Returns the position of the node.
    pub(super) fn start(&self) -> usize {
        self.reader.start()
    }

    /// Whether the node is an element that ends in its own tag.
    pub(super) fn is_empty_element(&self) -> bool {
        self.reader.is_empty_element()
    }

    /// Whether the position is after the last node.
    pub(super) fn is_at_end(&self) -> bool {
        self.kind() == NodeKind::None
    }

    pub(super) fn node(&self) -> &XmlReader<'a> {
        &self.reader
    }
}

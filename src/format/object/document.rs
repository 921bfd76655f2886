//! Walks through a document: wrappers of any name, groups, and data of a whole group.

use super::{Document, Layout, Linkset, diagnostics::Report, links, linkset_data, part_element};
use crate::{
    defect::{Defect, DefectKind, DocumentDefect, DocumentType, ObjectDefect},
    loader::{self, Verdict},
    xml::{Fault, Result, Source, Step, Xml, marked, parse_uuid},
};
use hullmark_settings::limits::Limits;

/// Bytes that show whether a document is text.
const START: usize = 256;

/// Decodes a document; see [`super::decode`].
pub(super) fn decode(bytes: &[u8], limits: &Limits) -> (Document, Vec<Defect>) {
    if is_binary(bytes) {
        let nothing = Document { layout: None, linksets: Vec::new(), oddities: Vec::new() };
        return (nothing, vec![Defect::new(ObjectDefect::Binary)]);
    }
    let source = Source::new(bytes, DocumentType::Object);
    let verdict = loader::read(source.text(), limits);
    let mut walk = Walk {
        xml: Xml::new(&source, limits.xml_depth),
        limits,
        report: Report::new(limits, verdict.stops_at_fields()),
        verdict,
        layout: None,
        open: Vec::new(),
        linksets: Vec::new(),
        parts: 0,
        refused: 0,
    };
    let result = walk.run();
    walk.finish(result.err().as_deref())
}

/// Whether the first bytes are no text. Text in UTF-16 begins with a mark, and damaged XML still has its markup.
fn is_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(START)];
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 11 | 12 | 14..=31);
    let is_markup = |pair: &[u8]| matches!(pair, [b'<', b'?' | b'!' | b'A'..=b'Z' | b'a'..=b'z']);
    !matches!(start, [0xfe, 0xff, ..] | [0xff, 0xfe, ..])
        && start.iter().any(is_control)
        && !start.windows(2).any(is_markup)
}

/// A linkset whose group is still open.
struct Open {
    linkset: Linkset,
    /// Number of elements that are open outside of the group.
    outside: usize,
    /// Index of the first defect of the group.
    mark: usize,
    /// Whether the group is a wrapper: the objects are inside it.
    wraps: bool,
}

struct Walk<'a> {
    xml: Xml<'a>,
    limits: &'a Limits,
    report: Report,
    /// The result of OpenSim's loader for the document.
    verdict: Verdict,
    layout: Option<Layout>,
    /// Open groups, innermost last.
    open: Vec<Open>,
    linksets: Vec<Linkset>,
    /// Number of parts that were kept.
    parts: usize,
    refused: usize,
}

impl Walk<'_> {
    fn run(&mut self) -> Result<()> {
        loop {
            match self.xml.step()? {
                Step::Open(element) => self.enter(element.name())?,
                Step::Close => self.leave(),
                Step::Text(_) | Step::Character(_) => {}
                Step::End => return Ok(()),
            }
        }
    }

    /// Enters an element. Elements that are not listed here are wrappers or hold nothing of interest.
    fn enter(&mut self, name: &str) -> Result<()> {
        match name {
            "SceneObjectGroup" => {
                self.layout.get_or_insert(Layout::Xml2);
                self.begin_group();
            }
            "SceneObjectPart" => {
                self.layout.get_or_insert(Layout::Xml2);
                self.part()?;
            }
            // A group begins like the newer layout; `RootPart` shows that it is the older one.
            "RootPart" if matches!(self.layout, None | Some(Layout::Xml2)) => {
                self.layout = Some(Layout::Xml1);
            }
            "CoalescedObject" if self.xml.depth() == 1 => self.layout = Some(Layout::Coalesced),
            "scene" if self.xml.depth() == 1 => self.layout = Some(Layout::Scene),
            "KeyframeMotion" => self.keyframe_motion()?,
            "lnkstdt" => self.linkset_data()?,
            "GroupScriptStates" => self.script_states()?,
            _ => {}
        }
        Ok(())
    }

    fn begin_group(&mut self) {
        if let Some(outer) = self.open.last_mut() {
            outer.wraps = true;
        }
        let outside = self.xml.depth() - 1;
        self.open.push(Open { linkset: Linkset::default(), outside, mark: self.report.mark(), wraps: false });
    }

    /// Reads a part. A part outside of any group is an object of its own.
    fn part(&mut self) -> Result<()> {
        if self.parts >= self.limits.parts {
            self.refused += 1;
            return self.xml.skip();
        }
        let lone = self.open.is_empty();
        if lone {
            self.begin_group();
        }
        self.report.begin_part();
        let part = part_element::read(&mut self.xml, &mut self.report)?;
        self.verdict.defects_of(self.parts).into_iter().for_each(|defect| self.report.push(defect));
        self.report.end_part(&part);
        self.parts += 1;
        if let Some(group) = self.open.last_mut() {
            group.linkset.parts.push(part);
        }
        if lone {
            self.leave();
        }
        Ok(())
    }

    /// Reads a keyframe motion. Only .NET can decode its content, and OpenSim drops content that it cannot decode.
    fn keyframe_motion(&mut self) -> Result<()> {
        let text = self.xml.text()?;
        if let Some(group) = self.open.last_mut() {
            group.linkset.keyframe_motion |= !text.trim_ascii().is_empty();
        }
        Ok(())
    }

    fn linkset_data(&mut self) -> Result<()> {
        let data = linkset_data::measure(&self.xml.text()?);
        match data {
            Some(data) if data.used > u64::from(data.limit) => {
                let over = Defect::new(ObjectDefect::LinksetDataTooLarge).within("lnkstdt");
                self.report.push(over.measured(data.used as f64).limit(data.limit));
            }
            Some(_) => {}
            None => self.bad_state("lnkstdt", ObjectDefect::LinksetDataUnreadable),
        }
        if let Some(group) = self.open.last_mut() {
            group.linkset.linkset_data = data.map(|data| data.used);
        }
        Ok(())
    }

    /// Reads the items of saved states. Each state is a nested document, which is not decoded.
    fn script_states(&mut self) -> Result<()> {
        let mut lost = 0;
        while let Some(state) = self.xml.child()? {
            let stated = state.attribute("UUID").unwrap_or_default();
            self.xml.skip()?;
            match parse_uuid(&stated) {
                Some(item) if !item.is_nil() => {
                    if let Some(group) = self.open.last_mut() {
                        group.linkset.script_states.push(item);
                    }
                }
                Some(_) => lost += 1,
                // The loader's verdict has a UUID that the other reader does not take.
                None if stated.is_empty() || self.passes_over_bad_uuids() => lost += 1,
                None => {}
            }
        }
        if lost > 0 {
            self.bad_state("SavedScriptState", ObjectDefect::StatesWithoutItem { states: lost });
        }
        Ok(())
    }

    /// Whether the reader skips bad UUIDs. OpenSim has one reader per layout; only the one for inventories uses
    /// TryParse.
    fn passes_over_bad_uuids(&self) -> bool {
        matches!(self.layout, Some(Layout::Xml1 | Layout::Coalesced))
    }

    fn bad_state(&mut self, within: &'static str, kind: ObjectDefect) {
        self.report.push(Defect::new(kind).within(within));
    }

    /// Completes the innermost group if its element has just ended.
    fn leave(&mut self) {
        if let Some(group) = self.open.pop_if(|group| self.xml.depth() <= group.outside) {
            self.end_group(group);
        }
    }

    fn end_group(&mut self, mut group: Open) {
        if group.linkset.parts.is_empty() {
            if !group.wraps && self.refused == 0 {
                let number = self.linksets.len() as u64 + 1;
                self.report
                    .push(Defect::new(ObjectDefect::EmptyObject { number }).within("SceneObjectGroup"));
            }
            return;
        }
        if let Some(defect) = links::check(&group.linkset.parts) {
            self.report.push(defect);
        }
        self.report.end_linkset(group.mark, &group.linkset);
        group.linkset.document_in_link_order = links::sort(&mut group.linkset.parts);
        // Most objects have one part, but a vector begins with room for four.
        group.linkset.parts.shrink_to_fit();
        self.linksets.push(group.linkset);
    }

    /// Keeps the parts before a fault, and adds the defects of the whole document.
    fn finish(mut self, fault: Option<&Fault>) -> (Document, Vec<Defect>) {
        while let Some(group) = self.open.pop() {
            if !group.linkset.parts.is_empty() {
                self.end_group(group);
            }
        }
        let root = self.linksets.first().and_then(|linkset| linkset.parts.first()).map(|part| part.uuid);
        let parts = self.parts;
        let mut whole = Vec::new();
        if let Some(fault) = fault {
            whole.push(fault.defect(DocumentType::Object, parts));
        } else if self.linksets.is_empty() && self.refused == 0 && self.report.mark() == 0 {
            whole.push(Defect::new(ObjectDefect::EmptyDocument));
        }
        if self.refused > 0 {
            let (all, limit) = (parts + self.refused, self.limits.parts);
            let too_many = Defect::new(ObjectDefect::TooManyParts).within("parts");
            whole.push(too_many.measured(all as f64).limit(limit as f64));
        }
        if let Some(all) = self.report.too_many_items() {
            let too_many = Defect::new(ObjectDefect::TooManyItems).within("items");
            whole.push(too_many.measured(all as f64).limit(self.limits.items as f64));
        }
        let mut notes = self.xml.into_notes();
        whole.append(&mut notes.defects);
        whole.extend(self.verdict.defects_of(usize::MAX));
        whole.extend(self.verdict.of_group());
        if self.verdict.is_stuck() {
            // Other words for the same fault.
            whole.retain(|defect| !matches!(defect.kind, DefectKind::Document(_)));
        }
        if !whole.iter().any(stops_xml_readers) {
            whole.extend(self.verdict.malformed());
        }
        // If a document has several objects, only a rule knows whether they are loaded together.
        if self.linksets.len() == 1 && !self.linksets.iter().any(Linkset::has_a_uuid_twice) {
            whole.extend(self.verdict.uuid_twice());
        }
        // At the front, because a reader that stops at the mark reports nothing else.
        whole.splice(..0, marked(&notes.oddities, DocumentType::Object));
        for defect in &mut whole {
            defect.place.object = root;
        }
        whole.extend(self.report.finish());
        notes.oddities.sort_unstable();
        (Document { layout: self.layout, linksets: self.linksets, oddities: notes.oddities }, whole)
    }
}

/// Whether a defect stops strict readers before the end of the document, so that further defects of its form are not
/// reported. Invalid UTF-8 and a DTD do not stop them.
fn stops_xml_readers(defect: &Defect) -> bool {
    match &defect.kind {
        DefectKind::Document(DocumentDefect::Unclean { what, .. }) => what.stops_readers(),
        DefectKind::Document(_) => true,
        DefectKind::Object(kind) => matches!(
            kind,
            ObjectDefect::EmptyDocument | ObjectDefect::TooManyParts | ObjectDefect::TooManyItems
        ),
        DefectKind::Mesh(_)
        | DefectKind::Model(_)
        | DefectKind::Input(_)
        | DefectKind::Store(_)
        | DefectKind::Inventory(_) => false,
    }
}

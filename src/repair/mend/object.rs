//! Mends a document of objects, element by element.

use super::{Change, Mended, edits::Edits, markup, value};
use hullmark_finding::Code;
use hullmark_format::{
    defect::{Defect, DefectKind, DocumentType, LoadFault, ObjectDefect},
    loader::{self, Survey, Take, Unsound},
    xml::{Source, parse_uuid},
};
use hullmark_settings::limits::Limits;
use hullmark_util::stable_hash::{hashed_uuid, stable_hash};
use std::collections::HashSet;
use uuid::Uuid;

/// Most turns. Nearly all documents need one; the later ones take out what the first could not mend.
const TURNS: usize = 12;

/// Turns in which elements inside of an element are mended alone.
const DEEP_TURNS: usize = 6;

/// The shape of a box: the value of a prim whose shape is lost.
const BOX: &str = "<Shape><ProfileCurve>1</ProfileCurve><PathCurve>16</PathCurve><PathScaleX>100</PathScaleX>\
    <PathScaleY>100</PathScaleY><PCode>9</PCode><Scale><X>0.5</X><Y>0.5</Y><Z>0.5</Z></Scale></Shape>";

/// Mends a document of objects so that OpenSim's loader takes it. `nested`: it is an asset.
pub(crate) fn object(bytes: &[u8], nested: bool, limits: &Limits) -> Mended {
    let source = Source::new(bytes, DocumentType::Object);
    // A loader takes an asset with a byte order mark.
    let is_marked = matches!(bytes, [0xEF, 0xBB, 0xBF, ..]) && !nested
        || matches!(bytes, [0xFE, 0xFF, ..] | [0xFF, 0xFE, ..]);
    let text = source.text();
    if !is_marked && is_loaded(text, limits) {
        return Mended::Sound;
    }
    let mut mender = Mender { text: text.to_owned(), limits, changes: Vec::new() };
    if is_marked {
        let change =
            Change::new(Code::OBJ002, "byte order mark", "OpenSim reads objects as UTF-8 without a mark");
        mender.changes.push(change);
    }
    for turn in 0..TURNS {
        if !mender.turn(turn < DEEP_TURNS) {
            break;
        }
    }
    match is_loaded(&mender.text, limits) {
        true => Mended::Changed { bytes: mender.text.into_bytes(), changes: mender.changes },
        false => {
            let why = loader::faults(&mender.text, limits).first().map_or("it has no prim".into(), why);
            Mended::Hopeless(Change::new(Code::OBJ001, "", format!("no change lets it load: {why}")))
        }
    }
}

/// Whether OpenSim's loader takes a document.
fn is_loaded(text: &str, limits: &Limits) -> bool {
    let faults = loader::faults(text, limits);
    let is_twin = |fault: &Defect| matches!(fault.kind, DefectKind::Object(ObjectDefect::UuidTwice { .. }));
    // Parts of other linksets may have the same UUID. Only a survey knows.
    text.contains("<SceneObjectPart")
        && faults.iter().all(is_twin)
        && (faults.is_empty() || twins(&loader::survey(text, limits, false)).is_empty())
}

/// Says a fault of the loader.
fn why(fault: &Defect) -> String {
    match &fault.kind {
        DefectKind::Object(ObjectDefect::Hangs { why, .. } | ObjectDefect::Throws { why, .. }) => {
            format!("{}: {why}", fault.place.within)
        }
        DefectKind::Object(ObjectDefect::IllFormed { what } | ObjectDefect::Stuck { what }) => {
            what.to_string()
        }
        _ => fault.place.within.to_string(),
    }
}

struct Mender<'a> {
    text: String,
    limits: &'a Limits,
    changes: Vec<Change>,
}

impl Mender<'_> {
    /// Changes what can be changed at once. Returns whether something was.
    fn turn(&mut self, deep: bool) -> bool {
        let survey = loader::survey(&self.text, self.limits, deep);
        if survey.ill_formed.is_some() {
            let (text, changes) = markup::mend(&self.text, loader::is_of_inventories(&self.text));
            let is_changed = text != self.text;
            self.text = text;
            self.changes.extend(changes);
            return is_changed;
        }
        let faults = loader::faults(&self.text, self.limits);
        let mut edits = Edits::default();
        if !faults.is_empty() {
            let is_namespaced = |unsound: &Unsound| {
                matches!(unsound.why, Some(LoadFault::Namespace { .. } | LoadFault::NoValue { .. }))
            };
            if survey.unsound.iter().any(is_namespaced) {
                self.namespaces(&mut edits);
            }
            if edits.is_empty() {
                survey.unsound.iter().for_each(|unsound| self.element(unsound, &survey, &mut edits));
                self.shapes(&survey, &mut edits);
                survey.bad_states.iter().for_each(|(offset, item)| self.state(*offset, item, &mut edits));
                faults.iter().for_each(|fault| self.motion(fault, &mut edits));
            }
        }
        if edits.is_empty() {
            self.twins(&survey, &mut edits);
        }
        let is_changed = !edits.is_empty();
        self.text = edits.apply(&self.text);
        is_changed
    }

    fn element(&mut self, unsound: &Unsound, survey: &Survey, edits: &mut Edits) {
        let Unsound { range, field, take, why, hangs, .. } = unsound;
        let old = &self.text[range.clone()];
        let mut new = take.and_then(|take| value::mended(old, field, take)).unwrap_or_default();
        if new == old {
            // It is sound alone, but not in its place: an element around it puts it into a namespace.
            new.clear();
        }
        let code = if *hangs { Code::OBJ016 } else { Code::OBJ014 };
        let why = why.as_ref().map_or("OpenSim misses the end of the element".into(), ToString::to_string);
        let part = survey.parts.get(unsound.part).and_then(|part| Some(part.uuid.as_ref()?.0));
        self.changes.push(Change { part, ..Change::new(code, *field, why) }.replacing(old, &new));
        edits.replace(range.clone(), new);
    }

    /// Gives a box to parts without a shape: the loader has no default.
    fn shapes(&mut self, survey: &Survey, edits: &mut Edits) {
        for part in survey.parts.iter().filter(|part| !part.has_shape) {
            if let Some(inside) = part.inside {
                let uuid = part.uuid.as_ref().map(|(uuid, _)| *uuid);
                let change = Change::new(Code::OBJ014, "Shape", "the prim has no shape, and becomes a box");
                self.changes.push(Change { part: uuid, ..change }.replacing("", BOX));
                edits.replace(inside..inside, BOX);
            }
        }
    }

    /// Removes declarations that put fields into a namespace.
    fn namespaces(&mut self, edits: &mut Edits) {
        for range in markup::default_namespaces(&self.text) {
            let why = "the declaration puts fields into a namespace, where OpenSim does not find them";
            self.changes
                .push(Change::new(Code::OBJ014, "xmlns", why).replacing(&self.text[range.clone()], ""));
            edits.replace(range, "");
        }
    }

    /// Gives the plain form to the UUID of a saved state, or removes the state.
    fn state(&mut self, offset: usize, item: &str, edits: &mut Edits) {
        let range = loader::element_at(&self.text, offset);
        let old = &self.text[range.clone()];
        let new = plain_item(old, item).unwrap_or_default();
        let why = "the state names an item that is not a UUID";
        self.changes.push(Change::new(Code::OBJ007, "SavedScriptState", why).replacing(old, &new));
        edits.replace(range, new);
    }

    fn motion(&mut self, fault: &Defect, edits: &mut Edits) {
        if !matches!(fault.kind, DefectKind::Object(ObjectDefect::MotionNotBase64)) {
            return;
        }
        let field = "KeyframeMotion";
        let range = loader::element_at(&self.text, fault.place.offset.unwrap_or_default() as usize);
        let old = &self.text[range.clone()];
        let new = value::mended(old, field, Take::Base64).unwrap_or_default();
        self.changes.push(Change::new(Code::OBJ007, field, "the motion is not base64").replacing(old, &new));
        edits.replace(range, new);
    }

    /// Gives new UUIDs to parts and items that share one with an earlier one.
    fn twins(&mut self, survey: &Survey, edits: &mut Edits) {
        let seed = stable_hash(&self.text);
        for twin in twins(survey) {
            let part = &survey.parts[twin.part];
            let new = hashed_uuid(&(seed, twin.part, twin.item));
            let id = format!("<UUID>{new}</UUID>");
            let (field, old) = match twin.item {
                None => ("UUID", part.uuid.as_ref()),
                Some(item) => ("ItemID", part.items[item].uuid.as_ref()),
            };
            let element = format!("<{field}>{id}</{field}>");
            let place = match (old, twin.item) {
                (Some((_, range)), _) => Some(range.clone()),
                (None, None) => part.inside.map(|inside| inside..inside),
                (None, Some(item)) => Some(part.items[item].inside..part.items[item].inside),
            };
            let Some(place) = place else { continue };
            let what = if twin.item.is_some() {
                "two items of the prim have this UUID"
            } else {
                "two prims have this UUID"
            };
            let before = old.map(|(uuid, _)| *uuid);
            let change =
                Change::new(Code::OBJ015, field, what).replacing(&self.text[place.clone()], &element);
            self.changes.push(Change { part: part.uuid.as_ref().map(|(uuid, _)| *uuid), ..change });
            edits.replace(place, element);
            if twin.item.is_none() {
                self.follow(before.unwrap_or_default(), &id, part, edits);
            }
        }
    }

    /// Items name their part.
    fn follow(&self, before: Uuid, id: &str, part: &loader::SurveyedPart, edits: &mut Edits) {
        for range in part.items.iter().flat_map(|item| &item.of_part) {
            let old = &self.text[range.clone()];
            let name = if old.starts_with("<ParentPartID") { "ParentPartID" } else { "ParentID" };
            if old.contains(&before.to_string()) {
                edits.replace(range.clone(), format!("<{name}>{id}</{name}>"));
            }
        }
    }
}

/// A part, or an item of it, with the UUID of an earlier one.
#[derive(Debug, Clone, Copy)]
struct Twin {
    part: usize,
    item: Option<usize>,
}

fn twins(survey: &Survey) -> Vec<Twin> {
    let mut twins = Vec::new();
    let mut parts = HashSet::new();
    for (number, part) in survey.parts.iter().enumerate() {
        let uuid = part.uuid.as_ref().map_or(Uuid::nil(), |(uuid, _)| *uuid);
        if !parts.insert((part.linkset, uuid)) {
            twins.push(Twin { part: number, item: None });
        }
        let mut items = HashSet::new();
        for (index, item) in part.items.iter().enumerate() {
            if !items.insert(item.uuid.as_ref().map_or(Uuid::nil(), |(uuid, _)| *uuid)) {
                twins.push(Twin { part: number, item: Some(index) });
            }
        }
    }
    twins
}

/// Returns a saved state with the UUID of its item in the plain form, if it has one.
fn plain_item(state: &str, item: &str) -> Option<String> {
    let uuid = parse_uuid(item.trim()).filter(|uuid| !uuid.is_nil())?;
    let end = state.find('>')?;
    let start = state[..end].find(item)?;
    Some(format!("{}{uuid}{}", &state[..start], &state[start + item.len()..]))
}

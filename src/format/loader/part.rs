//! Reads a `SceneObjectPart` as OpenSim does: each element with its own call, and with the effect of an exception on
//! the elements that follow.

use super::{
    calls::{CallFailure, Called, threw},
    fields::{self, Table, Take},
    llsd,
    position::Position,
    reader::NodeKind,
    text::{are_flags, is_channel, is_hole, is_profile, number, whole_number},
};
use crate::{
    defect::LoadFault,
    xml::{excerpt, parse_uuid},
};
use hullmark_util::{base64, json_number::Number};
use std::{borrow::Cow, collections::HashSet};
use uuid::Uuid;

/// Number of exceptions after which OpenSim gives up an element with children.
const MOST_EXCEPTIONS: usize = 10;

/// A fault in one element of a part.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Broken {
    pub(super) field: &'static str,
    pub(super) why: LoadFault,
    /// Position of the element.
    pub(super) offset: usize,
}

/// The result of reading a part.
#[derive(Debug, Default)]
pub(super) struct PartOutcome {
    pub(super) uuid: Uuid,
    /// The UUID of the item that was read last.
    pub(super) item: Uuid,
    pub(super) has_shape: bool,
    /// Elements at which OpenSim's reader threw. It gives up the part after reading all of them.
    pub(super) broken: Vec<Broken>,
    /// The element that the reader never leaves.
    pub(super) hangs: Option<Broken>,
    /// Whether two items of the part have the same UUID.
    pub(super) item_twice: bool,
    /// Position at which the reader left the part too early: it took the end of an element inside a value for the
    /// part's end.
    pub(super) ended_early: Option<usize>,
}

pub(super) fn read(at: &mut Position<'_>) -> PartOutcome {
    let mut part = PartOutcome::default();
    let begin = at.start();
    let whole = |why: LoadFault, offset| Broken { field: "SceneObjectPart", why, offset };
    if let Err(trouble) = at.read_start("SceneObjectPart") {
        part.take(trouble, |why| whole(why, begin));
        return part;
    }
    let threw = match part.elements(at, fields::PART) {
        Err(hangs) => {
            part.hangs = Some(hangs);
            return part;
        }
        Ok(threw) => threw,
    };
    part.broken.extend(threw);
    let end = at.start();
    if !part.broken.is_empty() {
        return part;
    }
    match at.read_end() {
        Err(trouble) => part.take(trouble, |why| whole(why, end)),
        Ok(()) => part.ended_early = (!at.is_at_end()).then_some(end),
    }
    part
}

impl PartOutcome {
    /// `ExecuteReadProcessors`: reads elements up to any end tag, and returns the exceptions on the way. An element that
    /// is never left ends the reading.
    pub(super) fn elements(&mut self, at: &mut Position<'_>, table: Table) -> Result<Vec<Broken>, Broken> {
        let mut broken = Vec::new();
        loop {
            at.pass_plain(table, self);
            if at.kind() == NodeKind::EndElement {
                break;
            }
            let offset = at.start();
            let Some((field, take)) = fields::find(table, at.name()) else {
                if at.is_at_end() {
                    // The reader keeps asking for the next element, and gives up after a minute.
                    let why = LoadFault::PastEnd { gives_up: true };
                    broken.push(Broken { field: "SceneObjectPart", why, offset });
                    break;
                }
                at.pass();
                continue;
            };
            match at.call(|at| self.value(at, field, take)) {
                Ok(()) => continue,
                Err(CallFailure::Hangs(why)) => return Err(Broken { field, why, offset }),
                Err(CallFailure::Threw(why)) => broken.push(Broken { field, why, offset }),
            }
            if at.is_at_end() || broken.len() == MOST_EXCEPTIONS {
                break;
            }
            if at.kind() == NodeKind::EndElement {
                at.read();
            }
        }
        Ok(broken)
    }

    /// Like [`Self::elements`], for elements whose exceptions OpenSim only logs.
    fn nested(&mut self, at: &mut Position<'_>, table: Table) -> Called<()> {
        match self.elements(at, table) {
            Ok(_) => Ok(()),
            Err(Broken { field, why, .. }) => {
                Err(CallFailure::Hangs(LoadFault::Inside { field: field.into(), why: Box::new(why) }))
            }
        }
    }

    /// Keeps the UUID of a part or an item. `ReadUUID` accepts any text, and takes one that is no UUID for nil.
    pub(super) fn keep_uuid(&mut self, field: &str, text: &str) {
        let kept = match field {
            "UUID" => &mut self.uuid,
            "ItemID" => &mut self.item,
            _ => return,
        };
        *kept = parse_uuid(text).unwrap_or_default();
    }

    fn take(&mut self, trouble: CallFailure, broken: impl FnOnce(LoadFault) -> Broken) {
        match trouble {
            CallFailure::Threw(why) => self.broken.push(broken(why)),
            CallFailure::Hangs(why) => self.hangs = Some(broken(why)),
        }
    }

    /// `ReadTaskInventory`.
    fn contents(&mut self, at: &mut Position<'_>) -> Called<()> {
        let mut items = HashSet::new();
        at.read_plain_start("TaskInventory")?;
        while at.name() == "TaskInventoryItem" {
            at.read_plain_start("TaskInventoryItem")?;
            self.item = Uuid::nil();
            self.nested(at, fields::ITEM)?;
            at.read_end()?;
            if !items.insert(self.item) {
                self.item_twice = true;
                return threw(LoadFault::ItemTwice { uuid: self.item });
            }
        }
        if at.kind() == NodeKind::EndElement {
            at.read_end()?;
        }
        Ok(())
    }

    /// `ReadShape`.
    fn shape(&mut self, at: &mut Position<'_>) -> Called<()> {
        if at.is_empty_element() {
            at.read();
        } else {
            at.read_plain_start("Shape")?;
            self.nested(at, fields::SHAPE)?;
            at.read_end()?;
        }
        self.has_shape = true;
        Ok(())
    }

    /// `FromXml2` of vehicles and of inertia. Its loop has no limit for exceptions or time.
    fn of_physics(&mut self, at: &mut Position<'_>, field: &'static str, table: Table) -> Called<()> {
        at.read_plain_start(field)?;
        while at.kind() != NodeKind::EndElement {
            if at.is_at_end() {
                return Err(CallFailure::Hangs(LoadFault::PastEnd { gives_up: false }));
            }
            let Some((field, take)) = fields::find(table, at.name()) else {
                at.pass();
                continue;
            };
            let before = at.start();
            if let Err(CallFailure::Threw(why)) = self.value(at, field, take) {
                if at.kind() == NodeKind::EndElement {
                    at.read();
                } else if at.start() == before {
                    return Err(CallFailure::Hangs(LoadFault::Inside {
                        field: field.into(),
                        why: Box::new(why),
                    }));
                }
            }
        }
        at.read_end()
    }

    /// Reads an element of the part, or of an element in it, with a value of one kind.
    pub(super) fn value(&mut self, at: &mut Position<'_>, field: &'static str, take: Take) -> Called<()> {
        match take {
            Take::Content => at.read_named_content(field, |_| Ok(())),
            Take::Text => at.read_element_string(field).map(drop),
            Take::PlainText => at.read_plain_element_string(field).map(drop),
            Take::Boolean => {
                at.read_any_start()?;
                at.read_content()?;
                at.read_end()
            }
            Take::Int => at.read_named_content(field, |text| whole::<i32>(text).map(drop)),
            Take::Long => at.read_named_content(field, |text| whole::<i64>(text).map(drop)),
            Take::Float => at.read_named_content(field, |text| float(text).map(drop)),
            Take::Unsigned => whole::<u32>(&at.read_named_text(field)?).map(drop),
            Take::Flags => enumerated(at, field, are_flags),
            Take::Profile => enumerated(at, field, is_profile),
            Take::Hole => enumerated(at, field, is_hole),
            Take::Base64 => packed(&at.read_named_text(field)?),
            Take::PackedText => packed(&at.read_element_string(field)?),
            Take::Uuid => uuid(at, field).map(|text| self.keep_uuid(field, &text)),
            Take::Vector => vector(at, field),
            Take::Quaternion => quaternion(at, field),
            Take::Color => color(at),
            Take::Shape => self.shape(at),
            Take::Contents => self.contents(at),
            Take::Vehicle => self.of_physics(at, field, fields::VEHICLE),
            Take::Inertia => self.of_physics(at, field, fields::INERTIA),
            Take::Forgiven => {
                let _ = at.read_content_of_element(|_| Ok(()));
                Ok(())
            }
            Take::DynamicAttributes => dynamic_attributes(at),
            Take::Media => {
                if at.read_named_content(field, |_| Ok(())).is_err() {
                    at.read_inner();
                }
                Ok(())
            }
            Take::AnyInt => at.read_content_of_element(|text| whole::<i32>(text).map(drop)),
            Take::AnyFloat => at.read_content_of_element(|text| float(text).map(drop)),
            Take::AnyFloats(count) => {
                at.read_any_start()?;
                for _ in 0..count {
                    at.read_content_of_element(float)?;
                }
                at.read_end()
            }
        }
    }
}

fn not<T>(text: &str, wanted: &'static str) -> Called<T> {
    let wanted = wanted.into();
    threw(match text.trim_ascii() {
        "" => LoadFault::Empty { wanted },
        text => LoadFault::Other { text: excerpt(text), wanted },
    })
}

pub(super) fn whole<T: TryFrom<i128>>(text: &str) -> Called<T> {
    let Some(number) = whole_number(text) else { return not(text, "a whole number") };
    T::try_from(number).or_else(|_| not(text, "a whole number that fits"))
}

pub(super) fn float(text: &str) -> Called<f64> {
    number(text).map_or_else(|| not(text, "a number"), Ok)
}

pub(super) fn packed(text: &str) -> Called<()> {
    base64::decode(text).map_or_else(|| not(text, "base64"), |_| Ok(()))
}

/// `ReadEnum`: reads the whole text before parsing it.
fn enumerated(at: &mut Position<'_>, field: &str, is_known: fn(&str) -> bool) -> Called<()> {
    let text = at.read_named_text(field)?;
    match is_known(&text) {
        true => Ok(()),
        false => not(&text, "a name that is known, or its number"),
    }
}

/// `ReadUUID`.
fn uuid<'a>(at: &mut Position<'a>, field: &str) -> Called<Cow<'a, str>> {
    at.read_start(field)?;
    let text = match at.name() {
        wrapper @ ("Guid" | "UUID") => at.read_element_string(wrapper)?,
        _ => at.read_content()?,
    };
    at.read_end()?;
    Ok(text)
}

/// `ReadVector`: reads three numbers, of any names.
fn vector(at: &mut Position<'_>, field: &str) -> Called<()> {
    at.read_start(field)?;
    for _ in 0..3 {
        at.read_named_content(at.name(), float)?;
    }
    at.read_end()
}

/// `ReadQuaternion`: reads X, Y, Z and W until the element ends. It loops forever at any other node.
fn quaternion(at: &mut Position<'_>, field: &str) -> Called<()> {
    at.read_start(field)?;
    while at.kind() != NodeKind::EndElement {
        match at.name() {
            name @ ("X" | "x" | "Y" | "y" | "Z" | "z" | "W" | "w") => {
                at.read_named_content(name, float)?;
            }
            "" => return Err(CallFailure::Hangs(LoadFault::NoComponent { name: None })),
            name => return Err(CallFailure::Hangs(LoadFault::NoComponent { name: Some(excerpt(name)) })),
        }
    }
    at.read_end()
}

/// Reads a colour: four numbers in the order R, G, B, A. If the first child is not R, the position stays there.
fn color(at: &mut Position<'_>) -> Called<()> {
    at.read_start("Color")?;
    if at.name() != "R" {
        return Ok(());
    }
    let mut channels = [0.0; 4];
    for (channel, name) in channels.iter_mut().zip(["R", "G", "B", "A"]) {
        *channel = at.read_named_content(name, float)?;
    }
    if let Some(outside) = channels.into_iter().find(|channel| !is_channel(*channel)) {
        return threw(LoadFault::Channel { value: Number(outside) });
    }
    at.read_end()
}

/// `DAMap.ReadXml`: reads a map in XML LLSD.
fn dynamic_attributes(at: &mut Position<'_>) -> Called<()> {
    let inner = at.read_inner();
    match llsd::is_map(at.node().of_inner(inner)) {
        true => Ok(()),
        false => threw(LoadFault::NoMap),
    }
}

//! Lists of numbers that several elements share. Each is read once.

use super::{document::Element, text::floats};
use hullmark_format::defect::ModelDefect;
use hullmark_util::work::Work;
use std::{
    collections::{HashMap, hash_map::Entry},
    rc::Rc,
};

/// Numbers of the sources that were read, by the number of their element; `None` for those without numbers.
#[derive(Default)]
pub(super) struct Sources(HashMap<usize, Option<Rc<[f32]>>>);

impl Sources {
    /// Returns the numbers of the source that an input names. The loader ignores accessors: positions and normals have
    /// three numbers each, texture coordinates two.
    ///
    /// # Errors [`ModelDefect::Unreadable`] if there is no such source, or it has no numbers; [`ModelDefect::OverLimit`].
    pub(super) fn of(&mut self, input: Element<'_>, work: &mut Work) -> Result<Rc<[f32]>, ModelDefect> {
        let source = input.named("source", "source")?;
        let numbers = match self.0.entry(source.number) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(room) => {
                let array = source.child("float_array");
                let numbers = array.map(|array| floats(array.text(), work)).transpose()?;
                room.insert(numbers.map(Rc::from)).clone()
            }
        };
        numbers.ok_or_else(|| ModelDefect::Unreadable { why: "a source has no float_array".into() })
    }
}

//! Fields of a part that no rule asks for. OpenSim gives up an object over any of them that it cannot read, so they are
//! checked.

use super::value::{self, Field};
use crate::format::xml::{Result, Xml};

/// Reads the innermost open element and keeps nothing. There is one for each kind of value that `SceneObjectSerializer`
/// does not take whatever it is, as it takes truth values, UUIDs and texts.
pub(super) type Check = fn(&mut Xml<'_>) -> Result<Field<()>>;

pub(super) const INT: Check = |xml| Ok(value::int(xml)?.map(drop));
pub(super) const LONG: Check = |xml| Ok(value::long(xml)?.map(drop));
pub(super) const UNSIGNED: Check = |xml| Ok(value::unsigned(xml)?.map(drop));
pub(super) const FLOAT: Check = |xml| Ok(value::float(xml)?.map(drop));
pub(super) const VECTOR: Check = |xml| Ok(value::vector(xml)?.map(drop));
pub(super) const QUATERNION: Check = |xml| Ok(value::quaternion(xml)?.map(drop));
pub(super) const BASE64: Check = |xml| Ok(value::bytes(&xml.text()?).map(drop));

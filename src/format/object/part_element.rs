//! The `SceneObjectPart` element.

use super::{
    Item, Part, oddity,
    report::Report,
    shape_element::{self, ShapeElement},
    value,
};
use crate::format::xml::{Result, Xml};
use glam::{DQuat, DVec3};

/// Fields that a part must have, or that something is made of later.
#[derive(Default)]
struct Read {
    scale: Option<DVec3>,
    shape: Option<ShapeElement>,
    group_position: Option<DVec3>,
    rotation: Option<DQuat>,
    flags: Option<u32>,
    object_flags: Option<u32>,
    physics_shape_type: Option<u8>,
    /// Elements that were there, whether or not they could be read.
    seen: Seen,
}

#[derive(Default)]
struct Seen {
    scale: bool,
    group_position: bool,
    rotation: bool,
    flags: bool,
}

/// Reads the innermost open element.
pub(super) fn read(xml: &mut Xml<'_>, report: &mut Report) -> Result<Part> {
    let mut part = Part::default();
    let mut read = Read::default();
    while let Some(child) = xml.child()? {
        match child.name() {
            "UUID" => report.keep("UUID", value::uuid(xml)?, &mut part.uuid),
            "Name" => part.name = xml.text()?.into_owned(),
            "LinkNum" => report.keep("LinkNum", value::int(xml)?, &mut part.link_number),
            "OwnerID" => report.keep("OwnerID", value::uuid(xml)?, &mut part.owner),
            "CreatorID" => report.keep("CreatorID", value::uuid(xml)?, &mut part.creator),
            "CreationDate" => report.keep("CreationDate", value::long(xml)?, &mut part.created),
            "GroupPosition" => {
                read.seen.group_position = true;
                read.group_position = report.good("GroupPosition", value::vector(xml)?);
            }
            "OffsetPosition" => {
                report.keep("OffsetPosition", value::vector(xml)?, &mut part.offset_position);
            }
            "RotationOffset" => {
                read.seen.rotation = true;
                read.rotation = report.good("RotationOffset", value::quaternion(xml)?);
            }
            "Velocity" => report.keep("Velocity", value::vector(xml)?, &mut part.velocity),
            "AngularVelocity" => {
                report.keep("AngularVelocity", value::vector(xml)?, &mut part.angular_velocity);
            }
            "Shape" => read.shape = Some(shape_element::read(xml, report)?),
            "Scale" => {
                read.seen.scale = true;
                read.scale = report.good("Scale", value::vector(xml)?);
            }
            "Flags" => {
                read.seen.flags = true;
                read.flags = report.good("Flags", value::flags(xml)?);
            }
            "ObjectFlags" => read.object_flags = report.good("ObjectFlags", value::flags(xml)?),
            "VolumeDetectActive" => {
                report.keep("VolumeDetectActive", value::bool(xml)?, &mut part.volume_detect);
            }
            "PhysicsShapeType" => {
                let number = report.good("PhysicsShapeType", value::int(xml)?);
                read.physics_shape_type = number.map(|n| n as u8);
                part.physics_shape_type = read.physics_shape_type;
            }
            "TaskInventory" => read_inventory(xml, report, &mut part.inventory)?,
            _ => xml.skip()?,
        }
    }
    complete(&mut part, read, xml, report);
    Ok(part)
}

/// Puts together what may stand in several places, and says what is missing.
fn complete(part: &mut Part, read: Read, xml: &mut Xml<'_>, report: &mut Report) {
    let shape = read.shape.unwrap_or_else(|| {
        report.field("Shape", "missing, taken as a box");
        ShapeElement::default()
    });
    part.shape = shape.shape;
    part.state = shape.state;
    match (read.scale, shape.scale) {
        (Some(scale), _) => part.scale = scale,
        (None, Some(scale)) => {
            xml.note(oddity::SCALE_IN_SHAPE);
            part.scale = scale;
        }
        (None, None) if !read.seen.scale => report.field("Scale", "missing, taken as 0.5 m"),
        // It was there and could not be read, which was said.
        (None, None) => {}
    }
    match read.group_position {
        Some(position) => part.group_position = position,
        None if !read.seen.group_position => report.field("GroupPosition", "missing, taken as 0"),
        None => {}
    }
    match read.rotation {
        Some(rotation) => part.rotation = rotation,
        None if !read.seen.rotation => report.field("RotationOffset", "missing, taken as none"),
        None => {}
    }
    match (read.flags, read.object_flags) {
        (Some(flags), _) => part.flags = flags,
        (None, Some(flags)) if !read.seen.flags => {
            xml.note(oddity::OBJECT_FLAGS_NUMBER);
            part.flags = flags;
        }
        _ => {}
    }
    complete_physics_shape_type(part, xml, report);
}

/// OpenSim replaces what it does not know by the default of the part's form.
fn complete_physics_shape_type(part: &mut Part, xml: &mut Xml<'_>, report: &mut Report) {
    match part.physics_shape_type {
        Some(0..=2) => {}
        Some(unknown) => {
            let default = if part.mesh().is_some() { 2 } else { 0 };
            report.field("PhysicsShapeType", &format!("{unknown} is not known, taken as {default}"));
            part.physics_shape_type = Some(default);
        }
        None => xml.note(oddity::NO_PHYSICS_SHAPE_TYPE),
    }
}

fn read_inventory(xml: &mut Xml<'_>, report: &mut Report, items: &mut Vec<Item>) -> Result<()> {
    while let Some(child) = xml.child()? {
        match child.name() {
            "TaskInventoryItem" => items.push(read_item(xml, report)?),
            _ => xml.skip()?,
        }
    }
    Ok(())
}

fn read_item(xml: &mut Xml<'_>, report: &mut Report) -> Result<Item> {
    let mut item = Item::default();
    while let Some(child) = xml.child()? {
        match child.name() {
            "Name" => item.name = xml.text()?.into_owned(),
            "ItemID" => report.keep("TaskInventoryItem/ItemID", value::uuid(xml)?, &mut item.uuid),
            "AssetID" => report.keep("TaskInventoryItem/AssetID", value::uuid(xml)?, &mut item.asset),
            "Type" => report.keep("TaskInventoryItem/Type", value::int(xml)?, &mut item.asset_type),
            "InvType" => {
                report.keep("TaskInventoryItem/InvType", value::int(xml)?, &mut item.inventory_type);
            }
            _ => xml.skip()?,
        }
    }
    Ok(item)
}

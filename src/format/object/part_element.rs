//! The `SceneObjectPart` element.

use super::{
    Part, animations,
    dynamic_attributes::{self, OwnMaterials},
    item_element, oddity, particles,
    report::Report,
    shape_element::{self, ShapeElement},
    unasked,
    value::{self, Masks},
};
use crate::format::{
    reference::{Reference, Use},
    xml::{Result, Xml},
};
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
    masks: Masks,
    own_materials: OwnMaterials,
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

/// Reads the innermost open element, which may be the root of its object.
pub(super) fn read(xml: &mut Xml<'_>, is_root: bool, report: &mut Report) -> Result<Part> {
    let mut part = Part::default();
    let mut read = Read::default();
    while let Some(child) = xml.child()? {
        match child.name() {
            "UUID" => report.keep("UUID", value::uuid(xml)?, &mut part.uuid),
            "Name" => part.name = xml.text()?.into_owned(),
            "LinkNum" => report.keep("LinkNum", value::int(xml)?, &mut part.link_number),
            "OwnerID" => report.keep("OwnerID", value::uuid(xml)?, &mut part.owner),
            "LastOwnerID" => report.keep("LastOwnerID", value::uuid(xml)?, &mut part.last_owner),
            "GroupID" => report.keep("GroupID", value::uuid(xml)?, &mut part.group),
            "CreatorID" => report.keep("CreatorID", value::uuid(xml)?, &mut part.creator),
            "CreatorData" => {
                let text = xml.text()?;
                part.creator_data = (!text.trim_ascii().is_empty()).then(|| text.into_owned());
            }
            "BaseMask" => read.masks.base = report.good("BaseMask", value::bits(xml)?),
            "OwnerMask" => read.masks.owner = report.good("OwnerMask", value::bits(xml)?),
            "EveryoneMask" => read.masks.everyone = report.good("EveryoneMask", value::bits(xml)?),
            "NextOwnerMask" => read.masks.next_owner = report.good("NextOwnerMask", value::bits(xml)?),
            "CreationDate" => {
                report.keep("CreationDate", value::int(xml)?.map(i64::from), &mut part.created);
            }
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
            "Shape" => {
                read.shape = Some(report.forgiving(|report| shape_element::read(xml, report))?);
            }
            "Scale" => {
                read.seen.scale = true;
                read.scale = report.good("Scale", value::vector(xml)?);
            }
            "Flags" => {
                read.seen.flags = true;
                read.flags = report.good("Flags", value::flags(xml)?);
            }
            // OpenSim no longer reads it.
            "ObjectFlags" => {
                let flags = value::flags(xml)?;
                read.object_flags = report.forgiving(|report| report.good("ObjectFlags", flags));
            }
            "VolumeDetectActive" => {
                report.keep("VolumeDetectActive", value::bool(xml)?, &mut part.volume_detect);
            }
            "PhysicsShapeType" => {
                let number = report.good("PhysicsShapeType", value::int(xml)?);
                read.physics_shape_type = number.map(|n| n as u8);
                part.physics_shape_type = read.physics_shape_type;
            }
            "CollisionSound" => {
                let sound = report.good("CollisionSound", value::uuid(xml)?);
                // All bits set are OpenSim's word for silence.
                let sound = sound.filter(|sound| !sound.is_max());
                part.references.extend(sound.and_then(|sound| Use::CollisionSound.unless_nil(sound)));
            }
            "SoundID" => {
                let sound = report.good("SoundID", value::uuid(xml)?);
                part.references.extend(sound.and_then(|sound| Use::Sound.unless_nil(sound)));
            }
            "ParticleSystem" => {
                let texture = packed("ParticleSystem", &xml.text()?, report, particles::texture);
                part.references.extend(texture.flatten());
            }
            "SOPAnims" => {
                let text = xml.text()?;
                let playing =
                    report.forgiving(|report| packed("SOPAnims", &text, report, animations::references));
                part.references.extend(playing.unwrap_or_default());
            }
            "DynAttrs" => read.own_materials = dynamic_attributes::read(xml)?,
            "TaskInventory" => {
                part.inventory = report.forgiving(|report| item_element::read_all(xml, report))?;
            }
            name => unasked::check(name, xml, report)?,
        }
    }
    complete(&mut part, read, is_root, xml, report);
    Ok(part)
}

/// What a decoder makes of the bytes of an element.
fn packed<T>(
    element: &'static str,
    text: &str,
    report: &mut Report,
    decode: fn(&[u8]) -> Option<T>,
) -> Option<T> {
    let bytes = report.good(element, value::bytes(text))?;
    let decoded = decode(&bytes);
    if decoded.is_none() {
        report.field(element, &format!("its {} bytes cannot be decoded", bytes.len()));
    }
    decoded
}

/// Puts together what may stand in several places, and says what is missing.
fn complete(part: &mut Part, read: Read, is_root: bool, xml: &mut Xml<'_>, report: &mut Report) {
    let shape = read.shape.unwrap_or_else(|| {
        // OpenSim asks the root's form whether the object is worn.
        match is_root {
            true => report.given_up("Shape", "missing in the root, taken as a box"),
            false => report.field("Shape", "missing, taken as a box"),
        }
        ShapeElement::default()
    });
    part.shape = shape.shape;
    part.state = shape.state;
    part.permissions = read.masks.complete();
    complete_references(part, shape.references, read.own_materials);
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
        Some(rotation) => {
            part.rotation_length = rotation.length() as f32;
            part.rotation = value::normalised(xml, rotation);
        }
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

/// A material that the part itself describes is no asset.
fn complete_references(part: &mut Part, of_shape: Vec<Reference>, own: OwnMaterials) {
    let is_own =
        |reference: &Reference| reference.what == Use::Material && own.ids.contains(&reference.asset);
    part.references.extend(of_shape.into_iter().filter(|reference| !is_own(reference)));
    part.references.extend(own.references);
    part.references.sort_unstable();
    part.references.dedup();
    part.references.shrink_to_fit();
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

//! A prim in LLSD, with the keys that all exports of viewers share.

use super::{Read, inventory, volume::Volume};
use crate::{
    defect::{Defect, FieldFault, ObjectDefect},
    llsd::{Map, Value},
    object::{Part, Sculpt, normalised_or_none, part::flag, texture_entry::FaceColors},
    reference::{Reference, Use},
};
use glam::{DQuat, DVec3};
use uuid::Uuid;

const NAME_BYTES: usize = 1024;

/// Most faces of a prim that are read. Viewers show at most 45.
const FACES: usize = 64;

/// Material of a prim without another one.
const WOOD: i64 = 3;

const MICROSECONDS: u64 = 1_000_000;

/// Reads a prim without its UUID and contents. A child's position and rotation are relative to the root.
pub(super) fn read(map: &Map<'_>, is_root: bool) -> Read {
    let mut fields = Fields { map, defects: Vec::new() };
    let position = fields.vector("position").unwrap_or_default();
    let (rotation, rotation_length) = fields.rotation();
    let mut part = Part {
        name: text(map.get("name")),
        owner: fields.uuid("owner_id"),
        last_owner: fields.uuid("last_owner_id"),
        group: fields.uuid("group_id"),
        creator: fields.uuid("creator_id"),
        permissions: inventory::masks(
            ["base_mask", "owner_mask", "everyone_mask", "next_owner_mask"].map(|key| map.get(key)),
        ),
        created: seconds(map.get("creation_date")),
        scale: fields.vector("scale").unwrap_or(Part::default().scale),
        rotation,
        rotation_length,
        flags: flags(map),
        physics_shape_type: physics_shape_type(map),
        colors: colors(map),
        references: references(map),
        ..Part::default()
    };
    *(if is_root { &mut part.group_position } else { &mut part.offset_position }) = position;
    let (pcode, state) = (integer(map.get("pcode")), integer(map.get("state")));
    let is_plant = matches!(pcode, Some(95 | 111 | 255));
    if !is_plant {
        part.shape = fields.volume().pack();
    }
    // The attachment point has its halves exchanged in the state of the prim.
    let point = integer(map.get("attachment_point")).and_then(|point| u8::try_from(point).ok());
    part.state = point.map_or(0, |point| point.rotate_left(4));
    if let (true, Some(pcode)) = (is_plant, pcode) {
        part.shape.pcode = pcode as u8;
        part.state = state.and_then(|state| u8::try_from(state).ok()).unwrap_or_default();
    }
    part.shape.sculpt = sculpt(map);
    part.shape.flexi_entry = map.has("flexible");
    part.placeholder = is_placeholder(map, &part);
    (part, fields.defects)
}

/// Whether a prim is a placeholder of a mesh, or of one that may not be exported: a box without name and textures.
fn is_placeholder(map: &Map<'_>, part: &Part) -> bool {
    let is_wood = integer(map.get("material")) == Some(WOOD);
    let has_nothing = ["name", "texture", "textures", "sculpt"].iter().all(|key| !map.has(key));
    has_nothing && is_wood && part.flags == 0 && part.shape == Volume::default().pack()
}

struct Fields<'m, 'a> {
    map: &'m Map<'a>,
    defects: Vec<Defect>,
}

impl Fields<'_, '_> {
    fn defect(&mut self, field: &'static str, why: FieldFault) {
        self.defects.push(Defect::new(ObjectDefect::Field { why }).within(field));
    }

    fn uuid(&self, key: &str) -> Uuid {
        uuid(self.map.get(key)).unwrap_or_default()
    }

    /// Reads a list of numbers. Reports a list that is missing or has another length.
    fn numbers<const N: usize>(&mut self, key: &'static str) -> Option<[f64; N]> {
        let Some(list) = self.map.get(key).and_then(Value::as_array) else {
            self.defect(key, FieldFault::Missing { taken: "of a new prim".into() });
            return None;
        };
        let numbers: Vec<f64> = list.iter().map_while(real).collect();
        let read = numbers.len() as u64;
        let numbers = <[f64; N]>::try_from(numbers).ok();
        if numbers.is_none() {
            self.defect(key, FieldFault::TooFew { read, all: N as u64 });
        }
        numbers
    }

    fn vector(&mut self, key: &'static str) -> Option<DVec3> {
        self.numbers(key).map(DVec3::from_array)
    }

    fn rotation(&mut self) -> (DQuat, f32) {
        let raw = self.numbers("rotation").map_or(DQuat::IDENTITY, DQuat::from_array);
        (normalised_or_none(raw).unwrap_or_default(), raw.length() as f32)
    }

    fn volume(&mut self) -> Volume {
        let volume = self.map.get("volume").and_then(Value::as_map);
        let part = |key: &str| volume.and_then(|volume| volume.get(key)).and_then(Value::as_map);
        let (Some(path), Some(profile)) = (part("path"), part("profile")) else {
            self.defect("volume", FieldFault::Missing { taken: "box".into() });
            return Volume::default();
        };
        let mut missing = None;
        let mut number = |map: &Map<'_>, key: &'static str, default: f64| {
            let number = map.get(key).and_then(real).filter(|number| number.is_finite());
            number.unwrap_or_else(|| {
                missing.get_or_insert(key);
                default
            })
        };
        let mut of_path = |key, default| number(path, key, default);
        let mut volume = Volume {
            path: of_path("curve", 16.0) as u8,
            path_cut: [of_path("begin", 0.0), of_path("end", 1.0)],
            scale: [of_path("scale_x", 1.0), of_path("scale_y", 1.0)],
            shear: [of_path("shear_x", 0.0), of_path("shear_y", 0.0)],
            twist: [of_path("twist_begin", 0.0), of_path("twist", 0.0)],
            radius_offset: of_path("radius_offset", 0.0),
            taper: [of_path("taper_x", 0.0), of_path("taper_y", 0.0)],
            revolutions: of_path("revolutions", 1.0),
            skew: of_path("skew", 0.0),
            ..Volume::default()
        };
        volume.profile = number(profile, "curve", 1.0) as u8;
        volume.profile_cut = [number(profile, "begin", 0.0), number(profile, "end", 1.0)];
        volume.hollow = number(profile, "hollow", 0.0);
        if let Some(key) = missing {
            self.defect(key, FieldFault::Missing { taken: "of a box".into() });
        }
        volume
    }
}

fn sculpt(map: &Map<'_>) -> Option<Sculpt> {
    let sculpt = map.get("sculpt").and_then(Value::as_map)?;
    let kind = integer(sculpt.get("type")).and_then(|kind| u8::try_from(kind).ok()).unwrap_or_default();
    Some(Sculpt { asset: uuid(sculpt.get("texture")).unwrap_or_default(), kind })
}

/// Reads the flags: all of them in one field, or some as values of their own.
fn flags(map: &Map<'_>) -> u32 {
    if let Some(flags) = inventory::bits(map.get("flags")) {
        return flags;
    }
    let physics = if is_true(map.get("physical")) { flag::PHYSICS } else { 0 };
    let phantom = if is_true(map.get("phantom")) { flag::PHANTOM } else { 0 };
    physics | phantom
}

fn physics_shape_type(map: &Map<'_>) -> Option<u8> {
    let physics = map.get("ExtraPhysics").and_then(Value::as_map)?;
    integer(physics.get("PhysicsShapeType"))
        .and_then(|kind| u8::try_from(kind).ok())
        .filter(|&kind| kind <= 2)
}

/// Reads the colors of faces. Viewers write each face, with parts from 0 to 1.
fn colors(map: &Map<'_>) -> FaceColors {
    let faces = ["texture", "textures"].map(|key| map.get(key).and_then(Value::as_array).unwrap_or_default());
    let color = |face: &Value<'_>| {
        let parts = face.as_map()?.get("colors")?.as_array()?;
        let parts: Vec<f64> = parts.iter().map_while(real).collect();
        // A cast turns NaN into 0, and limits other numbers.
        Some(<[f64; 4]>::try_from(parts).ok()?.map(|part| (part * 255.0).round() as u8))
    };
    let colors = faces.into_iter().flatten().take(FACES).map(|face| color(face).unwrap_or([u8::MAX; 4]));
    let mut read = FaceColors::default();
    for (face, color) in colors.enumerate() {
        match read.exceptions.iter_mut().find(|(_, other)| *other == color) {
            _ if face == 0 => read.default = color,
            _ if color == read.default => {}
            Some((faces, _)) => *faces |= 1 << face,
            None => read.exceptions.push((1 << face, color)),
        }
    }
    read
}

/// Reads the textures and materials of faces, of particles and of a projector.
fn references(map: &Map<'_>) -> Vec<Reference> {
    let maps = |key: &str| {
        let list = map.get(key).and_then(Value::as_array).unwrap_or_default();
        list.iter().take(FACES).filter_map(Value::as_map)
    };
    let mut references = Vec::new();
    for face in maps("texture").chain(maps("textures")) {
        references.extend(uuid(face.get("imageid")).map(|texture| Use::Texture.reference(texture)));
    }
    let mut refer = |what: Use, id: Option<&Value<'_>>| {
        references.extend(uuid(id).and_then(|asset| what.unless_nil(asset)));
    };
    for material in maps("materials") {
        refer(Use::NormalMap, material.get("NormMap"));
        refer(Use::SpecularMap, material.get("SpecMap"));
    }
    let inner = |key: &str, inner: &str| map.get(key).and_then(Value::as_map)?.get(inner);
    refer(Use::Particle, inner("particle", "PartImageID"));
    refer(Use::Projector, inner("light_texture", "texture"));
    references
}

/// Reads the time of creation: microseconds since 1970 in eight bytes or in a text.
fn seconds(value: Option<&Value<'_>>) -> i64 {
    let bytes = value.and_then(Value::as_binary).and_then(|bytes| bytes.first_chunk());
    let microseconds = bytes.map(|bytes| u64::from_be_bytes(*bytes));
    let microseconds = microseconds.or_else(|| text(value).trim_ascii().parse().ok());
    microseconds.map_or(0, |all| (all / MICROSECONDS) as i64)
}

/// Reads a text, cut if it is longer than a name may be.
pub(super) fn text(value: Option<&Value<'_>>) -> String {
    let Some(bytes) = value.and_then(Value::as_string) else { return String::new() };
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * NAME_BYTES)]);
    text[..text.floor_char_boundary(NAME_BYTES)].to_owned()
}

/// Reads a UUID, which may be a text.
pub(super) fn uuid(value: Option<&Value<'_>>) -> Option<Uuid> {
    match value? {
        Value::Uuid(uuid) => Some(*uuid),
        Value::String(text) => Uuid::try_parse_ascii(text.trim_ascii()).ok(),
        _ => None,
    }
}

/// Reads a whole number. A boolean is 0 or 1.
pub(super) fn integer(value: Option<&Value<'_>>) -> Option<i64> {
    match value? {
        Value::Boolean(value) => Some((*value).into()),
        Value::String(text) => std::str::from_utf8(text).ok()?.trim_ascii().parse().ok(),
        value => value.as_i64(),
    }
}

fn real(value: &Value<'_>) -> Option<f64> {
    value.as_f64()
}

fn is_true(value: Option<&Value<'_>>) -> bool {
    integer(value).is_some_and(|value| value != 0)
}

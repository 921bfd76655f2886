//! Prims from rows of a database: `prims`, `primshapes` and `primitems`.
//!
//! A prim has its fields in the first table and its shape in the second one. Rows may come in any order, so both are
//! read alone and joined later.

use super::{Dialect, Row};
use glam::DVec3;
use hullmark_format::{
    defect::{Defect, DocumentType, FieldFault, ObjectDefect},
    object::{
        Item, Part, Permissions, Shape, animations, dynamic_attributes, extra_params, linkset_data,
        normalised_or_none, particles,
        texture_entry::{FaceColors, TextureEntry},
        valid_profile_curve,
    },
    reference::{Reference, Use},
    xml::{Source, Xml},
};
use std::{borrow::Cow, collections::BTreeSet};
use uuid::Uuid;

/// Maximum depth of elements in the texts of a row.
const DEPTH: usize = 64;

/// Bytes of memory for the UUID of a material in a set.
const MATERIAL: usize = 32;

/// Bytes of memory for the texts of a defect.
const TEXTS: usize = 64;

/// A row of `prims`.
#[derive(Debug)]
pub struct PrimRow {
    pub group: Uuid,
    /// The prim, still without the shape.
    pub part: Part,
    /// Whether the linkset moves along a path.
    pub keyframe_motion: bool,
    /// Characters that scripts store in the linkset.
    pub linkset_data: Option<u64>,
    /// Materials that the prim itself describes, which are no assets.
    own_materials: BTreeSet<Uuid>,
    pub defects: Vec<Defect>,
}

/// A row of `primshapes`.
#[derive(Debug)]
pub struct ShapeRow {
    pub prim: Uuid,
    shape: Shape,
    scale: DVec3,
    state: u8,
    colors: FaceColors,
    references: Vec<Reference>,
    defects: Vec<Defect>,
}

impl PrimRow {
    pub fn new(row: &Row<'_>, dialect: Dialect) -> Self {
        let mut defects = Vec::new();
        let creator = row.name("creatorid");
        let (creator, home) = creator.split_once(';').unwrap_or((&creator, ""));
        let rotation = row.rotation("rotation");
        let mut references = sounds(row);
        let particles = match dialect {
            Dialect::Sqlite => row.base64("particlesystem").map(Cow::Owned).ok_or(0),
            _ => Ok(Cow::Borrowed(row.blob("particlesystem"))),
        };
        let texture = particles.and_then(|bytes| particles::texture(&bytes).ok_or(bytes.len()));
        match texture {
            Ok(texture) => references.extend(texture),
            Err(bytes) => defects.push(undecodable("ParticleSystem", bytes)),
        }
        let playing = row.blob("sopanims");
        match animations::references(playing) {
            Some(playing) => references.extend(playing),
            None if playing.is_empty() => {}
            None => defects.push(undecodable("sopanims", playing.len())),
        }
        let own = own_materials(&row.text("dynattrs"));
        references.extend(own.references);
        let data = row.blob("lnkstbindata");
        let linkset_data = linkset_data::unpack(data);
        if linkset_data.is_none() && !data.is_empty() {
            defects.push(undecodable("lnkstBinData", data.len()));
        }
        let masks = ["basemask", "ownermask", "everyonemask", "nextownermask"].map(|mask| row.bits(mask));
        let part = Part {
            uuid: row.uuid("uuid"),
            name: row.name("name"),
            link_number: row.int("linknumber").and_then(|number| number.try_into().ok()).unwrap_or(0),
            owner: row.uuid("ownerid"),
            last_owner: row.uuid("lastownerid"),
            group: row.uuid("groupid"),
            creator: Uuid::try_parse(creator.trim_ascii()).unwrap_or_default(),
            creator_data: (!home.is_empty()).then(|| home.to_owned()),
            permissions: permissions(masks),
            created: row.int("creationdate").unwrap_or(0),
            group_position: row.vector("groupposition"),
            offset_position: row.vector("position"),
            rotation: normalised_or_none(rotation).unwrap_or_default(),
            rotation_length: rotation.length() as f32,
            velocity: row.vector("velocity"),
            angular_velocity: row.vector("angularvelocity"),
            flags: row.bits("objectflags").unwrap_or(0),
            volume_detect: row.flag("volumedetect").unwrap_or(false),
            physics_shape_type: row.int("physicsshapetype").map(|number| number as u8),
            references,
            ..Part::default()
        };
        Self {
            group: row.uuid("scenegroupid"),
            part,
            keyframe_motion: !row.blob("keyframemotion").is_empty(),
            linkset_data: linkset_data.map(|data| data.used).filter(|&used| used > 0),
            own_materials: own.ids,
            defects,
        }
    }

    /// Returns about its memory, in bytes.
    pub fn size(&self) -> usize {
        let part = &self.part;
        let names = part.name.len() + part.creator_data.as_ref().map_or(0, String::len);
        size_of_val(self)
            + names
            + size_of_val(&*part.references)
            + self.own_materials.len() * MATERIAL
            + size_of_defects(&self.defects)
    }

    /// Adds the shape. Without a row, OpenSimulator creates a box.
    pub fn shaped(&mut self, shape: Option<ShapeRow>) {
        let part = &mut self.part;
        if let Some(ShapeRow { shape, scale, state, colors, references, defects, .. }) = shape {
            (part.shape, part.scale, part.state, part.colors) = (shape, scale, state, colors);
            let is_own = |reference: &Reference| {
                reference.what == Use::Material && self.own_materials.contains(&reference.asset)
            };
            part.references.extend(references.into_iter().filter(|reference| !is_own(reference)));
            self.defects.extend(defects);
        }
        part.references.sort_unstable();
        part.references.dedup();
        part.references.shrink_to_fit();
        // The setter of OpenSimulator replaces an unknown type by the default of the shape.
        if part.physics_shape_type.is_some_and(|kind| kind > 2) {
            part.physics_shape_type = Some(if part.shape.is_opensim_mesh() { 2 } else { 0 });
        }
    }
}

impl ShapeRow {
    /// Returns about its memory, in bytes.
    pub fn size(&self) -> usize {
        size_of_val(self)
            + size_of_val(&*self.references)
            + size_of_val(&*self.colors.exceptions)
            + size_of_defects(&self.defects)
    }

    pub fn new(row: &Row<'_>) -> Self {
        let int = |column: &str| row.int(column).unwrap_or(0);
        let mut defects = Vec::new();
        let params = row.blob("extraparams");
        let extra = match params {
            [] => Some(extra_params::ExtraParams::default()),
            params => extra_params::unpack(params),
        };
        if extra.is_none() {
            defects.push(
                Defect::new(ObjectDefect::Field { why: FieldFault::NoParameters }).within("ExtraParams"),
            );
        }
        let extra = extra.unwrap_or_default();
        let shape = Shape {
            pcode: int("pcode") as u8,
            profile_curve: valid_profile_curve(int("profilecurve") as u8),
            path_curve: int("pathcurve") as u8,
            path_begin: int("pathbegin") as u16,
            path_end: int("pathend") as u16,
            profile_begin: int("profilebegin") as u16,
            profile_end: int("profileend") as u16,
            profile_hollow: int("profilehollow") as u16,
            path_scale_x: int("pathscalex") as u8,
            path_scale_y: int("pathscaley") as u8,
            path_shear_x: int("pathshearx") as u8,
            path_shear_y: int("pathsheary") as u8,
            path_skew: int("pathskew") as i8,
            path_twist: int("pathtwist") as i8,
            path_twist_begin: int("pathtwistbegin") as i8,
            path_radius_offset: int("pathradiusoffset") as i8,
            path_taper_x: int("pathtaperx") as i8,
            path_taper_y: int("pathtapery") as i8,
            path_revolutions: int("pathrevolutions") as u8,
            sculpt: extra.sculpt,
            flexi_entry: extra.flexi,
            animesh: extra.animesh,
        };
        let mut references = extra.references;
        let faces = row.blob("texture");
        let mut colors = FaceColors::default();
        match TextureEntry::decode(faces) {
            Some(faces) => {
                references.extend(faces.references(&shape));
                colors = faces.colors.of_shape(&shape);
            }
            // A prim without textures has at most one byte.
            None if faces.len() <= 1 => {}
            None => {
                let why = FieldFault::CutShort { bytes: faces.len() as u64 };
                defects.push(Defect::new(ObjectDefect::Field { why }).within("Texture"));
            }
        }
        Self {
            prim: row.uuid("uuid"),
            shape,
            scale: row.vector("scale"),
            state: int("state") as u8,
            colors,
            references,
            defects,
        }
    }
}

/// Reads a row of `primitems`. Returns the prim that contains the item, and the item.
pub fn item(row: &Row<'_>) -> (Uuid, Item) {
    let int = |column: &str| row.int(column).and_then(|number| number.try_into().ok()).unwrap_or(0);
    let masks = ["basepermissions", "currentpermissions", "everyonepermissions", "nextpermissions"];
    let creator = row.name("creatorid");
    let (creator, home) = creator.split_once(';').unwrap_or((&creator, ""));
    let item = Item {
        uuid: row.uuid("itemid"),
        name: row.name("name"),
        asset: row.uuid("assetid"),
        asset_type: int("assettype"),
        inventory_type: int("invtype"),
        owner: row.uuid("ownerid"),
        creator: Uuid::try_parse(creator.trim_ascii()).unwrap_or_default(),
        creator_data: !home.is_empty(),
        permissions: permissions(masks.map(|mask| row.bits(mask))),
    };
    (row.uuid("primid"), item)
}

fn size_of_defects(defects: &[Defect]) -> usize {
    size_of_val(defects) + defects.len() * TEXTS
}

fn permissions([base, owner, everyone, next_owner]: [Option<u32>; 4]) -> Option<Permissions> {
    Some(Permissions { base: base?, owner: owner?, everyone: everyone?, next_owner: next_owner? })
}

fn sounds(row: &Row<'_>) -> Vec<Reference> {
    let collision = row.uuid("collisionsound");
    // For OpenSim, a UUID with all bits set means silence.
    let collision = Use::CollisionSound.unless_nil(if collision.is_max() { Uuid::nil() } else { collision });
    let looped = Use::Sound.unless_nil(row.uuid("loopedsound"));
    collision.into_iter().chain(looped).collect()
}

/// Reads the text of `DynAttrs`. A text that is no XML describes no materials.
fn own_materials(text: &str) -> dynamic_attributes::OwnMaterials {
    if text.trim_ascii().is_empty() {
        return dynamic_attributes::OwnMaterials::default();
    }
    let source = Source::new(text.as_bytes(), DocumentType::Object);
    let mut xml = Xml::new(&source, DEPTH);
    let is_open = xml.root().is_ok();
    if is_open { dynamic_attributes::read(&mut xml).unwrap_or_default() } else { Default::default() }
}

fn undecodable(column: &'static str, bytes: usize) -> Defect {
    Defect::new(ObjectDefect::Field { why: FieldFault::Undecodable { bytes: bytes as u64 } }).within(column)
}

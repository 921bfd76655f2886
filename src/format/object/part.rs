//! One part of a linkset, as stored in the document.

use super::texture_entry::FaceColors;
use crate::reference::Reference;
use glam::{DQuat, DVec3};
use hullmark_util::json_number;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// One prim. Numbers are parsed to f64 from the text, without clamping or correction.
///
/// Most of the thousands of parts in a ledger are at rest and nearly plain boxes. So fields with the value of a new
/// prim are not written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Part {
    /// UUID of the part; nil if missing.
    pub uuid: Uuid,
    pub name: String,
    /// `LinkNum`: 0 for a single prim, 1 for a root, 2… for children.
    pub link_number: i32,
    pub owner: Uuid,
    /// UUID of the previous owner; nil if there is none.
    #[serde(skip_serializing_if = "Uuid::is_nil")]
    pub last_owner: Uuid,
    /// UUID of the group; nil if there is none.
    #[serde(skip_serializing_if = "Uuid::is_nil")]
    pub group: Uuid,
    pub creator: Uuid,
    /// `CreatorData`: the home grid of a creator from another grid; `None` if missing or empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub creator_data: Option<String>,
    /// The permissions; `None` unless the document has all masks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Permissions>,
    /// `CreationDate`, in seconds since 1970.
    pub created: i64,
    /// Size in metres.
    #[serde(with = "json_number::vector")]
    pub scale: DVec3,
    /// `GroupPosition`: position of the root in the region, in metres. Every part repeats it, but children of real
    /// exports keep old values. Only the root's value is valid.
    #[serde(with = "json_number::vector")]
    pub group_position: DVec3,
    /// `OffsetPosition`: offset from the root in metres, in the root's axes; zero for the root.
    #[serde(skip_serializing_if = "json_number::vector::is_zero", with = "json_number::vector")]
    pub offset_position: DVec3,
    /// `RotationOffset`, normalized; a child's is relative to the root. All zeros are read as no rotation.
    #[serde(skip_serializing_if = "json_number::rotation::is_none", with = "json_number::rotation")]
    pub rotation: DQuat,
    /// Length of the quaternion before normalization: 1, apart from rounding.
    #[serde(skip_serializing_if = "is_one", with = "json_number::length")]
    pub rotation_length: f32,
    /// `Velocity`, in m/s.
    #[serde(skip_serializing_if = "json_number::vector::is_zero", with = "json_number::vector")]
    pub velocity: DVec3,
    /// `AngularVelocity`, in rad/s.
    #[serde(skip_serializing_if = "json_number::vector::is_zero", with = "json_number::vector")]
    pub angular_velocity: DVec3,
    /// `Flags`, with the bits that viewers use.
    #[serde(skip_serializing_if = "is_default")]
    pub flags: u32,
    /// `VolumeDetectActive`.
    #[serde(skip_serializing_if = "is_default")]
    pub volume_detect: bool,
    /// `PhysicsShapeType`: 0 prim, 1 none, 2 convex hull; `None` in most older files.
    #[serde(skip_serializing_if = "is_default")]
    pub physics_shape_type: Option<u8>,
    /// `State` of the shape: the attachment point of an object, or the species of a tree.
    #[serde(skip_serializing_if = "is_default")]
    pub state: u8,
    /// Whether it is a placeholder of a part whose form is not in the file: a mesh, or one that may not be exported.
    #[serde(skip_serializing_if = "is_default")]
    pub placeholder: bool,
    /// Whether rows of its database were not read that may have its shape.
    #[serde(skip_serializing_if = "is_default")]
    pub shape_unread: bool,
    /// The same for its contents.
    #[serde(skip_serializing_if = "is_default")]
    pub contents_unread: bool,
    pub shape: Shape,
    /// The colors of its faces.
    #[serde(skip_serializing_if = "is_default")]
    pub colors: FaceColors,
    /// References to assets, sorted, each once for each use. Without the asset of the shape (see [`Shape::sculpt`]) and
    /// those of the contents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inventory: Vec<Item>,
}

fn is_one(length: &f32) -> bool {
    *length == 1.0
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Permission masks: 0x2000 transfer, 0x4000 modify, 0x8000 copy, 0x1_0000 export, 0x8_0000 move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u32; 4]", into = "[u32; 4]")]
pub struct Permissions {
    /// The upper limit for all other masks.
    pub base: u32,
    pub owner: u32,
    pub everyone: u32,
    pub next_owner: u32,
}

impl Permissions {
    /// Right to give to others.
    pub const TRANSFER: u32 = 0x2000;
    /// Right to copy.
    pub const COPY: u32 = 0x8000;
}

impl From<[u32; 4]> for Permissions {
    fn from([base, owner, everyone, next_owner]: [u32; 4]) -> Self {
        Self { base, owner, everyone, next_owner }
    }
}

impl From<Permissions> for [u32; 4] {
    fn from(masks: Permissions) -> Self {
        [masks.base, masks.owner, masks.everyone, masks.next_owner]
    }
}

/// Bits of [`Part::flags`].
pub mod flag {
    pub const PHYSICS: u32 = 0x1;
    #[cfg(any(test, feature = "testing"))]
    pub const SCRIPTED: u32 = 0x40;
    /// The object does not collide.
    pub const PHANTOM: u32 = 0x400;
    /// The object disappears after some time.
    pub const TEMPORARY_ON_REZ: u32 = 0x2000_0000;
}

/// `Shape`: the raw numbers of the document, without conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct Shape {
    /// `PCode`: 9 prim, 95 grass, 111 new tree, 255 tree.
    pub pcode: u8,
    /// `ProfileCurve`: low nibble profile, high nibble hole. `ProfileShape` and `HollowShape` override it.
    pub profile_curve: u8,
    /// `PathCurve`: 16 line, 32 circle, 48 circle2, 128 flexible.
    pub path_curve: u8,
    /// In steps of 1/50,000.
    #[serde(skip_serializing_if = "is_default")]
    pub path_begin: u16,
    /// In steps of 1/50,000 from the end.
    #[serde(skip_serializing_if = "is_default")]
    pub path_end: u16,
    /// In steps of 1/50,000.
    #[serde(skip_serializing_if = "is_default")]
    pub profile_begin: u16,
    /// In steps of 1/50,000 from the end.
    #[serde(skip_serializing_if = "is_default")]
    pub profile_end: u16,
    /// In steps of 1/50,000.
    #[serde(skip_serializing_if = "is_default")]
    pub profile_hollow: u16,
    /// 200 − 100 × scale.
    pub path_scale_x: u8,
    /// 200 − 100 × scale.
    pub path_scale_y: u8,
    /// A signed byte stored as unsigned, in steps of 0.01.
    #[serde(skip_serializing_if = "is_default")]
    pub path_shear_x: u8,
    /// A signed byte stored as unsigned, in steps of 0.01.
    #[serde(skip_serializing_if = "is_default")]
    pub path_shear_y: u8,
    /// In steps of 0.01.
    #[serde(skip_serializing_if = "is_default")]
    pub path_skew: i8,
    /// In steps of 0.01 (of 180° on a line, 360° on a curve).
    #[serde(skip_serializing_if = "is_default")]
    pub path_twist: i8,
    /// Like `path_twist`.
    #[serde(skip_serializing_if = "is_default")]
    pub path_twist_begin: i8,
    /// In steps of 0.01.
    #[serde(skip_serializing_if = "is_default")]
    pub path_radius_offset: i8,
    /// In steps of 0.01.
    #[serde(skip_serializing_if = "is_default")]
    pub path_taper_x: i8,
    /// In steps of 0.01.
    #[serde(skip_serializing_if = "is_default")]
    pub path_taper_y: i8,
    /// In steps of 0.015 above 1.
    #[serde(skip_serializing_if = "is_default")]
    pub path_revolutions: u8,
    /// The sculpt map or mesh; `None` unless `SculptEntry` is set. OpenSimulator checks only this; Second Life uses
    /// [`sculpted`](Self::sculpted).
    #[serde(skip_serializing_if = "is_default")]
    pub sculpt: Option<Sculpt>,
    /// `FlexiEntry`.
    #[serde(skip_serializing_if = "is_default")]
    pub flexi_entry: bool,
    /// Extra parameter 0x70, bit 0: whether the mesh is animated.
    #[serde(skip_serializing_if = "is_default")]
    pub animesh: bool,
}

/// The asset that gives a sculpted prim or a mesh its shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sculpt {
    pub asset: Uuid,
    /// `SculptType` as stored, with its flag bits 64 (inverted) and 128 (mirrored).
    pub kind: u8,
}

impl Shape {
    /// Whether OpenSimulator treats the prim as a mesh. It does not if the type has flag bits.
    pub fn is_opensim_mesh(&self) -> bool {
        self.sculpt.is_some_and(|sculpt| sculpt.kind == 5)
    }

    /// Returns the sculpt map or mesh that replaces the shape. For viewers a type of 0 is an ordinary prim.
    pub fn sculpted(&self) -> Option<Sculpt> {
        self.sculpt.filter(|sculpt| sculpt.base_kind() != 0)
    }
}

impl Sculpt {
    /// Returns the type without its flag bits: 1 sphere, 2 torus, 3 plane, 4 cylinder, 5 mesh, 6 glTF.
    pub fn base_kind(self) -> u8 {
        self.kind & 7
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Item {
    /// `ItemID`: UUID of the item; nil if missing.
    pub uuid: Uuid,
    pub name: String,
    /// UUID of the asset; nil if unknown.
    pub asset: Uuid,
    /// `Type`: asset type, 10 for a script, 6 for an object.
    pub asset_type: i32,
    /// `InvType`.
    pub inventory_type: i32,
    /// UUID of the owner; nil if missing.
    #[serde(default, skip_serializing_if = "Uuid::is_nil")]
    pub owner: Uuid,
    /// UUID of the creator; nil if missing.
    #[serde(default, skip_serializing_if = "Uuid::is_nil")]
    pub creator: Uuid,
    /// Whether the item has `CreatorData`: the creator is from another grid.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub creator_data: bool,
    /// The permissions; `None` unless the document has all masks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Permissions>,
}

/// Creates the defaults of missing fields: a box of 0.5 m at the origin, like a new prim.
impl Default for Part {
    fn default() -> Self {
        Self {
            uuid: Uuid::nil(),
            name: String::new(),
            link_number: 0,
            owner: Uuid::nil(),
            last_owner: Uuid::nil(),
            group: Uuid::nil(),
            creator: Uuid::nil(),
            creator_data: None,
            permissions: None,
            created: 0,
            scale: DVec3::splat(0.5),
            group_position: DVec3::ZERO,
            offset_position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            rotation_length: 1.0,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
            flags: 0,
            volume_detect: false,
            physics_shape_type: None,
            state: 0,
            placeholder: false,
            shape_unread: false,
            contents_unread: false,
            shape: Shape::default(),
            colors: FaceColors::default(),
            references: Vec::new(),
            inventory: Vec::new(),
        }
    }
}

/// Creates a plain box.
impl Default for Shape {
    fn default() -> Self {
        Self {
            pcode: 9,
            profile_curve: 1,
            path_curve: 16,
            path_begin: 0,
            path_end: 0,
            profile_begin: 0,
            profile_end: 0,
            profile_hollow: 0,
            path_scale_x: 100,
            path_scale_y: 100,
            path_shear_x: 0,
            path_shear_y: 0,
            path_skew: 0,
            path_twist: 0,
            path_twist_begin: 0,
            path_radius_offset: 0,
            path_taper_x: 0,
            path_taper_y: 0,
            path_revolutions: 0,
            sculpt: None,
            flexi_entry: false,
            animesh: false,
        }
    }
}

impl Part {
    /// Returns the mesh asset that gives the part its shape.
    pub fn mesh(&self) -> Option<Uuid> {
        self.shape.sculpt.filter(|sculpt| sculpt.base_kind() == 5).map(|sculpt| sculpt.asset)
    }

    /// Returns the sculpt map that gives the part its shape.
    pub fn sculpt_map(&self) -> Option<Uuid> {
        let map = self.shape.sculpt.filter(|sculpt| (1..=4).contains(&sculpt.base_kind()));
        map.map(|sculpt| sculpt.asset)
    }

    /// Returns the asset that at least one engine reads as a sculpt map. OpenSimulator does so for every type except
    /// mesh.
    pub fn possible_sculpt_map(&self) -> Option<Uuid> {
        self.shape.sculpt.filter(|sculpt| sculpt.base_kind() != 5).map(|sculpt| sculpt.asset)
    }

    /// Whether the part is or was an attachment: the state of a prim is its attachment point. For trees and grass it is
    /// the species.
    pub fn is_attachment(&self) -> bool {
        self.shape.pcode == 9 && self.state != 0
    }

    /// Whether all bits of `flag` are set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag == flag
    }

    /// Whether its form, or all that it costs, is not in what was read.
    pub fn is_unknown(&self) -> bool {
        self.placeholder || self.is_unread()
    }

    /// Whether rows of it were not read.
    pub fn is_unread(&self) -> bool {
        self.shape_unread || self.contents_unread
    }

    pub fn scripts(&self) -> impl Iterator<Item = &Item> {
        self.inventory.iter().filter(|item| item.asset_type == 10 || item.inventory_type == 10)
    }
}

//! Assets that an object or a region names.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An asset that something names with certainty: in a field that holds nothing else, not in a text.
///
/// In a ledger it is a pair, since there are some for every part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "(Uuid, Use)", into = "(Uuid, Use)")]
pub struct Reference {
    /// The asset. Nil only where an asset has to be: for the texture of a face.
    pub asset: Uuid,
    /// What it is for, which tells its type.
    pub what: Use,
}

/// What an asset is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Use {
    /// A texture on a face of a part.
    Texture,
    /// A material on a face of a part: normal map, specular map and how they shine.
    Material,
    /// A normal map that the part itself describes, in place of a material asset.
    NormalMap,
    /// As `NormalMap`, for the specular map.
    SpecularMap,
    /// A PBR (glTF) material on a face of a part.
    RenderMaterial,
    /// The texture of particles.
    Particle,
    /// The texture that a light projects.
    Projector,
    /// The sound of a collision.
    CollisionSound,
    /// The sound that a part plays by itself.
    Sound,
    /// An animation that an animated object plays.
    Animation,
    /// A texture of the ground.
    GroundTexture,
    /// A PBR material of the ground.
    GroundMaterial,
    /// The texture that a parcel's media replace.
    MediaTexture,
    /// The picture of a parcel.
    Snapshot,
}

impl Use {
    /// A reference to `asset` for this use.
    pub fn reference(self, asset: Uuid) -> Reference {
        Reference { asset, what: self }
    }

    /// As [`Use::of`], for a field in which nil means that there is none.
    pub fn unless_nil(self, asset: Uuid) -> Option<Reference> {
        (!asset.is_nil()).then(|| self.reference(asset))
    }
}

impl From<(Uuid, Use)> for Reference {
    fn from((asset, what): (Uuid, Use)) -> Self {
        what.reference(asset)
    }
}

impl From<Reference> for (Uuid, Use) {
    fn from(reference: Reference) -> Self {
        (reference.asset, reference.what)
    }
}

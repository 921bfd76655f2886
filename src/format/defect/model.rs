//! Defects of model files, before their upload.

use serde::{Deserialize, Serialize};

/// A defect of a model file. The place has the part, and `within` the level of detail or the physics model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", rename_all_fields = "kebab-case")]
#[allow(missing_docs, reason = "a variant says what its parameters are")]
pub enum ModelDefect {
    /// The file cannot be read.
    Unreadable { why: String },
    /// The file has no triangles.
    Empty,
    /// A file that the model names is missing or too short.
    FileMissing { name: String },
    /// The model needs a feature that the uploader does not read.
    Unsupported { feature: String },
    /// The uploader leaves this out of the asset.
    LeftOut { what: String },
    /// A primitive is not made of triangles.
    NotTriangles { mode: String },
    /// Triangles refer to vertices that do not exist.
    IndicesOutside,
    /// Positions are not finite.
    NotFinite,
    /// A part has more faces than a mesh may have. The uploader makes several meshes.
    ManyFaces { meshes: u64 },
    /// A face has more vertices than an index can name. The uploader splits it.
    FaceSplit { faces: u64 },
    /// A level of detail has materials that the highest level lacks.
    OtherMaterials { first: String },
    /// A level of detail or a physics model belongs to no part of the highest level.
    WithoutPart,
    /// Levels of detail are in one file with the highest level, and the uploader takes them for parts.
    LevelsInOneFile,
    /// A level of detail or a physics model has other proportions or another size than the highest level. The uploader
    /// stretches it.
    Stretched,
    /// The uploader refuses a transform that mirrors a part.
    Mirrored,
    /// Faces have no texture coordinates.
    NoTextureCoordinates,
    /// Joints are no joints of an avatar. The uploader drops them.
    JointsDropped { first: String },
    /// A piece of the physics model is open, so it cannot become a hull.
    OpenPiece,
    /// A piece of the physics model has more vertices than a hull may have.
    PieceTooFine,
    /// The physics model is flat, so its base hull is a box.
    FlatPhysics,
    /// The model is larger than this program reads.
    OverLimit { what: String },
}

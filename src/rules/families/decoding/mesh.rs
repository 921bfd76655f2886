//! MSH, HUL: errors in mesh assets, and their effect on engines.

use super::{byte, say, whole};
use crate::{
    finding::{Code, Finding},
    format::{
        defect::{Corner, Defect, LlsdDocument, MeshDefect},
        inflate::Flaw,
        llsd::{LlsdError, Problem},
    },
    util::advice,
};

/// The code of a defect, and what is said of it.
pub(super) fn said(kind: &MeshDefect, defect: &Defect) -> Finding {
    use MeshDefect as D;
    let within = &*defect.place.within;
    let index = defect.place.index.unwrap_or_default();
    let of = defect.place.index.map_or_else(String::new, |index| format!(" of submesh {index}"));
    let byte = byte(defect);
    let (measured, limit) = (whole(defect.measured), whole(defect.limit));
    match kind {
        D::BlankAsset if measured == 0 => say(Code::MSH014, "it has no bytes"),
        D::BlankAsset => say(Code::MSH014, "all its bytes are zero"),
        D::Llsd { of, problem } => unreadable(*of, *problem, defect),
        D::KeysTwice { of, key } => keys_twice(*of, within, key),
        D::HeaderNotMap { found } => say(Code::MSH001, format!("it is {found}, where a map should be")),
        D::HeaderTooLong => say(
            Code::MSH016,
            format!("the header ends at byte {measured}, and viewers look for it in the first {limit} only"),
        )
        .aspect("header"),
        D::VersionNotInteger { found } => {
            say(Code::MSH016, format!("version is {found}, where an integer should be")).aspect("version")
        }
        D::VersionTooNew => say(
            Code::MSH001,
            format!("its version is {measured}; viewers treat a mesh above version {limit} as missing"),
        )
        .aspect("version"),
        D::MissingMarker => {
            say(Code::MSH001, "it holds the key 404, a viewer's note that the grid has no such asset")
                .aspect("404")
        }
        D::TooManyBlocks => say(
            Code::MSH016,
            format!("the header lists {measured} blocks; those that no program knows are left out"),
        )
        .aspect("blocks"),
        D::BlockEntryNotMap { found } => {
            say(Code::MSH015, format!("its header entry is {found}, where a map should be"))
        }
        D::BlockNumberNotInteger { key, found } => {
            say(Code::MSH015, format!("its {key} in the header is {found}, where an integer should be"))
        }
        D::BlockHashNotMd5 => {
            say(Code::MSH016, format!("the hash of {within} is not the 16 bytes of an MD5")).aspect("hash")
        }
        D::CostDataNotMap { found } => {
            say(Code::MSH016, format!("physics_cost_data is {found}, where a map should be"))
                .aspect("physics_cost_data")
        }
        D::NegativeRange { offset, size } => {
            say(Code::MSH002, format!("its offset is {offset} and its size {size}"))
        }
        D::BlockOutside { offset, size } => say(
            Code::MSH002,
            format!(
                "it reaches from byte {offset} to {} behind the header, and the file has {limit} there",
                offset.saturating_add(*size)
            ),
        ),
        D::BlocksOverlap { size, other } => {
            say(Code::MSH002, format!("{measured} of its {size} bytes lie over block {other}"))
        }
        D::FlawedStream { flaw } => {
            let what = match flaw {
                Flaw::WrongChecksum => "the checksum (Adler-32) is not that of the data",
                Flaw::MissingChecksum => "the checksum (Adler-32) is cut off at the end",
                Flaw::WrongHeader => "the first two bytes are not those of zlib at the start",
            };
            let readers = "OpenSim does not look and reads it, viewers refuse the block";
            say(Code::MSH016, format!("{what} of block {within}: {readers}")).aspect("stream")
        }
        D::TruncatedStream { produced } => say(
            Code::MSH003,
            format!("the stream does not end within its {measured} bytes; {produced} bytes had come out"),
        ),
        D::CorruptStream { size, gzip, produced } => {
            let gzip = if *gzip { ", because it is gzip and not zlib" } else { "" };
            say(
                Code::MSH003,
                format!(
                    "the stream is damaged at its byte {byte} of {size}{gzip}; {produced} bytes had come out"
                ),
            )
        }
        D::InflatesTooFar { together } => {
            let what = match together {
                true => "what all blocks of a mesh may inflate to together is spent at this block",
                false => "the block inflates to more than one block may",
            };
            say(Code::ARC012, format!("{what}, {within}"))
        }
        D::BlockWithoutMemory => {
            say(Code::RUN001, format!("there is not enough memory for block {within}: {}", advice::MORE_MEMORY))
        }
        D::BlockNotMap { found } => say(Code::MSH015, format!("{found}, where a map should be")),
        D::LevelNotArray { found } => {
            say(Code::MSH015, format!("{found}, where an array of submeshes should be"))
        }
        D::EmptyLevel => say(Code::MSH015, "an array without submeshes, which viewers refuse"),
        D::TooManySubmeshes => {
            say(Code::ARC012, format!("{within} has too many submeshes, and the others are left out"))
        }
        D::SubmeshNotMap { found } => {
            say(Code::MSH015, format!("submesh {index} is {found}, where a map should be")).aspect("submesh")
        }
        D::SubmeshListNotBinary { list, found } => {
            say(Code::MSH015, format!("{list} of submesh {index} is {found}, where binary data should be"))
                .aspect(list.clone())
        }
        D::SubmeshListMissing { list } => {
            say(Code::MSH015, format!("submesh {index} has no {list} and is not marked NoGeometry"))
                .aspect(list.clone())
        }
        D::UnevenPositions => say(Code::HUL004, format!("Position of submesh {index}")),
        D::TooManyVertices => say(
            Code::MSH016,
            format!("submesh {index} of {within} has {measured} vertices; indices reach {limit}"),
        )
        .aspect("vertices"),
        D::UnevenTriangles => say(
            Code::MSH015,
            format!(
                "TriangleList of submesh {index} is {measured} bytes, not whole triangles of 6; viewers drop the \
                 rest, ubODE reads past it"
            ),
        )
        .aspect("TriangleList"),
        D::NoTriangles => {
            say(Code::MSH016, format!("submesh {index} of {within} has no triangles and is not marked NoGeometry"))
                .aspect("no triangles")
        }
        D::IndicesOutside => say(Code::MSH006, ""),
        D::HighestLevelMissing => say(Code::MSH004, "the header does not list it"),
        D::UpperLevelMissing { upper } => {
            say(Code::MSH016, format!("{within} is there and {upper} is not, which it depends on"))
                .aspect("upper level")
        }
        D::SubmeshCountsDiffer { reference } => {
            say(Code::MSH016, format!("{within} has {measured} submeshes and {reference} has {limit}"))
                .aspect("submeshes")
        }
        D::DomainMissing { corner } => {
            let missing = match corner {
                None => {
                    "neither Min nor Max; viewers, ubODE, the ODE and BulletSim meshers, LibreMetaverse, \
                     node-metaverse, Halcyon, WhiteCore and SilverSim take −0.5 to 0.5"
                }
                Some(Corner::Min) => {
                    "no Min; OpenSim takes −0.5 for it, viewers take −0.5 to 0.5 for both corners"
                }
                Some(Corner::Max) => "no Max; OpenSim takes 0.5 for it, viewers take 0",
            };
            say(Code::MSH016, format!("block {within} has {missing}")).aspect("domain")
        }
        D::SubmeshDomainMissing { corner } => {
            let what = match corner {
                None => "PositionDomain",
                Some(Corner::Min) => "Min of PositionDomain",
                Some(Corner::Max) => "Max of PositionDomain",
            };
            let readers = "OpenSim takes −0.5 to 0.5, viewers take 0";
            say(Code::MSH016, format!("submesh {index} of {within} has no {what}; {readers}")).aspect(what)
        }
        D::SubmeshDomainNotMap { found } => {
            say(Code::HUL007, format!("PositionDomain{of} is {found}, where a map should be"))
                .aspect("PositionDomain")
        }
        D::CornerMalformed { corner } => {
            let key = name(*corner);
            say(Code::HUL007, format!("{key}{of} is not three numbers; −0.5 or 0.5 is taken")).aspect(key)
        }
        D::CornerNotFinite { corner } => {
            let key = name(*corner);
            say(Code::HUL007, format!("{key}{of} holds a number that is not finite")).aspect(key)
        }
        D::InvertedDomain => say(Code::HUL007, format!("Min{of} is above Max, which turns the shape inside out"))
            .aspect("Min above Max"),
        D::ConvexTwice => say(
            Code::MSH011,
            "physics_convex and decomposition are both there; physics_convex is read, here and by viewers and \
             OpenSim, and decomposition by nobody",
        )
        .aspect("block"),
        D::ConvexOldName => say(
            Code::MSH011,
            "the convex block has its name from before the release, decomposition; viewers and OpenSim look \
             for physics_convex only and find no hulls",
        )
        .aspect("block"),
        D::HullsUnderOldName => say(
            Code::HUL008,
            "its hulls are in a block named decomposition, the name from before the release, and no engine of \
             today looks there",
        ),
        D::ConvexMissing => say(Code::HUL008, "the mesh has no physics_convex block"),
        D::PhysicsMeshTwice => say(
            Code::MSH011,
            "physics_shape and physics_mesh are both there; OpenSim reads physics_shape, viewers and Second Life \
             read physics_mesh, and each is charged by its own",
        ),
        D::PhysicsMeshOldName => say(
            Code::MSH011,
            "the physics mesh has its name from before the release, physics_shape; OpenSim reads it, viewers \
             and Second Life look for physics_mesh only",
        ),
        D::ConvexListNotBinary { list, found } => {
            say(Code::MSH015, format!("{list} is {found}, where binary data should be")).aspect(list.clone())
        }
        D::PointsTwice { released, beta } => {
            let detail =
                format!("{released} and {beta} are both there; {released} is read, {beta} by nobody");
            say(Code::MSH011, detail).aspect(released.clone())
        }
        D::PointsOldName { released, beta } => say(
            Code::MSH011,
            format!(
                "the points have their name from before the release, {beta}; viewers and OpenSim look for \
                 {released} only"
            ),
        )
        .aspect(released.clone()),
        D::UnevenPoints { list } => say(Code::HUL004, &**list).aspect(list.clone()),
        D::TooManyHulls => say(Code::ARC012, "HullList has too many hulls, and the others are left out"),
        D::BasePointsMissing => say(Code::HUL008, "the block has no list of its points, BoundingVerts"),
        D::TooFewBasePoints => {
            let plural = if measured == 1 { "" } else { "s" };
            say(Code::HUL008, format!("BoundingVerts has {measured} point{plural}. {READERS_OF_FEW}"))
        }
        D::HullsWithoutPoints => say(
            Code::HUL010,
            format!(
                "HullList announces {measured} hulls and the block has no list of their points, Positions"
            ),
        ),
        D::PointsWithoutHulls => say(
            Code::HUL010,
            format!("Positions holds {measured} points and the block has no list of hulls, HullList"),
        ),
        D::HullSizesDiffer => hull_sizes(limit, measured),
        D::JointsMissing => say(Code::MSH015, "joint_names is missing or not an array"),
        D::UnusableBindMatrices => {
            say(Code::MSH015, format!("{measured} of {limit} bind matrices are not sixteen finite numbers"))
                .aspect("bind matrix")
        }
        D::BindMatricesDiffer => say(
            Code::MSH016,
            format!("skin has {measured} bind matrices for {limit} joints, so viewers drop all of them"),
        )
        .aspect("bind matrices"),
        D::SceneNotMap => say(Code::MSH001, "a scene is a map, and this is none"),
        D::SceneVersion { version } => {
            let found =
                version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
            say(Code::MSH016, format!("the scene has {found}; viewers read 3 only")).aspect("version")
        }
        D::SceneMeshesMissing => say(Code::MSH015, "the scene's mesh is missing or not an array"),
        D::SceneMeshNotString { found } => {
            say(Code::MSH015, format!("mesh {index} of the scene is {found}, where a string should be"))
        }
        D::SceneInstanceNotMap { found } => {
            say(Code::MSH015, format!("instance {index} of the scene is {found}, where a map should be"))
        }
        D::SceneInstanceWithoutMesh => {
            say(Code::MSH016, format!("instance {index} of the scene names a mesh that is not in it"))
        }
    }
}

/// What programs make of a base hull with too few points.
const READERS_OF_FEW: &str = "ubODE makes no collision shape of it, and people fall through; the ODE and BulletSim \
                              meshers and WhiteCore never collide with a base hull; viewers, LibreMetaverse, \
                              node-metaverse, Halcyon and SilverSim keep it as it is";

/// A document in LLSD that cannot be read.
fn unreadable(of: LlsdDocument, problem: Problem, defect: &Defect) -> Finding {
    let error = LlsdError { problem, offset: byte(defect) as usize };
    match of {
        LlsdDocument::Header => say(Code::MSH001, error.to_string()),
        LlsdDocument::Scene => say(Code::MSH001, format!("the scene cannot be read: {error}")),
        LlsdDocument::Block if matches!(problem, Problem::TooDeep(_) | Problem::TooMany(_)) => {
            say(Code::ARC012, error.to_string())
        }
        LlsdDocument::Block => say(Code::MSH015, error.to_string()),
    }
}

fn keys_twice(of: LlsdDocument, within: &str, key: &str) -> Finding {
    let of = match of {
        LlsdDocument::Header => "the header",
        LlsdDocument::Block => within,
        LlsdDocument::Scene => "the scene",
    };
    let detail = format!(
        "{of} has keys that stand twice, such as {key:?}: the first is read here and by viewers, the last by some \
         programs"
    );
    say(Code::MSH016, detail).aspect("keys twice")
}

fn name(corner: Corner) -> &'static str {
    match corner {
        Corner::Min => "Min",
        Corner::Max => "Max",
    }
}

/// What each engine makes of a list of hulls that does not add up.
fn hull_sizes(announced: i64, present: i64) -> Finding {
    let detail = if announced > present {
        format!(
            "{} points are missing. Viewers read past the end of the list; ubODE ignores the decomposition and \
             uses the base hull; the ODE and BulletSim meshers, LibreMetaverse and WhiteCore add points at Min; \
             Halcyon keeps the points that are there; node-metaverse fails; SilverSim fails, and makes hulls of \
             the high level of detail",
            announced - present
        )
    } else {
        format!(
            "{} points belong to no hull. Viewers, the ODE and BulletSim meshers, LibreMetaverse, Halcyon, \
             WhiteCore and SilverSim ignore them; ubODE ignores the whole decomposition and uses the base hull; \
             node-metaverse fails",
            present - announced
        )
    };
    say(Code::HUL003, detail)
}

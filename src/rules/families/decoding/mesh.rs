//! MSH, HUL: words for defects of mesh assets.

use super::{byte, say, whole};
use hullmark_finding::{Code, Finding};
use hullmark_format::{
    defect::{Corner, Defect, LlsdDocument, MeshDefect},
    inflate::Flaw,
    llsd::{LlsdError, Problem},
};
use hullmark_util::{advice, number_text::counted};

/// Returns the code and words of a defect.
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
        D::HeaderNotMap { found } => say(Code::MSH001, format!("it is {found}, not a map")),
        D::HeaderTooLong => say(
            Code::MSH016,
            format!("the header ends at byte {measured}, but viewers look for it in the first {limit} bytes"),
        )
        .aspect("header"),
        D::VersionNotInteger { found } => {
            say(Code::MSH016, format!("version is {found}, not an integer")).aspect("version")
        }
        D::VersionTooNew => say(
            Code::MSH001,
            format!("its version is {measured}, and viewers treat versions above {limit} as missing"),
        )
        .aspect("version"),
        D::MissingMarker => {
            say(Code::MSH001, "it holds the key 404, a viewer's note that the asset does not exist")
                .aspect("404")
        }
        D::TooManyBlocks => {
            say(Code::MSH016, format!("the header lists {measured} blocks; unknown ones are left out"))
                .aspect("blocks")
        }
        D::BlockEntryNotMap { found } => say(Code::MSH015, format!("its header entry is {found}, not a map")),
        D::BlockNumberNotInteger { key, found } => {
            say(Code::MSH015, format!("its {key} in the header is {found}, not an integer"))
        }
        D::BlockHashNotMd5 => {
            say(Code::MSH016, format!("the hash of {within} is not an MD5 of 16 bytes")).aspect("hash")
        }
        D::CostDataNotMap { found } => {
            say(Code::MSH016, format!("physics_cost_data is {found}, not a map")).aspect("physics_cost_data")
        }
        D::NegativeRange { offset, size } => {
            say(Code::MSH002, format!("its offset is {offset} and its size {size}"))
        }
        D::BlockOutside { offset, size } => say(
            Code::MSH002,
            format!(
                "it reaches from byte {offset} to {} after the header, but the file ends at {limit}",
                offset.saturating_add(*size)
            ),
        ),
        D::BlocksOverlap { size, other } => {
            say(Code::MSH002, format!("{measured} of its {size} bytes overlap block {other}"))
        }
        D::FlawedStream { flaw } => {
            let what = match flaw {
                Flaw::WrongChecksum => "a wrong checksum (Adler-32)",
                Flaw::MissingChecksum => "a checksum (Adler-32) that is cut off",
                Flaw::WrongHeader => "a wrong zlib header",
            };
            say(Code::MSH016, format!("block {within} has {what}")).aspect("stream")
        }
        D::TruncatedStream { produced } => say(
            Code::MSH003,
            format!(
                "the stream does not end within its {measured} bytes; {produced} bytes were decompressed"
            ),
        ),
        D::CorruptStream { size, gzip, produced } => {
            let gzip = if *gzip { ", because it is gzip and not zlib" } else { "" };
            say(
                Code::MSH003,
                format!(
                    "the stream is damaged at byte {byte} of {size}{gzip}; {produced} bytes were decompressed"
                ),
            )
        }
        D::InflatesTooFar { together } => {
            let what = match together {
                true => "bytes in all blocks of the mesh, decompressed up to block",
                false => "bytes in the decompressed block",
            };
            say(Code::ARC012, format!("{what} {within}"))
        }
        D::BlockWithoutMemory => say(
            Code::RUN001,
            format!("there is not enough memory for block {within}: {}", advice::MORE_MEMORY),
        ),
        D::BlockNotMap { found } => say(Code::MSH015, format!("it is {found}, not a map")),
        D::LevelNotArray { found } => say(Code::MSH015, format!("it is {found}, not an array of submeshes")),
        D::EmptyLevel => say(Code::MSH015, "it is an array without submeshes"),
        D::TooManySubmeshes => say(Code::ARC012, format!("submeshes in {within}; the others are left out")),
        D::SubmeshNotMap { found } => {
            say(Code::MSH015, format!("submesh {index} is {found}, not a map")).aspect("submesh")
        }
        D::SubmeshListNotBinary { list, found } => {
            say(Code::MSH015, format!("{list} of submesh {index} is {found}, not binary data"))
                .aspect(list.clone())
        }
        D::SubmeshListMissing { list } => {
            say(Code::MSH015, format!("submesh {index} has neither {list} nor the mark NoGeometry"))
                .aspect(list.clone())
        }
        D::UnevenPositions => say(Code::HUL004, format!("Position of submesh {index}")),
        D::TooManyVertices => say(
            Code::MSH016,
            format!("submesh {index} of {within} has {measured} vertices, but indices reach only {limit}"),
        )
        .aspect("vertices"),
        D::UnevenTriangles => say(
            Code::MSH015,
            format!("TriangleList of submesh {index} has {measured} bytes, not a multiple of 6"),
        )
        .aspect("TriangleList"),
        D::NoTriangles => say(
            Code::MSH016,
            format!("submesh {index} of {within} has neither triangles nor the mark NoGeometry"),
        )
        .aspect("no triangles"),
        D::IndicesOutside => say(Code::MSH006, ""),
        D::HighestLevelMissing => say(Code::MSH004, "the header does not list it"),
        D::UpperLevelMissing { upper } => {
            say(Code::MSH016, format!("{within} is present without {upper}, on which it depends"))
                .aspect("upper level")
        }
        D::SubmeshCountsDiffer { reference } => say(
            Code::MSH016,
            format!("the number of submeshes is {measured} in {within} and {limit} in {reference}"),
        )
        .aspect("submeshes"),
        D::DomainMissing { corner } => {
            let missing = match corner {
                None => "neither Min nor Max, so −0.5 to 0.5 is used",
                Some(Corner::Min) => "no Min, and engines use different defaults",
                Some(Corner::Max) => "no Max, and engines use different defaults",
            };
            say(Code::MSH016, format!("block {within} has {missing}")).aspect("domain")
        }
        D::SubmeshDomainMissing { corner } => {
            let what = match corner {
                None => "PositionDomain",
                Some(Corner::Min) => "Min of PositionDomain",
                Some(Corner::Max) => "Max of PositionDomain",
            };
            say(Code::MSH016, format!("submesh {index} of {within} has no {what}")).aspect(what)
        }
        D::SubmeshDomainNotMap { found } => {
            say(Code::HUL007, format!("PositionDomain{of} is {found}, not a map")).aspect("PositionDomain")
        }
        D::CornerMalformed { corner } => {
            let key = name(*corner);
            say(Code::HUL007, format!("{key}{of} is not three numbers, so −0.5 or 0.5 is used")).aspect(key)
        }
        D::CornerNotFinite { corner } => {
            let key = name(*corner);
            say(Code::HUL007, format!("{key}{of} has a number that is not finite")).aspect(key)
        }
        D::InvertedDomain => say(Code::HUL007, format!("Min{of} is above Max, so the shape is inside out"))
            .aspect("Min above Max"),
        D::ConvexTwice => say(
            Code::MSH011,
            "it has both physics_convex and decomposition, and no program reads decomposition",
        )
        .aspect("block"),
        D::ConvexOldName => say(
            Code::MSH011,
            "the block physics_convex has its old name, decomposition, and programs find no hulls",
        )
        .aspect("block"),
        D::HullsUnderOldName => say(
            Code::HUL008,
            "the hulls are in a block with the old name decomposition, which no current engine reads",
        ),
        D::ConvexMissing => say(Code::HUL008, "the mesh has no block physics_convex"),
        D::PhysicsMeshTwice => say(
            Code::MSH011,
            "it has both physics_shape and physics_mesh, and engines read and charge different ones",
        ),
        D::PhysicsMeshOldName => say(
            Code::MSH011,
            "the block physics_mesh has its old name, physics_shape, which not every engine reads",
        ),
        D::ConvexListNotBinary { list, found } => {
            say(Code::MSH015, format!("{list} is {found}, not binary data")).aspect(list.clone())
        }
        D::PointsTwice { released, beta } => {
            let detail = format!("it has both {released} and {beta}, and no program reads {beta}");
            say(Code::MSH011, detail).aspect(released.clone())
        }
        D::PointsOldName { released, beta } => say(
            Code::MSH011,
            format!("the list {released} has its old name, {beta}, and programs find no points"),
        )
        .aspect(released.clone()),
        D::UnevenPoints { list } => say(Code::HUL004, &**list).aspect(list.clone()),
        D::TooManyHulls => say(Code::ARC012, "hulls in HullList; the others are left out"),
        D::BasePointsMissing => {
            say(Code::HUL008, "physics_convex has no BoundingVerts, the list of its points")
        }
        D::TooFewBasePoints => {
            say(Code::HUL008, format!("BoundingVerts has {}", counted(measured as u64, "point")))
        }
        D::HullsWithoutPoints => say(
            Code::HUL010,
            format!(
                "HullList announces {}, but Positions, the list of points, is missing",
                counted(measured as u64, "hull")
            ),
        ),
        D::PointsWithoutHulls => say(
            Code::HUL010,
            format!(
                "Positions holds {}, but HullList, the list of hulls, is missing",
                counted(measured as u64, "point")
            ),
        ),
        D::HullSizesDiffer => hull_sizes(limit, measured),
        D::JointsMissing => say(Code::MSH015, "joint_names is missing or not an array"),
        D::UnusableBindMatrices => say(
            Code::MSH015,
            format!("it has bind matrices without 16 finite numbers ({measured} of {limit})"),
        )
        .aspect("bind matrix"),
        D::BindMatricesDiffer => {
            say(Code::MSH016, format!("the number of bind matrices is {measured} and that of joints {limit}"))
                .aspect("bind matrices")
        }
        D::SceneNotMap => say(Code::MSH001, "the scene is not a map"),
        D::SceneVersion { version } => {
            let found =
                version.map_or_else(|| "no version".to_owned(), |version| format!("version {version}"));
            say(Code::MSH016, format!("the scene has {found}; viewers read only version 3")).aspect("version")
        }
        D::SceneMeshesMissing => say(Code::MSH015, "the scene's list mesh is missing or not an array"),
        D::SceneMeshNotString { found } => {
            say(Code::MSH015, format!("mesh {index} of the scene is {found}, not a string"))
        }
        D::SceneInstanceNotMap { found } => {
            say(Code::MSH015, format!("instance {index} of the scene is {found}, not a map"))
        }
        D::SceneInstanceWithoutMesh => {
            say(Code::MSH016, format!("instance {index} of the scene names a mesh that the scene lacks"))
        }
    }
}

/// An LLSD document that cannot be read.
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
    let detail =
        format!("{of} repeats keys, such as {key:?}; the first counts here, in some programs the last");
    say(Code::MSH016, detail).aspect("keys twice")
}

fn name(corner: Corner) -> &'static str {
    match corner {
        Corner::Min => "Min",
        Corner::Max => "Max",
    }
}

/// The points of hulls and the hull list disagree.
fn hull_sizes(announced: i64, present: i64) -> Finding {
    let difference = counted(announced.abs_diff(present), "point");
    let detail = format!("{difference} too {}", if announced > present { "few" } else { "many" });
    say(Code::HUL003, detail)
}

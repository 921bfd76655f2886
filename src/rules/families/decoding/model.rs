//! MDL: words for defects of model files.

use hullmark_finding::Finding;
use hullmark_format::defect::{Defect, ModelDefect};
use hullmark_util::number_text::counted;

pub(super) fn said(kind: &ModelDefect, defect: &Defect) -> Finding {
    use ModelDefect as D;
    let measured = defect.measured.map_or(0.0, f64::from) as u64;
    match kind {
        D::Unreadable { why } => say!(MDL001, "{why}"),
        D::Empty => say!(MDL001, "it has no triangles").aspect("empty"),
        D::FileMissing { name } => say!(MDL001, "{name} is missing or too short").aspect("file"),
        D::Unsupported { feature } => say!(MDL001, "the uploader does not read {feature}").aspect("feature"),
        D::NotTriangles { mode } => say!(MDL001, "{mode} in place of triangles").aspect("triangles"),
        D::IndicesOutside => say!(MDL001, "triangles name vertices that do not exist").aspect("indices"),
        D::NotFinite => say!(MDL001, "positions are not finite").aspect("positions"),
        D::Mirrored => say!(MDL001, "the uploader refuses a mirrored transform").aspect("mirror"),
        D::OverLimit { what } => {
            say!(MDL001, "it has more {what} than hullmark reads; the rest is not evaluated").aspect("limit")
        }
        D::OtherMaterials { first } => {
            say!(MDL002, "the highest level has no material \"{first}\"").aspect("material")
        }
        D::WithoutPart => say!(MDL002, "no part of the highest level has its name").aspect("part"),
        D::LevelsInOneFile => say!(MDL003, ""),
        D::Stretched => say!(MDL004, ""),
        D::ManyFaces { meshes } => {
            let detail = format!(
                "{} with materials of their own make {}",
                counted(measured, "face"),
                counted(*meshes, "mesh")
            );
            say!(MDL005, "{detail}").aspect("meshes")
        }
        D::FaceSplit { faces } => {
            say!(MDL005, "{} make {}", counted(measured, "vertex"), counted(*faces, "face")).aspect("faces")
        }
        D::JointsDropped { first } => say!(MDL006, "the first is \"{first}\""),
        D::OpenPiece => say!(MDL007, "{} with open edges", counted(measured, "piece")).aspect("open"),
        D::PieceTooFine => {
            say!(MDL007, "a convex piece has {}", counted(measured, "vertex")).aspect("vertices")
        }
        D::FlatPhysics => say!(MDL007, "it is flat, so its base hull is a box").aspect("flat"),
        D::LeftOut { what } => say!(MDL008, "{what} are left out").aspect("left out"),
        D::NoTextureCoordinates => {
            say!(MDL008, "{} without texture coordinates", counted(measured, "face")).aspect("coordinates")
        }
    }
}

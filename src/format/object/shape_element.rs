//! The `Shape` element.

use super::{
    Sculpt, Shape,
    diagnostics::Report,
    extra_params, oddity,
    texture_entry::{FaceColors, TextureEntry},
    values::{self, parse_int},
};
use crate::{
    defect::FieldFault,
    loader::{HOLES, PROFILES},
    reference::Reference,
    xml::{Result, Xml, excerpt},
};
use glam::DVec3;
use std::borrow::Cow;
use uuid::Uuid;

#[derive(Debug, Default)]
pub(super) struct ShapeElement {
    pub(super) shape: Shape,
    /// `Shape/Scale`, which only older files have.
    pub(super) scale: Option<DVec3>,
    /// `State`.
    pub(super) state: u8,
    pub(super) colors: FaceColors,
    /// Assets on the faces, and the texture that a light projects.
    pub(super) references: Vec<Reference>,
}

/// Elements that are combined at the end. Those with their own value override `ExtraParams`.
#[derive(Default)]
struct Stated<'a> {
    texture_entry: Option<Cow<'a, str>>,
    extra_params: Option<Cow<'a, str>>,
    flexi_entry: Option<bool>,
    sculpt_entry: Option<bool>,
    sculpt_kind: Option<u8>,
    sculpt_asset: Option<Uuid>,
}

/// Reads the innermost open element. Half of its children describe light and flexibility, which the audit does not use.
pub(super) fn read(xml: &mut Xml<'_>, report: &mut Report) -> Result<ShapeElement> {
    let mut element = ShapeElement::default();
    let mut stated = Stated::default();
    while let Some(child) = xml.child()? {
        let name = child.name();
        // OpenSim casts each number to its type without a check, so a larger one wraps around.
        let set: fn(&mut ShapeElement, i32) = match name {
            "ProfileCurve" => |s, n| s.shape.profile_curve = n as u8,
            "PathBegin" => |s, n| s.shape.path_begin = n as u16,
            "PathCurve" => |s, n| s.shape.path_curve = n as u8,
            "PathEnd" => |s, n| s.shape.path_end = n as u16,
            "PathRadiusOffset" => |s, n| s.shape.path_radius_offset = n as i8,
            "PathRevolutions" => |s, n| s.shape.path_revolutions = n as u8,
            "PathScaleX" => |s, n| s.shape.path_scale_x = n as u8,
            "PathScaleY" => |s, n| s.shape.path_scale_y = n as u8,
            "PathShearX" => |s, n| s.shape.path_shear_x = n as u8,
            "PathShearY" => |s, n| s.shape.path_shear_y = n as u8,
            "PathSkew" => |s, n| s.shape.path_skew = n as i8,
            "PathTaperX" => |s, n| s.shape.path_taper_x = n as i8,
            "PathTaperY" => |s, n| s.shape.path_taper_y = n as i8,
            "PathTwist" => |s, n| s.shape.path_twist = n as i8,
            "PathTwistBegin" => |s, n| s.shape.path_twist_begin = n as i8,
            "PCode" => |s, n| s.shape.pcode = n as u8,
            "ProfileBegin" => |s, n| s.shape.profile_begin = n as u16,
            "ProfileEnd" => |s, n| s.shape.profile_end = n as u16,
            "ProfileHollow" => |s, n| s.shape.profile_hollow = n as u16,
            "State" => |s, n| s.state = n as u8,
            _ => {
                other_element(name, &mut element, &mut stated, xml, report)?;
                continue;
            }
        };
        if let Some(n) = report.good(name, values::int(xml)?) {
            set(&mut element, n);
        }
    }
    check_profile_curve(&mut element.shape, report);
    apply(&stated, &mut element, xml, report);
    Ok(element)
}

fn other_element<'a>(
    name: &str,
    element: &mut ShapeElement,
    stated: &mut Stated<'a>,
    xml: &mut Xml<'a>,
    report: &mut Report,
) -> Result<()> {
    let curve = &mut element.shape.profile_curve;
    match name {
        "TextureEntry" => stated.texture_entry = Some(xml.text()?),
        "ExtraParams" => stated.extra_params = Some(xml.text()?),
        "ProfileShape" => nibble(xml, report, name, (&PROFILES, 1), |n| *curve = *curve & 0xF0 | n)?,
        "HollowShape" => nibble(xml, report, name, (&HOLES, 16), |n| *curve = *curve & 0x0F | n)?,
        "SculptTexture" => stated.sculpt_asset = report.good(name, values::uuid(xml)?),
        "SculptType" => stated.sculpt_kind = report.good(name, values::int(xml)?).map(|n| n as u8),
        "FlexiEntry" => stated.flexi_entry = report.good(name, values::bool(xml)?),
        "SculptEntry" => stated.sculpt_entry = report.good(name, values::bool(xml)?),
        // Only in older files.
        "Scale" => element.scale = report.good("Shape/Scale", values::vector(xml)?),
        _ => xml.skip()?,
    }
    Ok(())
}

/// Reads a nibble of the profile curve, as a name or a number. The names count from 0 in steps of `step`.
fn nibble(
    xml: &mut Xml<'_>,
    report: &mut Report,
    element: &str,
    (names, step): (&[&str], u8),
    set: impl FnOnce(u8),
) -> Result<()> {
    let text = xml.text()?;
    let word = text.trim_ascii();
    let number = || parse_int(word).and_then(|n| u8::try_from(n).ok());
    let mut known = names.iter().zip((0..).step_by(step.into()));
    match known.find(|&(name, value)| name.eq_ignore_ascii_case(word) || number() == Some(value)) {
        Some((_, value)) => set(value),
        None => report.field(element, FieldFault::UnknownWord { word: excerpt(word) }),
    }
    Ok(())
}

/// Replaces invalid halves of the profile curve as OpenSim does: the profile by a square, the hole by one of the same
/// shape.
fn check_profile_curve(shape: &mut Shape, report: &mut Report) {
    let curve = shape.profile_curve;
    let valid = valid_profile_curve(curve);
    if curve != valid {
        let (number, taken) = (curve.into(), valid.into());
        report.field("ProfileCurve", FieldFault::UnknownNumber { number, taken });
        shape.profile_curve = valid;
    }
}

/// Replaces invalid halves of the profile curve.
pub fn valid_profile_curve(curve: u8) -> u8 {
    let (profile, hole) = (curve & 0x0F, curve & 0xF0);
    let profile = if usize::from(profile) < PROFILES.len() { profile } else { 1 };
    let hole = if usize::from(hole >> 4) < HOLES.len() { hole } else { 0 };
    profile | hole
}

/// Combines the packed parameters with explicit elements, which override them.
fn apply(stated: &Stated<'_>, element: &mut ShapeElement, xml: &mut Xml<'_>, report: &mut Report) {
    let packed = extra_params::decode(stated.extra_params.as_deref().unwrap_or_default());
    if packed.is_none() {
        report.field("ExtraParams", FieldFault::NoParameters);
    }
    let packed = packed.unwrap_or_default();
    element.references = packed.references;
    let shape = &mut element.shape;
    shape.animesh = packed.animesh;
    shape.flexi_entry = stated.flexi_entry.unwrap_or(packed.flexi);
    let sculpted = stated.sculpt_entry.unwrap_or(packed.sculpt.is_some());
    let base = packed.sculpt.unwrap_or(Sculpt { asset: Uuid::nil(), kind: 0 });
    let sculpt = Sculpt {
        asset: stated.sculpt_asset.unwrap_or(base.asset),
        kind: stated.sculpt_kind.unwrap_or(base.kind),
    };
    shape.sculpt = sculpted.then_some(sculpt);
    if shape.sculpt.is_some_and(|sculpt| sculpt.kind & 0xC0 != 0) {
        xml.note(oddity::SCULPT_FLAG_BITS);
    }
    // Last, because the number of faces follows from the shape.
    let faces = stated.texture_entry.as_deref().and_then(|text| texture_entry(text, report));
    if let Some(faces) = faces {
        element.references.extend(faces.references(&element.shape));
        element.colors = faces.colors.of_shape(&element.shape);
    }
}

/// Decodes the texture entry. For a part without textures OpenSim writes at most one byte.
fn texture_entry(text: &str, report: &mut Report) -> Option<TextureEntry> {
    let bytes = report.good("TextureEntry", values::bytes(text))?;
    if bytes.len() <= 1 {
        return None;
    }
    let faces = TextureEntry::decode(&bytes);
    if faces.is_none() {
        report.field("TextureEntry", FieldFault::CutShort { bytes: bytes.len() as u64 });
    }
    faces
}

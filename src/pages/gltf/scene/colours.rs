//! The colours of a scene: those of the faces, or classes of a number or of findings.

use super::SceneObject;
use hullmark_analysis::{cost::Cost, measure::PartMeasures};
use hullmark_finding::Severity;
use hullmark_format::object::Part;
use hullmark_util::named;
use serde_json::{Value, json};

/// Red, green, blue and opacity, as a screen has them.
pub(super) type Colour = [u8; 4];

named! {
/// The meaning of the colours of a scene.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColourBy {
    /// The colors of the faces.
    #[default]
    Faces = "faces",
    /// Land impact of the object.
    LandImpact = "land-impact",
    /// Physics cost of the prim at rest.
    PhysicsCost = "physics-cost",
    /// The worst finding about the object.
    Findings = "findings",
}
}

/// From light to dark. The scheme YlOrRd of ColorBrewer, whose order people with any kind of colour blindness see.
const CLASSES: [Colour; 6] = [
    [255, 255, 204, 255],
    [254, 217, 118, 255],
    [253, 174, 97, 255],
    [252, 78, 42, 255],
    [189, 0, 38, 255],
    [90, 0, 30, 255],
];
/// The largest number of each class but the last one.
const LAND_IMPACT: [f64; 5] = [1.0, 5.0, 20.0, 100.0, 500.0];
const PHYSICS_COST: [f64; 5] = [0.5, 2.0, 10.0, 50.0, 200.0];
const UNKNOWN: Colour = [150, 160, 175, 255];

/// Colours without and with findings, the harmless ones first.
const NO_FINDING: Colour = [214, 211, 204, 255];
const SEVERITIES: [(Severity, Colour); 4] = [
    (Severity::Info, [86, 180, 233, 255]),
    (Severity::Warning, [240, 200, 40, 255]),
    (Severity::Error, [213, 94, 0, 255]),
    (Severity::Blocker, [140, 0, 40, 255]),
];

/// Returns the colours of the faces of a part: one for all, or one for each of the first faces.
pub(super) fn of_part(
    by: ColourBy,
    object: &SceneObject<'_>,
    part: &Part,
    measures: Option<&PartMeasures>,
    faces: usize,
) -> Vec<Colour> {
    match by {
        ColourBy::Faces if part.mesh().is_some() => {
            // A color of faces has a bit for each of 64 faces; further ones have the default.
            let faces = faces.clamp(1, u64::BITS as usize + 1);
            let mut colours: Vec<_> = (0..faces).map(|face| part.colors.face(face as u32)).collect();
            let is_one = colours.iter().all(|colour| *colour == colours[0]);
            colours.truncate(if is_one { 1 } else { faces });
            colours
        }
        ColourBy::Faces => vec![part.colors.most_frequent(&part.shape)],
        ColourBy::LandImpact => vec![of_cost(object.measures.land_impact, &LAND_IMPACT)],
        ColourBy::PhysicsCost => {
            vec![measures.map_or(UNKNOWN, |part| of_cost(part.collision.physics_cost, &PHYSICS_COST))]
        }
        ColourBy::Findings => vec![of_severity(object.worst)],
    }
}

fn of_cost(cost: Cost, bounds: &[f64; 5]) -> Colour {
    let class = |number: f64| bounds.iter().filter(|&&bound| number > bound).count();
    cost.value().map_or(UNKNOWN, |number| CLASSES[class(number)])
}

fn of_severity(severity: Option<Severity>) -> Colour {
    let known = SEVERITIES.into_iter().find(|&(other, _)| Some(other) == severity);
    known.map_or(NO_FINDING, |(_, colour)| colour)
}

/// Returns the meaning of each colour. Colours of faces have none.
pub(super) fn legend(by: ColourBy) -> Value {
    let bounds = match by {
        ColourBy::Faces => return json!([]),
        ColourBy::Findings => {
            let severities = SEVERITIES.into_iter().map(|(severity, colour)| entry(severity.name(), colour));
            return [entry("no finding", NO_FINDING)].into_iter().chain(severities).collect();
        }
        ColourBy::LandImpact => LAND_IMPACT,
        ColourBy::PhysicsCost => PHYSICS_COST,
    };
    let upto = bounds.iter().zip(CLASSES).map(|(bound, colour)| entry(&format!("up to {bound}"), colour));
    let above = entry(&format!("more than {}", bounds[bounds.len() - 1]), CLASSES[CLASSES.len() - 1]);
    upto.chain([above, entry("not evaluated", UNKNOWN)]).collect()
}

fn entry(words: &str, colour: Colour) -> Value {
    json!({ "colour": name(colour), "means": words })
}

/// Returns the name of a colour, as in style sheets.
pub(super) fn name([red, green, blue, opacity]: Colour) -> String {
    match opacity {
        u8::MAX => format!("#{red:02x}{green:02x}{blue:02x}"),
        _ => format!("#{red:02x}{green:02x}{blue:02x}{opacity:02x}"),
    }
}

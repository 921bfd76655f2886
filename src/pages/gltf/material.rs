//! One material for each role.

use super::builder::Builder;
use crate::picture::colour;
use serde_json::json;

/// Colours from 0 to 255, as a screen has them.
const LEVEL: [f64; 3] = [214.0, 211.0, 204.0];
const TRIANGLES: [f64; 3] = [142.0, 107.0, 191.0];
const OVER_LIMIT: [f64; 3] = [196.0, 0.0, 24.0];

/// Opacity of the base hull, behind which the other parts are visible.
const BASE_HULL_OPACITY: f64 = 0.35;

/// The role of a geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A face of a level of detail with its number. Each has a material, because the uploader makes one face of one.
    Level {
        face: usize,
    },
    /// A hull of the decomposition with its number, and whether it exceeds a limit.
    Hull {
        number: usize,
        over_limit: bool,
    },
    /// The base hull, and whether it exceeds the limit.
    BaseHull {
        over_limit: bool,
    },
    PhysicsTriangles,
}

impl Role {
    /// Adds the material, or finds it.
    pub(super) fn material(self, builder: &mut Builder) -> usize {
        let (name, colour, opacity) = match self {
            Self::Level { face } => (format!("face {face:03}"), LEVEL, 1.0),
            Self::Hull { over_limit: true, .. } => ("hull over a limit".into(), OVER_LIMIT, 1.0),
            Self::Hull { number, .. } => {
                let number = number % colour::DISTINCT;
                (format!("hull, colour {number}"), colour::of_hull(Some(number)), 1.0)
            }
            Self::BaseHull { over_limit: true } => {
                ("base hull over a limit".into(), OVER_LIMIT, BASE_HULL_OPACITY)
            }
            Self::BaseHull { .. } => ("base hull".into(), colour::of_hull(None), BASE_HULL_OPACITY),
            Self::PhysicsTriangles => ("physics triangles".into(), TRIANGLES, 1.0),
        };
        let [red, green, blue] = colour.map(|part| linear(part / 255.0));
        let mut material = json!({
            "name": name,
            "doubleSided": true,
            "pbrMetallicRoughness": {
                "baseColorFactor": [red, green, blue, opacity],
                "metallicFactor": 0.0,
                "roughnessFactor": 0.8,
            },
        });
        if opacity < 1.0 {
            material["alphaMode"] = "BLEND".into();
        }
        builder.add_material(&material)
    }
}

/// Returns a component of a colour of the screen (sRGB) in linear light, which glTF uses. It is rounded, because the last
/// digits of a power depend on the machine.
pub(super) fn linear(part: f64) -> f64 {
    let linear = if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) };
    (linear * 10_000.0).round() / 10_000.0
}

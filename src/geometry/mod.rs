//! Mathematics without knowledge of assets.

pub mod bitmap;
pub mod bounds;
pub mod curve;
pub mod diameter;
pub mod enclosing_sphere;
pub mod hull;
pub mod level_of_detail;
pub mod polygon;
pub mod prim;
pub mod quantized;
pub mod rank;
pub mod sculpt;
pub mod simplify;
pub mod smallest_box;
pub mod surface;
pub mod triangle;
pub mod ubode;
mod weld;

/// Returns numbers from 0 to 1 that depend on the seed alone.
#[cfg(any(test, feature = "testing"))]
pub fn noise(mut state: u64) -> impl FnMut() -> f64 {
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}

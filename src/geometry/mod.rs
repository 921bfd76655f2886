//! Mathematics that knows no asset.

pub mod bounds;
pub mod diameter;
pub mod enclosing_sphere;
pub mod hull;
pub mod level_of_detail;
pub mod polygon;
pub mod prim;
pub mod quantized;
pub mod rank;
pub mod sculpt;
pub mod smallest_box;
pub mod surface;
pub mod triangle;
pub mod ubode;
mod weld;

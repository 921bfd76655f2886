//! Mathematics that knows no asset.

pub mod ball;
pub mod bounds;
pub mod detail;
pub mod exact;
pub mod farthest;
pub mod hull;
pub mod prim;
pub mod quantized;
pub mod rank;
pub mod sculpt;
pub mod sphere;
pub mod square;
pub mod surface;
pub mod triangle;
pub mod ubode;
mod weld;

//! Mathematics that knows no asset.

pub mod bounds;
pub mod hull;
pub mod quantized;
pub mod rank;
pub mod sphere;
pub mod triangle;

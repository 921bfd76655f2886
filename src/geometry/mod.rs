//! Mathematics that knows no asset.

pub mod bounds;
pub mod quantized;
pub mod sphere;
pub mod triangle;

//! Decodes images, and measures the stated length of images, sounds and animations.
//!
//! As in `format`, each decoder is pure and total. It reads no file and never panics.

pub mod extent;
pub mod image;

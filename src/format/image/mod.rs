//! Headers and pixels of images, as far as the audit needs them.

mod first_channels;
pub mod jpeg2000;
pub mod media;
pub mod sculpt_map;
pub mod tga;

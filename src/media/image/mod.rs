//! Headers and pixels of images, as far as the audit needs them.

mod codestream;
pub mod cut_short;
mod differences;
mod first_channels;
pub mod jpeg2000;
mod loss;
pub mod media;
mod one_layer;
mod packets;
pub mod sculpt_map;
pub mod tga;

/// Whether this build decodes sculpt maps: the feature `sculpt`.
pub const DECODES_SCULPT_MAPS: bool = cfg!(feature = "sculpt");

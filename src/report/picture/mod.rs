//! Draws bodies of meshes as flat shapes, for `inspect --svg` and the page.
//!
//! [`solid`] makes a body of each hull, [`view`] projects bodies to a side, and [`colour`] has their colours.

pub(crate) mod colour;
pub(crate) mod solid;
pub(crate) mod view;

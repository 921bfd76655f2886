//! Draws bodies of meshes as flat shapes, for `inspect --svg` and the page.
//!
//! [`solid`] makes a body of each hull, [`view`] projects bodies to a side, and [`colour`] has their colours.

pub mod colour;
pub mod solid;
pub mod view;

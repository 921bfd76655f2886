//! Values of `PathCurve` and `ProfileCurve`, which determine the form of a prim.

/// A straight path.
pub const LINE: u8 = 16;
/// A path along a circle.
pub const CIRCLE_PATH: u8 = 32;
/// The second path along a circle (`LL_PCODE_PATH_CIRCLE2`).
pub const CIRCLE_PATH_2: u8 = 48;
/// A straight path that bends.
pub const FLEXIBLE: u8 = 128;

/// The bits of a profile that are its outline.
pub const PROFILE_MASK: u8 = 0x0f;
/// The bits of a profile that are its hole.
pub const HOLE_MASK: u8 = 0xf0;
pub const CIRCLE: u8 = 0;
pub const SQUARE: u8 = 1;
/// A triangle with equal sides.
pub const EQUILATERAL: u8 = 3;
pub const HALF_CIRCLE: u8 = 5;

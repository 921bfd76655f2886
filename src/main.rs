//! hullmark.
fn main() {}

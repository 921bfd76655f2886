//! The files of this folder, compiled in: each key of the settings with its default and its reason.

/// Every setting with its default: `hullmark.toml`.
pub const DEFAULTS: &str = include_str!("hullmark.toml");

/// The template of a profile, for `hullmark init`.
pub const PROFILE_TEMPLATE: &str = include_str!("grid.toml");

/// Threat levels of OSSL functions.
pub const OSSL: &str = include_str!("ossl.toml");

/// Assets that every grid has.
pub const WELL_KNOWN_ASSETS: &str = include_str!("well-known.toml");

/// The profiles that are built in, by name.
pub const PROFILES: [(&str, &str); 4] = [
    ("second-life", include_str!("profiles/second-life.toml")),
    ("opensim-load", include_str!("profiles/opensim-load.toml")),
    ("opensim-ubode", include_str!("profiles/opensim-ubode.toml")),
    ("opensim-bulletsim", include_str!("profiles/opensim-bulletsim.toml")),
];

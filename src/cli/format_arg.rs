//! The formats of reports as values of a flag.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hullmark_settings::config::Format;

/// Reads the name of a format, and lists all of them in the help.
pub(super) fn format() -> impl TypedValueParser<Value = Format> {
    let value = |format: &Format| PossibleValue::new(format.name()).help(format.about());
    PossibleValuesParser::new(Format::ALL.iter().map(value)).try_map(|name| name.parse::<Format>())
}

//! The formats of reports as values of a flag.

use anyhow::bail;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hullmark_settings::config::{Format, ReportConfig};

/// Reads the name of a format, and lists all of them in the help.
pub(super) fn format() -> impl TypedValueParser<Value = Format> {
    let value = |format: &Format| PossibleValue::new(format.name()).help(format.about());
    PossibleValuesParser::new(Format::ALL.iter().map(value)).try_map(|name| name.parse::<Format>())
}

/// Returns the settings of a report without findings, in the formats of a flag, else of the settings. `about` ends the
/// sentence that refuses the others.
pub(super) fn without_findings(
    given: &[Format],
    config: &ReportConfig,
    about: &str,
) -> anyhow::Result<ReportConfig> {
    let is_about_findings = |format: &Format| matches!(format, Format::Sarif | Format::Junit);
    if given.iter().any(is_about_findings) {
        bail!("sarif and junit describe {about}");
    }
    let mut config = config.clone();
    if !given.is_empty() {
        config.formats = given.to_vec();
    }
    config.formats.retain(|format| !is_about_findings(format));
    if let Some(missing) = config.formats.iter().find_map(|format| format.missing()) {
        bail!(missing);
    }
    Ok(config)
}

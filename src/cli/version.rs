//! `--version --verbose`: the optional parts of this build, and the packages in it.

use crate::cli::{
    doctor::features,
    terminal::{Align, columns, print},
};
use clap::error::{Error, ErrorKind};
use std::{env, io};

/// The packages with all features on all systems: name, version, licence, and the features that bring each.
const PACKAGES: &str = include_str!("../../THIRD_PARTY.tsv");

/// Whether the arguments ask for the version and for more lines.
pub(super) fn is_asked(error: &Error) -> bool {
    error.kind() == ErrorKind::DisplayVersion
        && env::args_os().skip(1).any(|argument| is_verbose(&argument.to_string_lossy()))
}

/// Whether an argument is `--verbose`, `-v`, or several short flags with `v`, as `-vV`.
fn is_verbose(argument: &str) -> bool {
    let is_short = argument.starts_with('-') && !argument.starts_with("--");
    argument == "--verbose" || is_short && argument.contains('v')
}

/// Prints version, optional parts and packages.
pub(super) fn print_long() -> io::Result<()> {
    let features = features();
    let parts = if features.is_empty() { "no optional parts".into() } else { features.join(", ") };
    let packages = columns(&[Align::Left; 3], &packages(&features));
    let title = "Packages in builds for all systems, with their licenses:";
    print(&format!("hullmark {} with {parts}\n\n{title}\n{packages}", env!("CARGO_PKG_VERSION")))
}

/// Returns the rows of packages that always come, or that these features bring. The command line is always here.
fn packages(features: &[&str]) -> Vec<Vec<String>> {
    let rows = PACKAGES.lines().skip(1).filter_map(|line| {
        let [name, version, license, with] = line.split('\t').collect::<Vec<_>>()[..] else { return None };
        let is_built =
            with.is_empty() || with.split(' ').any(|with| with == "cli" || features.contains(&with));
        is_built.then(|| [name, version, license].map(str::to_owned).to_vec())
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_those_of_the_features() {
        let has = |features: &[&str], name: &str| packages(features).iter().any(|row| row[0] == name);
        assert!(has(&[], "serde") && has(&[], "clap") && !has(&[], "ureq"));
        assert!(has(&["notify"], "ureq") && !has(&["notify"], "parquet"));
    }

    #[test]
    fn flags_are_long_or_short() {
        for (argument, expected) in
            [("-v", true), ("-Vv", true), ("--verbose", true), ("-V", false), ("--version", false)]
        {
            assert_eq!(is_verbose(argument), expected, "{argument}");
        }
    }
}

//! Which archives are expected, by names and patterns.

use super::ExpectedConfig;
use globset::{GlobBuilder, GlobMatcher};
use hullmark_util::named_file;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    time::Duration,
};
use thiserror::Error;

/// Why the expected archives are unknown.
#[derive(Debug, Error)]
pub enum ExpectedError {
    /// The list cannot be read.
    #[error("The list of expected archives {} cannot be read", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A name is not a valid pattern.
    #[error(
        "The expected name `{name}` is not a valid pattern; write a literal [ as [[] and a literal {{ as [{{]"
    )]
    Pattern {
        /// The name.
        name: String,
        /// The error in the pattern.
        source: globset::Error,
    },
}

/// The archives that must exist.
#[derive(Debug, Default)]
pub struct Expected {
    /// The names in their given order, without repeats.
    pub names: Vec<Name>,
    /// Names of things that are gone on purpose.
    pub gone: Vec<Name>,
    /// Greatest age of the newest archive of each name. `None` if there is no limit.
    pub max_age: Option<Duration>,
}

/// A name or a pattern: of a file, or of a region by its name or UUID.
#[derive(Debug)]
pub struct Name {
    /// The name as given in the settings.
    pub given: String,
    /// The matcher. `None` if the name is not a pattern.
    glob: Option<GlobMatcher>,
}

impl Expected {
    /// Creates the list from the settings.
    ///
    /// # Errors
    /// The list cannot be read, or a name is not a valid pattern.
    pub fn new(config: &ExpectedConfig) -> Result<Self, ExpectedError> {
        let mut given = config.names.clone();
        if !config.list.as_os_str().is_empty() {
            given.extend(read(&config.list)?);
        }
        let (names, gone) = (distinct(given)?, distinct(config.gone.clone())?);
        Ok(Self { names, gone, max_age: config.max_age.0 })
    }
}

fn distinct(given: Vec<String>) -> Result<Vec<Name>, ExpectedError> {
    let mut names: Vec<Name> = Vec::new();
    for name in given {
        if !names.iter().any(|known| known.given == name) {
            names.push(Name::new(name)?);
        }
    }
    Ok(names)
}

/// Reads the lines of a list. A line that begins with `#` is a comment.
fn read(path: &Path) -> Result<Vec<String>, ExpectedError> {
    let unreadable = |source| ExpectedError::Unreadable { path: path.into(), source };
    let text = named_file::read_text(path, named_file::SETTINGS).map_err(unreadable)?;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    Ok(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(Into::into).collect())
}

impl Name {
    fn new(given: String) -> Result<Self, ExpectedError> {
        if !given.contains(['*', '?', '[', '{']) {
            return Ok(Self { given, glob: None });
        }
        // Case is ignored, as in OpenSim and many file systems.
        match GlobBuilder::new(&given).case_insensitive(true).build() {
            Ok(glob) => Ok(Self { given, glob: Some(glob.compile_matcher()) }),
            Err(source) => Err(ExpectedError::Pattern { name: given, source }),
        }
    }

    /// Whether this is a pattern and not the name of one archive.
    pub fn is_pattern(&self) -> bool {
        self.glob.is_some()
    }

    /// Whether the name ends like a file name and so is not a region.
    pub(super) fn is_of_a_file(&self) -> bool {
        let given = self.given.to_lowercase();
        [".oar", ".iar", ".tar", ".tgz", ".gz"].iter().any(|ending| given.ends_with(ending))
    }

    /// Returns the archives that the name matches. The keys are their names in lower case.
    pub(super) fn among(&self, called: &BTreeMap<String, BTreeSet<usize>>) -> BTreeSet<usize> {
        match &self.glob {
            None => called.get(&self.given.to_lowercase()).cloned().unwrap_or_default(),
            Some(glob) => {
                let fit = called.iter().filter(|(name, _)| glob.is_match(name));
                fit.flat_map(|(_, archives)| archives).copied().collect()
            }
        }
    }
}

//! Which archives are expected, by names and patterns.

use super::ExpectedConfig;
use globset::{GlobBuilder, GlobMatcher};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
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
        /// Why.
        source: io::Error,
    },
    /// A name is not a valid pattern.
    #[error(
        "The expected name `{name}` is not a valid pattern; write a literal [ as [[] and a literal {{ as [{{]"
    )]
    Pattern {
        /// The name.
        name: String,
        /// What is wrong with it.
        source: globset::Error,
    },
}

/// The archives that must be there.
#[derive(Debug, Default)]
pub struct Expected {
    /// Each name once, in the order in which they were given.
    pub names: Vec<Name>,
    /// How old the newest archive of each may be.
    pub max_age: Option<Duration>,
}

/// A name or a pattern: of a file, or of a region by its name or UUID.
#[derive(Debug)]
pub struct Name {
    /// As given in the settings.
    pub given: String,
    /// Its matcher, if it is a pattern.
    glob: Option<GlobMatcher>,
}

impl Expected {
    /// Reads the settings.
    ///
    /// # Errors
    /// The list cannot be read, or a name is not a valid pattern.
    pub fn new(config: &ExpectedConfig) -> Result<Self, ExpectedError> {
        let mut given = config.names.clone();
        if !config.list.as_os_str().is_empty() {
            given.extend(read(&config.list)?);
        }
        let mut names: Vec<Name> = Vec::new();
        for name in given {
            if !names.iter().any(|known| known.given == name) {
                names.push(Name::new(name)?);
            }
        }
        Ok(Self { names, max_age: config.max_age.0 })
    }
}

/// The lines of a list; a line that begins with `#` is a comment.
fn read(path: &Path) -> Result<Vec<String>, ExpectedError> {
    let unreadable = |source| ExpectedError::Unreadable { path: path.into(), source };
    let text = fs::read_to_string(path).map_err(unreadable)?;
    let lines = text.trim_start_matches('\u{feff}').lines().map(str::trim);
    Ok(lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(Into::into).collect())
}

impl Name {
    fn new(given: String) -> Result<Self, ExpectedError> {
        if !given.contains(['*', '?', '[', '{']) {
            return Ok(Self { given, glob: None });
        }
        // Case is ignored: OpenSim and many file systems ignore it, too.
        match GlobBuilder::new(&given).case_insensitive(true).build() {
            Ok(glob) => Ok(Self { given, glob: Some(glob.compile_matcher()) }),
            Err(source) => Err(ExpectedError::Pattern { name: given, source }),
        }
    }

    /// Whether it is a pattern and not the name of one archive.
    pub fn is_pattern(&self) -> bool {
        self.glob.is_some()
    }

    /// Whether it ends as file names do, so that it is not a region.
    pub(super) fn is_of_a_file(&self) -> bool {
        let given = self.given.to_lowercase();
        [".oar", ".iar", ".tar", ".tgz", ".gz"].iter().any(|ending| given.ends_with(ending))
    }

    /// The archives that it names, by their names in lower case.
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

//! The page of `doctor`: the program, the machine, the settings, and checks of them.

use serde::Serialize;

/// The state of this installation as plain data. The field names are stable.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DoctorPage {
    /// Version of the program.
    pub hullmark: &'static str,
    /// Optional parts of this build.
    pub features: Vec<&'static str>,
    /// What the machine has.
    pub machine: Machine,
    /// The settings file that applies; `null` without one.
    pub settings_file: Option<String>,
    /// Name or file of the profile.
    pub profile: String,
    /// Inputs below the given paths, by kind.
    pub inputs: Vec<KindLine>,
    /// The checks.
    pub checks: Vec<Check>,
}

/// What the machine has. Unknown numbers are `null`.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Machine {
    /// Number of threads that decode.
    pub threads: u64,
    /// Number of processors that this process may use.
    pub processors: Option<u64>,
    /// Memory that is available, bytes.
    pub memory_bytes: Option<u64>,
    /// Number of files that this process may open.
    pub open_files: Option<u64>,
}

/// Inputs of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KindLine {
    /// The kind.
    pub kind: &'static str,
    /// Number of inputs.
    pub inputs: u64,
    /// Their size on the disk, bytes.
    pub bytes: u64,
}

/// Result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// All is well.
    Ok,
    /// A run works, and somebody should look.
    Warning,
    /// A run fails, or nobody gets its messages.
    Error,
    /// It cannot be known here.
    Unknown,
}

impl State {
    /// Returns the name in text and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warning => "warning",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }
}

/// A check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Check {
    /// Subject of the check.
    pub name: &'static str,
    /// Its result.
    pub state: State,
    /// The result in words, and what to do.
    pub text: String,
}

impl Check {
    /// Creates a check.
    pub fn new(name: &'static str, state: State, text: impl Into<String>) -> Self {
        Self { name, state, text: text.into() }
    }
}

impl DoctorPage {
    /// Whether no check found an error.
    pub fn is_well(&self) -> bool {
        self.checks.iter().all(|check| check.state != State::Error)
    }
}

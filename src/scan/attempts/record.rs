//! How many runs died while they read an input. Each such input has a small file.

use hullmark_storage::stamp::Stamp;
use serde::{Deserialize, Serialize};
use std::{fs, io, path::Path};

/// The extension of these files.
const EXTENSION: &str = "died";

const VERSION: u32 = 1;

/// Most runs from which an input is left out before it is tried again.
const LONGEST: u32 = 64;

/// The deaths of runs that read one input.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    /// The first key, by which the file is recognized.
    hullmark_reading: u32,
    /// The name of the input, for people.
    pub(super) input: String,
    /// Number of runs that died in a row while they read the input.
    pub(super) deaths: u32,
    /// Number of runs that will leave it out.
    pub(super) left_out_of: u32,
    /// The state of its files at that time.
    pub(super) stamp: Option<Stamp>,
    /// The program and its settings.
    pub(super) program: String,
}

impl Record {
    /// Returns the record after a further death. Alone, an input is certainly the reason.
    pub(super) fn after(
        before: Option<Self>,
        input: String,
        stamp: Option<Stamp>,
        program: &str,
        was_alone: bool,
    ) -> Self {
        let is_same = |record: &Self| record.stamp == stamp && record.program == program;
        // An input in another state was read alone, too.
        let earlier =
            before.map_or(0, |record| if is_same(&record) { record.deaths } else { record.deaths.min(1) });
        let deaths = earlier.saturating_add(1).max(if was_alone { 2 } else { 1 });
        let left_out_of =
            deaths.checked_sub(2).map_or(0, |further| 1_u32.checked_shl(further).unwrap_or(LONGEST));
        let left_out_of = left_out_of.min(LONGEST);
        let program = program.into();
        Self { hullmark_reading: VERSION, input, deaths, left_out_of, stamp, program }
    }

    /// Whether the input is left out of this run. A run that continues another one counts as the same run.
    pub(super) fn is_left_out(&self, continues: bool) -> bool {
        self.left_out_of > 0 || continues && self.deaths > 1
    }

    /// Reads a record, and the name of the ledger of its input. `None` for other files.
    pub(super) fn read(path: &Path) -> Option<(String, Self)> {
        let ledger = path.file_name()?.to_str()?.strip_suffix(EXTENSION)?.strip_suffix('.')?;
        let record: Self = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
        (record.hullmark_reading == VERSION).then(|| (ledger.to_owned(), record))
    }

    pub(super) fn write(&self, folder: &Path, ledger: &str) -> io::Result<()> {
        let path = folder.join(format!("{ledger}.{EXTENSION}"));
        let half = path.with_extension("half");
        fs::write(&half, serde_json::to_vec(self)?).and_then(|()| fs::rename(&half, &path))
    }

    pub(super) fn remove(folder: &Path, ledger: &str) {
        let _ = fs::remove_file(folder.join(format!("{ledger}.{EXTENSION}")));
    }
}

//! Members that are not in a mended copy, as files next to it.

use crate::writer::{folder_beside, persist_folder};
use std::{
    fs, io,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

/// Bytes of a member's name that its file keeps.
const NAMED: usize = 100;

/// A folder that gets its name when it is complete. It is only made for a first member.
pub(crate) struct LeftOut {
    folder: PathBuf,
    made: Option<TempDir>,
    count: u64,
}

/// Returns the folder of members that are left out of a copy.
pub fn folder_of(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".left-out");
    out.with_file_name(name)
}

/// Removes the folder of an earlier run. One with other files stays, which is an error.
fn remove(folder: &Path) -> io::Result<()> {
    let Ok(files) = fs::read_dir(folder) else { return Ok(()) };
    for file in files {
        let file = file?;
        let name = file.file_name();
        let is_ours = name.to_str().is_some_and(|name| {
            name.split_once('_').is_some_and(|(number, _)| number.len() >= 5 && number.parse::<u64>().is_ok())
        });
        if is_ours && file.file_type()?.is_file() {
            fs::remove_file(file.path())?;
        }
    }
    fs::remove_dir(folder)
}

impl LeftOut {
    pub(crate) fn beside(out: &Path) -> Self {
        Self { folder: folder_of(out), made: None, count: 0 }
    }

    /// Writes a member as it is. No path of an archive becomes a path here.
    pub(crate) fn add(&mut self, member: &str, bytes: &[u8]) -> io::Result<()> {
        let made = match self.made.take() {
            Some(made) => made,
            None => folder_beside(&self.folder)?,
        };
        self.count += 1;
        let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_') { c } else { '_' };
        let name: String = member.chars().map(plain).collect();
        let name = &name[name.len().saturating_sub(NAMED)..];
        fs::write(made.path().join(format!("{:05}_{name}", self.count)), bytes)?;
        self.made = Some(made);
        Ok(())
    }

    /// Gives the folder its name, if there are members.
    pub(crate) fn finish(self) -> io::Result<()> {
        remove(&self.folder)?;
        self.made.map_or(Ok(()), |made| persist_folder(made, &self.folder))
    }
}

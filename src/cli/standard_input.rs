//! Standard input as an input: `-`.
//!
//! Sculpt maps may need a second reading, and the directory of a zip is at its end. So the bytes are copied to a
//! temporary file first, and give the same figures as a file.

use anyhow::{Context, bail, ensure};
use hullmark_settings::limits::Limits;
use hullmark_source::{self as source, Input, container::Bytes};
use hullmark_util::{lock::lock, named_file};
use std::{
    fs,
    io::{self, IsTerminal, Read},
    path::{Path, PathBuf},
    sync::{Mutex, OnceLock},
};

const NAME: &str = "standard input";

/// The copy of standard input, because a command may open its input twice.
static COPY: Mutex<Option<Bytes>> = Mutex::new(None);

/// The file with the bytes of standard input, which the parent of this process saved.
static SAVED: OnceLock<PathBuf> = OnceLock::new();

const FILE: &str = "standard-input";

/// Saves at most so many bytes of standard input in a folder, for a process that may have to start again.
pub(super) fn save(folder: &Path, most: u64) -> anyhow::Result<()> {
    let failed = "Standard input cannot be read";
    let mut file = fs::File::create_new(folder.join(FILE)).context(failed)?;
    // The command refuses a byte more than the limit.
    io::copy(&mut io::stdin().lock().take(most.saturating_add(1)), &mut file).context(failed)?;
    Ok(())
}

/// Reads what the parent of this process saved, if it did, instead of standard input.
pub(super) fn use_saved(folder: &Path) {
    let path = folder.join(FILE);
    if path.is_file() {
        let _ = SAVED.set(path);
    }
}

fn open() -> io::Result<Box<dyn Read>> {
    match SAVED.get() {
        Some(path) => Ok(Box::new(fs::File::open(path)?)),
        None => Ok(Box::new(io::stdin().lock())),
    }
}

/// Whether an argument is standard input.
pub(super) fn is_it(path: &Path) -> bool {
    path == Path::new("-")
}

/// Refuses arguments that read standard input more than once.
pub(super) fn ensure_once<'a>(paths: impl IntoIterator<Item = &'a Path>) -> anyhow::Result<()> {
    let count = paths.into_iter().filter(|path| is_it(path)).count();
    ensure!(count < 2, "Standard input (-) is named {count} times, but it can be read only once");
    Ok(())
}

pub(super) fn inputs(limits: &Limits) -> anyhow::Result<Vec<Input>> {
    let mut copy = lock(&COPY);
    if copy.is_none() {
        ensure_no_terminal("an archive")?;
        let copied = open().and_then(|input| Bytes::copy(input, limits.temporary_bytes));
        let (bytes, failed) = copied.context("Standard input cannot be read")?;
        if let Some(error) = failed {
            bail!("Standard input cannot be read: {error}");
        }
        *copy = Some(bytes);
    }
    Ok(copy.iter().flat_map(|bytes| source::of_copy(NAME.into(), bytes, limits)).collect())
}

fn ensure_no_terminal(what: &str) -> anyhow::Result<()> {
    ensure!(
        SAVED.get().is_some() || !io::stdin().is_terminal(),
        "- is standard input, which is a terminal here. Pipe {what} into the command, or name a file"
    );
    Ok(())
}

/// Reads a list of paths, one in each line, or before each NUL.
pub(super) fn listed(list: &Path, null: bool) -> anyhow::Result<Vec<PathBuf>> {
    let bytes = if is_it(list) {
        ensure_no_terminal("a list of paths")?;
        open().and_then(|input| named_file::read_at_most(input, named_file::LIST))
    } else {
        named_file::read(list, named_file::LIST)
    };
    let bytes = bytes.with_context(|| format!("The list {} cannot be read", list.display()))?;
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    ensure!(
        !bytes.starts_with(&[0xff, 0xfe]) && !bytes.starts_with(&[0xfe, 0xff]),
        "The list {} is in UTF-16. Write it in UTF-8",
        list.display()
    );
    let end = if null { 0 } else { b'\n' };
    let line = |line: &[u8]| match null {
        true => path(line),
        false => path(line.strip_suffix(b"\r").unwrap_or(line)),
    };
    let paths: Vec<PathBuf> = bytes.split(|&byte| byte == end).map(line).collect::<anyhow::Result<_>>()?;
    let paths: Vec<PathBuf> = paths.into_iter().filter(|path| !path.as_os_str().is_empty()).collect();
    ensure!(!paths.is_empty(), "The list {} has no path", list.display());
    Ok(paths)
}

#[cfg(unix)]
fn path(bytes: &[u8]) -> anyhow::Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    ensure!(!bytes.contains(&0), "The list has a NUL. Add --null if its paths end with NUL");
    Ok(std::ffi::OsStr::from_bytes(bytes).into())
}

#[cfg(not(unix))]
fn path(bytes: &[u8]) -> anyhow::Result<PathBuf> {
    let text = std::str::from_utf8(bytes).context("The list is not in UTF-8")?;
    ensure!(!text.contains('\0'), "The list has a NUL. Add --null if its paths end with NUL");
    Ok(text.into())
}

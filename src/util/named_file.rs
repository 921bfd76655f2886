//! Files that people name: settings, lists, plans and earlier results.
//!
//! Such a file is read whole, so it has a limit. It may be a pipe, as `<(…)` of a shell is. Files that are read and
//! written again may not: a run would wait without end for a pipe that nobody writes to.

use super::number_text::thousands;
use std::{
    fs::{self, File, Metadata},
    io::{self, Read},
    path::Path,
};

/// Most bytes of settings, profiles, waivers, templates, certificates, passwords and lists of archives.
pub const SETTINGS: u64 = 16 << 20;

/// Most bytes of a list of users or paths, or of a table of measurements.
pub const LIST: u64 = 256 << 20;

/// Most bytes of a plan, or of the summary of an earlier report.
pub const PLAN: u64 = 1 << 30;

/// Reads a file or a pipe of at most `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let meta = fs::metadata(path)?;
    if !is_pipe(&meta) {
        // A device has no end, or is a terminal or empty.
        let most = if ensure_regular(&meta).is_ok() { most } else { most.min(SETTINGS) };
        return read_at_most(File::open(path)?, most);
    }
    let bytes = read_at_most(open_pipe(path)?, most)?;
    match bytes.is_empty() {
        true => Err(io::Error::other("it is a pipe into which nobody writes")),
        false => Ok(bytes),
    }
}

/// Like [`read`], for text in UTF-8.
///
/// # Errors
/// As for [`read`], or the text is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    text_of(read(path, most)?)
}

/// Reads a file that is no pipe and no device.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_at_most(open_regular(path)?, most)
}

/// Like [`read_regular`], for text in UTF-8.
///
/// # Errors
/// As for [`read_regular`], or the text is not UTF-8.
pub fn read_regular_text(path: &Path, most: u64) -> io::Result<String> {
    text_of(read_regular(path, most)?)
}

/// Opens a file that is no pipe and no device. Opening or reading these may never end.
pub fn open_regular(path: &Path) -> io::Result<File> {
    ensure_regular(&fs::metadata(path)?)?;
    File::open(path)
}

/// Refuses pipes and devices. Folders pass: the system has an error of its own for them.
pub fn ensure_regular(meta: &Metadata) -> io::Result<()> {
    match meta.is_file() || meta.is_dir() {
        true => Ok(()),
        false => Err(io::Error::other(format!("it is {}, and no file", special(meta)))),
    }
}

/// Reads to the end, which must come after at most `most` bytes.
pub fn read_at_most(reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let words = format!("it has more than {} bytes, the limit of such a file", thousands(most));
        return Err(io::Error::other(words));
    }
    Ok(bytes)
}

/// Describes an entry that is neither a file nor a folder.
#[cfg(unix)]
pub fn special(meta: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = meta.file_type();
    match () {
        () if kind.is_fifo() => "a named pipe",
        () if kind.is_socket() => "a socket",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => "not a regular file",
    }
}

/// Describes an entry that is neither a file nor a folder.
#[cfg(not(unix))]
pub fn special(_: &Metadata) -> &'static str {
    "not a regular file"
}

fn text_of(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8"))
}

#[cfg(unix)]
fn is_pipe(meta: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&meta.file_type())
}

#[cfg(not(unix))]
fn is_pipe(_: &Metadata) -> bool {
    false
}

/// Opens a pipe without waiting for somebody who writes. Reading waits for those who already have it open.
#[cfg(unix)]
fn open_pipe(path: &Path) -> io::Result<File> {
    use rustix::fs::{OFlags, fcntl_setfl};
    use std::os::unix::fs::OpenOptionsExt;
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    fcntl_setfl(&file, OFlags::empty())?;
    Ok(file)
}

#[cfg(not(unix))]
fn open_pipe(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_a_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        fs::write(&path, "0123456789").unwrap();
        assert_eq!(read(&path, 10).unwrap(), b"0123456789");
        let error = read(&path, 9).unwrap_err().to_string();
        assert_eq!(error, "it has more than 9 bytes, the limit of such a file");
        fs::write(&path, b"\xff").unwrap();
        assert_eq!(read_text(&path, 9).unwrap_err().to_string(), "it is not UTF-8");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_end_or_are_refused() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert_eq!(read(&path, 9).unwrap_err().to_string(), "it is a pipe into which nobody writes");
        for refused in [open_regular(&path).map(drop), read_regular(&path, 9).map(drop)] {
            assert_eq!(refused.unwrap_err().to_string(), "it is a named pipe, and no file");
        }
        let error = open_regular(Path::new("/dev/zero")).unwrap_err().to_string();
        assert_eq!(error, "it is a device, and no file");
        assert!(read(Path::new("/dev/zero"), 9).unwrap_err().to_string().contains("more than 9 bytes"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_pipe_of_a_shell_is_read() {
        use std::{io::Write, os::fd::AsRawFd};
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"a list").unwrap();
        drop(writer);
        let path = format!("/dev/fd/{}", reader.as_raw_fd());
        assert_eq!(read(Path::new(&path), 9).unwrap(), b"a list");
    }
}

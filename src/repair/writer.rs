//! Writes archives as OpenSimulator saves them: a tar in gzip.

use crate::{TarWriter, names::is_safe};
use flate2::{Compression, write::GzEncoder};
use std::{
    fs::{self, File},
    io::{self, BufWriter, Error, ErrorKind, Seek, Write},
    path::{Path, PathBuf},
};
use tempfile::{NamedTempFile, TempDir};

/// A new archive. It gets its name when it is complete, so that half an archive is never found.
pub struct ArchiveWriter {
    tar: TarWriter<GzEncoder<BufWriter<File>>>,
    file: NamedTempFile,
    path: PathBuf,
    overwrite: bool,
}

impl ArchiveWriter {
    /// Begins an archive that gets this path. With `overwrite`, it may replace a file.
    ///
    /// # Errors
    /// The folder of the path cannot be written.
    pub fn create(path: &Path, overwrite: bool) -> io::Result<Self> {
        let file = beside(path)?;
        let gzip = GzEncoder::new(BufWriter::new(file.reopen()?), Compression::default());
        Ok(Self { tar: TarWriter::new(gzip), file, path: path.to_owned(), overwrite })
    }

    /// Appends a member. One whose name ends with a slash is a folder.
    ///
    /// # Errors
    /// The disk has no room, or the name leads out of the archive.
    pub fn add(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        ensure_inside(name)?;
        self.tar.add(name, bytes)
    }

    /// Appends a member from a file with its content.
    ///
    /// # Errors
    /// The disk has no room, or the name leads out of the archive.
    pub fn add_file(&mut self, name: &str, content: &mut File) -> io::Result<()> {
        ensure_inside(name)?;
        content.rewind()?;
        let size = content.metadata()?.len();
        self.tar.add_from(name, size, content)
    }

    /// Completes the archive under its name. Returns its bytes on the disk.
    ///
    /// # Errors
    /// The disk has no room, or a file has the name and may not be replaced.
    pub fn finish(self) -> io::Result<u64> {
        let mut buffer = self.tar.finish()?.finish()?;
        buffer.flush()?;
        let file = buffer.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.sync_all()?;
        let bytes = file.metadata()?.len();
        drop(file);
        persist(self.file, &self.path, self.overwrite)?;
        Ok(bytes)
    }
}

/// Refuses a name that leads out of the archive.
fn ensure_inside(name: &str) -> io::Result<()> {
    let refused = || Error::new(ErrorKind::InvalidInput, format!("{name} leads out of the archive"));
    if is_safe(name) { Ok(()) } else { Err(refused()) }
}

/// Writes a file that gets its name when it is complete. With `overwrite`, it may replace one.
///
/// # Errors
/// The disk has no room, or a file has the name and may not be replaced.
pub fn write_file(path: &Path, bytes: &[u8], overwrite: bool) -> io::Result<()> {
    let mut file = beside(path)?;
    file.write_all(bytes)?;
    persist(file, path, overwrite)
}

/// Returns the folder of a path.
pub fn parent_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Begins a file in the folder of a path.
///
/// # Errors
/// The folder cannot be written.
pub fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hullmark-").suffix(".partial").tempfile_in(parent_of(path))
}

/// Begins a folder in the folder of a path. One that gets no name is removed.
///
/// # Errors
/// The folder of the path cannot be written.
pub fn folder_beside(path: &Path) -> io::Result<TempDir> {
    tempfile::Builder::new().prefix(".hullmark-").suffix(".partial").tempdir_in(parent_of(path))
}

/// Gives a temporary folder its name, and the rights of an ordinary one.
///
/// # Errors
/// Something has the name.
pub fn persist_folder(folder: TempDir, path: &Path) -> io::Result<()> {
    open_to_others(folder.path(), 0o755)?;
    fs::rename(folder.path(), path)?;
    _ = folder.keep();
    Ok(())
}

/// Gives a temporary file its name, and the rights of an ordinary one.
///
/// # Errors
/// The disk has no room, or a file has the name and may not be replaced.
pub fn persist(file: NamedTempFile, path: &Path, overwrite: bool) -> io::Result<()> {
    open_to_others(file.path(), 0o644)?;
    match overwrite {
        true => file.persist(path)?,
        false => file.persist_noclobber(path)?,
    };
    Ok(())
}

/// Gives a temporary file or folder, which only its user may read, the rights of an ordinary one.
fn open_to_others(path: &Path, mode: u32) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    #[cfg(not(unix))]
    let _ = (path, mode);
    Ok(())
}

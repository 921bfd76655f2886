//! Files that are not on a disk, such as those that somebody drops on a page in a browser.
//!
//! They are sorted into inputs as files on a disk are. Each is read at any place, so none is in memory as a whole.

use super::FileSystem;
use std::{
    collections::BTreeMap,
    fmt,
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

/// A function that fills a buffer with the bytes at a place.
type ReadAt = dyn Fn(u64, &mut [u8]) -> io::Result<usize> + Send + Sync;

/// A file that is not on a disk. It is read at any place and any number of times.
#[derive(Clone)]
pub struct VirtualFile {
    path: PathBuf,
    bytes: u64,
    read_at: Arc<ReadAt>,
}

impl VirtualFile {
    /// A file of `bytes` bytes. Its path has slashes, as in `folder/region.oar`.
    ///
    /// `read_at` gets a place in the file and a buffer. It reads bytes into the buffer, as [`Read::read`] does.
    pub fn new(
        path: impl Into<PathBuf>,
        bytes: u64,
        read_at: impl Fn(u64, &mut [u8]) -> io::Result<usize> + Send + Sync + 'static,
    ) -> Self {
        Self { path: path.into(), bytes, read_at: Arc::new(read_at) }
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the numbers of those files of at least `least` bytes that are archives and inputs of their own. Each of
    /// these may be scanned alone.
    ///
    /// # Errors
    /// Returns a path that two files have.
    pub fn archives(files: &[Self], least: u64) -> Result<Vec<usize>, PathBuf> {
        let all = VirtualFiles::new(files.iter().cloned())?;
        let archives = super::walk::archives(&Arc::new(all), least);
        Ok((0..files.len()).filter(|&number| archives.contains(&files[number].path)).collect())
    }

    pub(super) fn length(&self) -> u64 {
        self.bytes
    }

    /// Opens the file at its first byte.
    pub(super) fn open(&self) -> VirtualReader {
        VirtualReader { file: self.clone(), position: 0 }
    }
}

impl fmt::Debug for VirtualFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} bytes)", self.path.display(), self.bytes)
    }
}

#[derive(Debug)]
pub struct VirtualFiles(BTreeMap<PathBuf, VirtualFile>);

impl VirtualFiles {
    /// Collects files.
    ///
    /// # Errors
    /// Returns a path that two files have.
    pub fn new(files: impl IntoIterator<Item = VirtualFile>) -> Result<Self, PathBuf> {
        let mut all = BTreeMap::new();
        for file in files {
            if let Some(twice) = all.insert(file.path.clone(), file) {
                return Err(twice.path);
            }
        }
        Ok(Self(all))
    }

    /// Returns the files in the order of their paths.
    pub(super) fn all(&self) -> impl Iterator<Item = &VirtualFile> {
        self.0.values()
    }

    /// Returns the file with this path. `None` if there is no such file.
    pub(super) fn get(&self, path: &Path) -> Option<&VirtualFile> {
        self.0.get(path)
    }

    /// Opens a file.
    ///
    /// # Errors
    /// There is no such file.
    pub(super) fn open(&self, path: &Path) -> io::Result<VirtualReader> {
        Ok(self.get(path).ok_or(io::ErrorKind::NotFound)?.open())
    }

    /// The file system that has these files.
    pub(super) fn system(self: &Arc<Self>) -> FileSystem {
        FileSystem::Virtual(Arc::clone(self))
    }
}

#[derive(Debug)]
pub(crate) struct VirtualReader {
    file: VirtualFile,
    position: u64,
}

impl Read for VirtualReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.file.bytes.saturating_sub(self.position)).unwrap_or(usize::MAX);
        let wanted = left.min(buffer.len());
        if wanted == 0 {
            return Ok(0);
        }
        let read = (self.file.read_at)(self.position, &mut buffer[..wanted])?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for VirtualReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.file.bytes.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

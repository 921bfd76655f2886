//! Where files are: on the disk, or only in the program that called the library.

use super::virtual_files::{VirtualFiles, VirtualReader};
use hullmark_storage as storage;
use hullmark_util::named_file::open_regular;
use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

#[derive(Debug, Clone, Default)]
pub(super) enum FileSystem {
    /// On the disk, or in an object store.
    #[default]
    Disk,
    /// Files that are not on a disk. They never change.
    Virtual(Arc<VirtualFiles>),
}

impl FileSystem {
    pub(super) fn open(&self, path: &Path) -> io::Result<OpenFile> {
        match self {
            Self::Disk => open_regular(path).map(OpenFile::Disk),
            Self::Virtual(files) => files.open(path).map(OpenFile::Virtual),
        }
    }

    pub(super) fn start(&self, path: &Path, bytes: usize) -> io::Result<Vec<u8>> {
        let Self::Virtual(files) = self else { return storage::start(path, bytes) };
        let mut start = Vec::new();
        files.open(path)?.take(bytes as u64).read_to_end(&mut start)?;
        Ok(start)
    }

    /// Returns the number of bytes of a file. `None` if there is no such file. Opening a pipe could block forever.
    pub(super) fn length(&self, path: &Path) -> Option<u64> {
        match self {
            Self::Disk => fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|meta| meta.len()),
            Self::Virtual(files) => files.get(path).map(super::VirtualFile::length),
        }
    }

    /// Returns the other files in the folder of a file.
    pub(super) fn beside(&self, path: &Path) -> Vec<PathBuf> {
        let is_other = |file: &PathBuf| file.file_name() != path.file_name();
        if let Self::Virtual(files) = self {
            let all = files.all().map(|file| file.path().to_owned());
            return all.filter(|file| file.parent() == path.parent() && is_other(file)).collect();
        }
        let folder = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let files = entries.map(|entry| match path.parent() {
            Some(parent) => parent.join(entry.file_name()),
            None => entry.file_name().into(),
        });
        files.filter(is_other).collect()
    }
}

#[derive(Debug)]
pub(super) enum OpenFile {
    Disk(File),
    Virtual(VirtualReader),
}

impl Read for OpenFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Disk(file) => file.read(buffer),
            Self::Virtual(file) => file.read(buffer),
        }
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Disk(file) => file.seek(to),
            Self::Virtual(file) => file.seek(to),
        }
    }
}

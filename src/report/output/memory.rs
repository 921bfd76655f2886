//! A report in memory.

use super::{OutputFile, Stream};
use hullmark_util::lock::lock;
use std::{
    collections::BTreeMap,
    io::Cursor,
    mem::take,
    path::PathBuf,
    sync::{Arc, Mutex},
};

/// Files in memory, by name. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl MemoryFiles {
    /// Takes the files of the last report.
    pub fn take(&self) -> BTreeMap<String, Vec<u8>> {
        take(&mut *lock(&self.0))
    }
}

/// Bytes between a sink and [`Memory::publish`].
pub(super) type InMemory = Arc<Mutex<Cursor<Vec<u8>>>>;

/// Files that are being written.
#[derive(Debug)]
pub(super) struct Memory {
    to: MemoryFiles,
    files: Vec<(String, InMemory)>,
}

impl Memory {
    pub(super) fn new(to: MemoryFiles) -> Self {
        Self { to, files: Vec::new() }
    }

    pub(super) fn create(&mut self, name: &str) -> OutputFile {
        let bytes = InMemory::default();
        self.files.push((name.into(), Arc::clone(&bytes)));
        OutputFile { stream: Stream::Memory(bytes), path: PathBuf::from(name) }
    }

    pub(super) fn publish(&mut self) {
        let written = |bytes: &InMemory| take(lock(bytes).get_mut());
        let files = self.files.drain(..).map(|(name, bytes)| (name, written(&bytes)));
        *lock(&self.to.0) = files.collect();
    }
}

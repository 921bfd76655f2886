//! The files of an archive or a dump, as their readers see them.

use super::not_read;
use hullmark_format::defect::Defect;
use hullmark_util::{
    deadline::Deadline,
    timings::{self, Stage},
};
use std::{
    cell::{Cell, RefCell},
    io::{self, Read},
    rc::Rc,
};
use thiserror::Error;
use xxhash_rust::xxh3::Xxh3;

/// What is known of all bytes that were read so far. The files of one input share it.
#[derive(Default)]
pub(super) struct ReadBytes {
    pub(super) hash: RefCell<Xxh3>,
    /// Bytes that were not reported to the visitor yet.
    pub(super) unreported: Cell<u64>,
}

/// A file or an object. Hashes its bytes, and distinguishes its own errors from those of the decoders.
pub(super) struct Disk {
    file: Box<dyn Read + Send>,
    deadline: Deadline,
    bytes: Rc<ReadBytes>,
    failed: Option<DiskFailed>,
}

impl Disk {
    pub(super) fn new(file: Box<dyn Read + Send>, deadline: Deadline, bytes: Rc<ReadBytes>) -> Self {
        Self { file, deadline, bytes, failed: None }
    }

    /// Returns the error of the disk, if it had one.
    pub(super) fn finish(self) -> io::Result<()> {
        self.failed.map_or(Ok(()), |failed| Err(io::Error::other(failed)))
    }

    /// Wraps the error for the decoders. They pass it on, and `defect_of` recognizes it.
    fn fail(&mut self, error: &io::Error) -> io::Error {
        let failed = self.failed.get_or_insert_with(|| DiskFailed(Box::new(not_read(error))));
        io::Error::other(failed.clone())
    }
}

impl Read for Disk {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Err(error) = self.deadline.check() {
            return Err(self.fail(&error));
        }
        match timings::within(Stage::Read, || self.file.read(buffer)) {
            Ok(read) => {
                timings::pass(Stage::Read, read);
                timings::within(Stage::Read, || self.bytes.hash.borrow_mut().update(&buffer[..read]));
                self.bytes.unreported.update(|bytes| bytes + read as u64);
                Ok(read)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => Err(self.fail(&error)),
        }
    }
}

/// The disk failed, or the deadline passed. This is no error in the bytes.
#[derive(Debug, Clone, Error)]
#[error("the disk failed")]
struct DiskFailed(Box<Defect>);

/// Returns the defect of the disk. `None` if the error is one in the bytes.
pub(super) fn defect_of(error: &io::Error) -> Option<&Defect> {
    error.get_ref()?.downcast_ref().map(|DiskFailed(defect)| &**defect)
}

//! Writes tars as OpenSimulator does: headers of v7, and GNU records for long names.

use std::io::{self, Read, Write};
use tar::{Builder, EntryType, Header};

/// Name of the record with a long name. The name comes without a zero byte, which OpenSim would keep.
const LONG_NAME: &str = "././@LongLink";

/// Bytes of a name in a header.
const NAMED: usize = 100;

/// A tar. Equal members give equal bytes: no time and no user is in it.
///
/// Source: OpenSim, `TarArchiveWriter.WriteEntry`.
pub struct TarWriter<W: Write>(Builder<W>);

impl<W: Write> TarWriter<W> {
    /// Begins a tar.
    pub fn new(out: W) -> Self {
        Self(Builder::new(out))
    }

    /// Appends a member. One whose name ends with a slash is a folder.
    ///
    /// # Errors
    /// There is no room.
    pub fn add(&mut self, name: &str, content: &[u8]) -> io::Result<()> {
        self.add_from(name, content.len() as u64, content)
    }

    /// Appends a member whose content has this size, in bytes.
    ///
    /// # Errors
    /// There is no room.
    pub fn add_from(&mut self, name: &str, size: u64, content: impl Read) -> io::Result<()> {
        if name.len() > NAMED {
            let record = header(LONG_NAME, EntryType::GNULongName, name.len() as u64);
            self.0.append(&record, name.as_bytes())?;
        }
        let kind = if name.ends_with('/') { EntryType::Directory } else { EntryType::Regular };
        self.0.append(&header(name, kind, size), content)
    }

    /// Completes the tar.
    ///
    /// # Errors
    /// There is no room.
    pub fn finish(self) -> io::Result<W> {
        self.0.into_inner()
    }
}

fn header(name: &str, kind: EntryType, size: u64) -> Header {
    let mut header = Header::new_old();
    let kept = &name.as_bytes()[..name.len().min(NAMED)];
    header.as_old_mut().name[..kept.len()].copy_from_slice(kept);
    header.set_entry_type(kind);
    header.set_mode(0o777);
    header.set_size(size);
    header.set_mtime(0);
    header.set_cksum();
    // Six digits, as v7 has them.
    let sum = header.cksum().unwrap_or_default();
    header.as_old_mut().cksum.copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

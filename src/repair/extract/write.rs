//! Writes copies: one reading of the export fills all of them.

use super::Extract;
use crate::{ArchiveWriter, CopyError, error::read_unchanged, first::first_member, names};
use hullmark_format::member::Kind;
use hullmark_source::{Input, Item, ReadRequest, Visitor, Wants};
use std::{cell::OnceCell, io, mem::take};

/// What a copy has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written {
    pub objects: u64,
    pub assets: u64,
    /// Bytes on the disk.
    pub bytes: u64,
    /// Members that were not copied: they are cut, longer than a limit, cannot be changed, or their path leads out of the
    /// archive.
    pub left_out: Vec<String>,
}

/// Writes the copies of extracts of one archive. `is_stopped` says whether a signal came.
///
/// # Errors
/// The archive changed since its ledger was made, or a copy cannot be written.
pub fn write(
    extracts: &[&Extract<'_>],
    archives: Vec<ArchiveWriter>,
    input: &Input,
    request: &ReadRequest<'_>,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Vec<Written>, CopyError> {
    let Some(first) = extracts.first() else { return Ok(Vec::new()) };
    // The control file comes first in a copy, and may be anywhere in the archive.
    let control = OnceCell::new();
    let read_control = || {
        let found = first_member(input, request, is_stopped, &|name| names::is_control(name, ""));
        found.map(|member| member.bytes)
    };
    let mut copies = Vec::with_capacity(extracts.len());
    for (extract, mut archive) in extracts.iter().zip(archives) {
        let control = extract.control(|| control.get_or_init(read_control).clone());
        if is_stopped() {
            return Err(CopyError::Stopped);
        }
        archive.add("archive.xml", &control?)?;
        copies.push(Copy { extract, archive, written: Written::default() });
    }
    let mut all = Copies { copies, failed: None, is_stopped };
    read_unchanged(first.ledger, input, request, is_stopped, &mut all, |all| {
        all.failed.take().map_or(Ok(()), Err)
    })?;
    let written = all.copies.into_iter().map(|copy| {
        let bytes = copy.archive.finish()?;
        Ok(Written { bytes, ..copy.written })
    });
    written.collect()
}

/// A copy that is being written.
struct Copy<'c, 'a> {
    extract: &'c Extract<'a>,
    archive: ArchiveWriter,
    written: Written,
}

impl Copy<'_, '_> {
    fn add(&mut self, name: &str, kind: Kind, bytes: &[u8], is_cut: bool) -> io::Result<()> {
        let extract = self.extract;
        // OpenSimulator compares paths exactly.
        let path = extract.path_of(name);
        let object = extract.by_entry.get(name).copied();
        let is_whole = !is_cut && names::is_safe(path);
        let Some(members) = is_whole.then(|| extract.form.of(path, kind, bytes, object)).flatten() else {
            self.written.left_out.push(name.to_owned());
            return Ok(());
        };
        self.written.objects += u64::from(kind == Kind::Object);
        self.written.assets += u64::from(kind.is_asset());
        members.iter().try_for_each(|(path, bytes)| self.archive.add(path, bytes))
    }
}

struct Copies<'c, 'a> {
    copies: Vec<Copy<'c, 'a>>,
    failed: Option<io::Error>,
    is_stopped: &'c dyn Fn() -> bool,
}

impl<'c, 'a> Copies<'c, 'a> {
    fn that_copy(&mut self, name: &str) -> impl Iterator<Item = &mut Copy<'c, 'a>> {
        self.copies.iter_mut().filter(move |copy| copy.extract.is_copied(name))
    }
}

impl Visitor for Copies<'_, '_> {
    fn wants(&mut self, name: &str, _kind: Kind, _bytes: u64) -> Wants {
        if self.that_copy(name).next().is_some() { Wants::Whole } else { Wants::Nothing }
    }

    fn enough(&self) -> bool {
        self.failed.is_some() || (self.is_stopped)()
    }

    fn item(&mut self, Item { name, kind, mut bytes, size, .. }: Item) {
        let bytes = take(&mut bytes);
        let is_cut = (bytes.len() as u64) < size;
        let added = self.that_copy(&name).try_for_each(|copy| copy.add(&name, kind, &bytes, is_cut));
        if let Err(error) = added {
            self.failed = Some(error);
        }
    }

    fn passed(&mut self, name: &str, _kind: Kind, _bytes: u64) {
        // A wanted member that is only passed is over a limit.
        self.that_copy(name).for_each(|copy| copy.written.left_out.push(name.to_owned()));
    }
}

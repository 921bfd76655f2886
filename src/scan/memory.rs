//! The ledgers of a run without a cache: in memory up to a limit, then in a folder.

use hullmark_ledger::{Ledger, LedgerError, LedgerHeader, Packed, in_memory::InMemory};
use hullmark_util::lock::{into_inner, lock};
use std::{
    mem::replace,
    path::{Path, PathBuf},
    sync::Mutex,
};

/// The ledgers of a run that are held in memory.
pub(super) struct MemoryStore<'a> {
    /// Bytes that may be held.
    room: usize,
    folder: &'a Path,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: Vec<(LedgerHeader, InMemory)>,
    bytes: usize,
    files: Vec<PathBuf>,
    /// The first ledger, while it is the only one.
    alone: Option<Box<(LedgerHeader, Ledger)>>,
    any: bool,
}

impl<'a> MemoryStore<'a> {
    /// Creates an empty store of `room` bytes. Ledgers beyond that are written to `folder`.
    pub(super) fn new(room: usize, folder: &'a Path) -> Self {
        Self { room, folder, state: Mutex::default() }
    }

    /// Holds a ledger. A single ledger is not packed, because it is already in memory.
    ///
    /// # Errors
    /// There is no room in memory, and the ledger cannot be written to the folder.
    pub(super) fn hold(&self, label: LedgerHeader, ledger: Ledger) -> Result<(), LedgerError> {
        let before = {
            let mut state = lock(&self.state);
            if !replace(&mut state.any, true) {
                state.alone = Some(Box::new((label, ledger)));
                return Ok(());
            }
            state.alone.take()
        };
        before.map_or(Ok(()), |before| self.pack(before.0, before.1))?;
        self.pack(label, ledger)
    }

    fn pack(&self, label: LedgerHeader, ledger: Ledger) -> Result<(), LedgerError> {
        let packed = ledger.pack();
        drop(ledger);
        let short = label.clone().in_short();
        let mut state = lock(&self.state);
        let bytes = state.bytes + weight(&short, &packed);
        if bytes <= self.room {
            state.bytes = bytes;
            state.held.push((short, InMemory::Packed(packed)));
            return Ok(());
        }
        drop(state);
        let (path, _) = packed.write(self.folder, label)?;
        lock(&self.state).files.push(path);
        Ok(())
    }

    /// Returns the held ledgers and the files of the others.
    pub(super) fn finish(self) -> (Vec<(LedgerHeader, InMemory)>, Vec<PathBuf>) {
        let State { held, files, alone, .. } = into_inner(self.state);
        let alone = alone.map(|alone| (alone.0, InMemory::Whole(Box::new(alone.1))));
        (held.into_iter().chain(alone).collect(), files)
    }
}

/// Bytes of a packed ledger and its header. The texts of the header take about as much as in JSON.
fn weight(label: &LedgerHeader, packed: &Packed) -> usize {
    let words = serde_json::to_vec(label).map_or(0, |line| line.len());
    size_of::<(LedgerHeader, InMemory)>() + words + packed.bytes().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_ledger::facts::Status;

    fn ledger(number: usize) -> Ledger {
        Ledger::empty(&format!("{number}.oar"), "oar", Status::Complete)
    }

    #[test]
    fn one_alone_is_held_regardless_of_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let store = MemoryStore::new(0, folder.path());
        store.hold(ledger(0).label(), ledger(0)).unwrap();
        let (held, files) = store.finish();
        assert!(matches!(&held[..], [(_, InMemory::Whole(whole))] if **whole == ledger(0)));
        assert!(files.is_empty());
    }

    #[test]
    fn held_data_fits_the_room_and_none_is_lost() {
        let one = |number| (ledger(number).label(), ledger(number));
        // The packed sizes differ by a few bytes.
        let size = |number| weight(&one(number).0.in_short(), &ledger(number).pack());
        let each = size(0);
        for room in [0, each - 1, each * 3 + 10, each * 20] {
            let folder = tempfile::tempdir().unwrap();
            let store = MemoryStore::new(room, folder.path());
            (0..10).for_each(|number| store.hold(one(number).0, one(number).1).unwrap());
            let (held, files) = store.finish();
            let mut read: Vec<Ledger> = files.iter().map(|path| Ledger::read(path).unwrap()).collect();
            for (label, held) in &held {
                let InMemory::Packed(packed) = held else { panic!("one of several is not packed") };
                read.push(packed.unpack().unwrap());
                assert_eq!(label.input, read[read.len() - 1].input);
            }
            let mut left = room;
            let fits = |number: &usize| {
                let fits = size(*number) <= left;
                left -= if fits { size(*number) } else { 0 };
                fits
            };
            assert_eq!(held.len(), (0..10).filter(fits).count(), "{room}");
            read.sort_by(|a, b| a.input.cmp(&b.input));
            assert_eq!(read, (0..10).map(ledger).collect::<Vec<_>>());
        }
    }
}

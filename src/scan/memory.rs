//! The ledgers of a run that keeps none: in memory as far as there is room, in a folder behind that.
//!
//! They lie in one buffer, each as it would be in its file, so that they take no more memory than they have bytes.

use crate::{
    ledger::{Ledger, LedgerError, LedgerHeader, Packed, in_memory::InMemory},
    util::lock::lock,
};
use std::{
    mem::take,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

/// What is held of a run's ledgers.
pub(super) struct MemoryStore<'a> {
    /// Bytes that may be held.
    room: usize,
    folder: &'a Path,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Labels and ledgers, and where each of them begins and the ledger ends.
    buffer: Vec<u8>,
    places: Vec<[usize; 3]>,
    files: Vec<PathBuf>,
    /// The first one, as long as there is no other.
    alone: Option<Box<(LedgerHeader, Ledger)>>,
    any: bool,
}

impl<'a> MemoryStore<'a> {
    /// None yet, with so many bytes of memory; the rest goes to this folder.
    pub(super) fn new(room: usize, folder: &'a Path) -> Self {
        Self { room, folder, state: Mutex::default() }
    }

    /// Holds a ledger. One that stays alone is not packed: it is in memory already, and would be again.
    ///
    /// # Errors
    /// It has no room in memory, and cannot be written to the folder.
    pub(super) fn hold(&self, label: LedgerHeader, ledger: Ledger) -> Result<(), LedgerError> {
        let before = {
            let mut state = self.state();
            if !state.any {
                state.any = true;
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
        if self.state().take(&label, &packed, self.room) {
            return Ok(());
        }
        let path = packed.write(self.folder, label)?;
        self.state().files.push(path);
        Ok(())
    }

    /// What is held, and the files of the rest.
    pub(super) fn finish(self) -> (Vec<(LedgerHeader, InMemory)>, Vec<PathBuf>) {
        let mut state = self.state();
        let alone = state.alone.take().map(|alone| (alone.0, InMemory::Whole(Box::new(alone.1))));
        let buffer = Arc::new(take(&mut state.buffer));
        let held = state.places.iter().map(|&[label, ledger, end]| {
            let read = serde_json::from_slice(&buffer[label..ledger]);
            let label =
                read.unwrap_or_else(|error| unreachable!("a label is read as it was written: {error}"));
            (label, InMemory::Packed(Packed::within(&buffer, ledger..end)))
        });
        (held.chain(alone).collect(), take(&mut state.files))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    /// Takes a ledger into the buffer, where there is room for it.
    fn take(&mut self, label: &LedgerHeader, packed: &Packed, room: usize) -> bool {
        let Ok(line) = serde_json::to_vec(&label.clone().in_short()) else { return false };
        let begin = self.buffer.len();
        let places = (self.places.len() + 1) * size_of::<[usize; 3]>();
        if begin + line.len() + packed.bytes().len() + places > room {
            return false;
        }
        // All at once: the system gives memory as it is written, and no second buffer is filled from a first.
        if self.buffer.try_reserve_exact(room - begin).is_err() {
            return false;
        }
        self.buffer.extend(&line);
        self.places.push([begin, self.buffer.len(), self.buffer.len() + packed.bytes().len()]);
        self.buffer.extend(packed.bytes());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::facts::Status;

    fn ledger(number: usize) -> Ledger {
        Ledger::empty(&format!("{number}.oar"), "oar", Status::Complete)
    }

    #[test]
    fn one_by_itself_is_held_as_it_is_however_large() {
        let folder = tempfile::tempdir().unwrap();
        let store = MemoryStore::new(0, folder.path());
        store.hold(ledger(0).label(), ledger(0)).unwrap();
        let (held, files) = store.finish();
        assert!(matches!(&held[..], [(_, InMemory::Whole(whole))] if **whole == ledger(0)));
        assert!(files.is_empty());
    }

    #[test]
    fn what_is_held_takes_no_more_than_there_is_room_and_none_is_lost() {
        let one = |number| (ledger(number).label(), ledger(number));
        let line = |label: &LedgerHeader| serde_json::to_vec(label).unwrap().len() + size_of::<[usize; 3]>();
        // Packed they differ by some bytes.
        let size = |number| line(&one(number).0.in_short()) + ledger(number).pack().bytes().len();
        let each = size(0);
        for room in [0, each - 1, each * 3 + 10, each * 20] {
            let folder = tempfile::tempdir().unwrap();
            let store = MemoryStore::new(room, folder.path());
            (0..10).for_each(|number| store.hold(one(number).0, one(number).1).unwrap());
            let (held, files) = store.finish();
            let mut read: Vec<Ledger> = files.iter().map(|path| Ledger::read(path).unwrap()).collect();
            let mut taken = 0;
            for (label, held) in &held {
                let InMemory::Packed(packed) = held else { panic!("one of several is not packed") };
                taken += line(label) + packed.bytes().len();
                read.push(packed.unpack().unwrap());
                assert_eq!(label.input, read[read.len() - 1].input);
            }
            assert!(taken <= room, "{taken} of {room}");
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

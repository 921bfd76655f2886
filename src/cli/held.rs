//! The ledgers of a run that keeps none: in memory as far as there is room, in a folder behind that.

use crate::{
    ledger::{Label, Ledger, LedgerError},
    report::Held,
};
use std::{
    mem::take,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What is held of a run's ledgers.
pub(super) struct Holding<'a> {
    folder: &'a Path,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Bytes that may still be held.
    room: usize,
    held: Vec<(Label, Held)>,
    files: Vec<PathBuf>,
    /// The first one, as long as there is no other.
    alone: Option<Box<(Label, Ledger)>>,
    any: bool,
}

impl<'a> Holding<'a> {
    /// None yet, with so many bytes of memory; the rest goes to this folder.
    pub(super) fn new(room: usize, folder: &'a Path) -> Self {
        Self { folder, state: Mutex::new(State { room, ..State::default() }) }
    }

    /// Holds a ledger. One that stays alone is not packed: it is in memory already, and would be again.
    ///
    /// # Errors
    /// It has no room in memory, and cannot be written to the folder.
    pub(super) fn hold(&self, label: Label, ledger: Ledger) -> Result<(), LedgerError> {
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

    fn pack(&self, label: Label, ledger: Ledger) -> Result<(), LedgerError> {
        let packed = ledger.pack();
        drop(ledger);
        let short = label.clone().in_short();
        let bytes = short.bytes() + packed.bytes();
        let mut state = self.state();
        if bytes <= state.room {
            state.room -= bytes;
            state.held.push((short, Held::Packed(packed)));
            return Ok(());
        }
        drop(state);
        let path = packed.write(self.folder, label)?;
        self.state().files.push(path);
        Ok(())
    }

    /// What is held, and the files of the rest.
    pub(super) fn finish(self) -> (Vec<(Label, Held)>, Vec<PathBuf>) {
        let mut state = self.state();
        let alone = state.alone.take().map(|alone| (alone.0, Held::Whole(Box::new(alone.1))));
        let mut held = take(&mut state.held);
        held.extend(alone);
        (held, take(&mut state.files))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Status;

    fn ledger(number: usize) -> Ledger {
        Ledger::empty(&format!("{number}.oar"), "oar", Status::Complete)
    }

    #[test]
    fn one_by_itself_is_held_as_it_is_however_large() {
        let folder = tempfile::tempdir().unwrap();
        let holding = Holding::new(0, folder.path());
        holding.hold(ledger(0).label(), ledger(0)).unwrap();
        let (held, files) = holding.finish();
        assert!(matches!(&held[..], [(_, Held::Whole(whole))] if **whole == ledger(0)));
        assert!(files.is_empty());
    }

    #[test]
    fn what_is_held_takes_no_more_than_there_is_room_and_none_is_lost() {
        let one = |number| (ledger(number).label(), ledger(number));
        let each = one(0).0.in_short().bytes() + ledger(0).pack().bytes();
        for room in [0, each - 1, each * 3 + 1, each * 20] {
            let folder = tempfile::tempdir().unwrap();
            let holding = Holding::new(room, folder.path());
            (0..10).for_each(|number| holding.hold(one(number).0, one(number).1).unwrap());
            let (held, files) = holding.finish();
            let mut read: Vec<Ledger> = files.iter().map(|path| Ledger::read(path).unwrap()).collect();
            let mut taken = 0;
            for (label, held) in &held {
                let Held::Packed(packed) = held else { panic!("one of several is not packed") };
                taken += label.bytes() + packed.bytes();
                read.push(packed.unpack().unwrap());
                assert_eq!(label.input, read[read.len() - 1].input);
            }
            assert!(taken <= room, "{taken} of {room}");
            assert_eq!(files.len(), 10 - 10.min(room / each), "{room}");
            read.sort_by(|a, b| a.input.cmp(&b.input));
            assert_eq!(read, (0..10).map(ledger).collect::<Vec<_>>());
        }
    }
}

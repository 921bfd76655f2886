//! Changes that wait on the disk, and come back in order. The order has texts, so the keys of `sorted_run` are too short.

use super::Change;
use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
    fs::File,
    io::{self, BufWriter, Read, Seek, SeekFrom, Write},
    mem::take,
    path::{Path, PathBuf},
};

/// Changes in memory, about half a kilobyte each.
const IN_MEMORY: usize = 1 << 16;

/// Bytes of a sorted run that are read together.
const TOGETHER: usize = 64 << 10;

/// Changes in the order of [`Change::order`].
pub(super) struct SortedChanges {
    /// Those in memory, in any order.
    rows: Vec<Change>,
    /// Most rows in memory.
    room: usize,
    folder: PathBuf,
    file: Option<BufWriter<File>>,
    /// The bytes of each sorted run in the file.
    runs: Vec<std::ops::Range<u64>>,
}

impl SortedChanges {
    /// Creates an empty list on the disk of this folder.
    pub(super) fn new(folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self { rows: Vec::new(), room: IN_MEMORY, folder, file: None, runs: Vec::new() }
    }

    pub(super) fn push(&mut self, row: Change) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() < self.room { Ok(()) } else { self.write_run() }
    }

    /// Writes the rows in memory as a sorted run.
    fn write_run(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(BufWriter::new(tempfile::tempfile_in(&self.folder)?)),
        };
        self.rows.sort_unstable_by(Change::order);
        let start = self.runs.last().map_or(0, |run| run.end);
        let mut end = start;
        let mut bytes = Vec::new();
        for row in self.rows.drain(..) {
            // JSON leaves out whether an object is rezzed.
            rmp_serde::encode::write(&mut bytes, &(&row, row.is_rezzed)).map_err(io::Error::other)?;
            file.write_all(&(bytes.len() as u32).to_le_bytes())?;
            file.write_all(&bytes)?;
            end += (size_of::<u32>() + bytes.len()) as u64;
            bytes.clear();
        }
        self.runs.push(start..end);
        Ok(())
    }

    /// Calls `then` with each change in order.
    pub(super) fn each(mut self, mut then: impl FnMut(Change) -> io::Result<()>) -> io::Result<()> {
        self.rows.sort_unstable_by(Change::order);
        let mut file = match self.file {
            Some(file) => file.into_inner().map_err(io::IntoInnerError::into_error)?,
            None => return self.rows.into_iter().try_for_each(then),
        };
        let mut runs: Vec<Run> = self.runs.into_iter().map(Run::new).collect();
        let mut rows = take(&mut self.rows).into_iter();
        let of_memory = runs.len();
        let mut next = BinaryHeap::new();
        next.extend(rows.next().map(|row| Reverse(Next { row, run: of_memory })));
        for (number, run) in runs.iter_mut().enumerate() {
            next.extend(run.next(&mut file)?.map(|row| Reverse(Next { row, run: number })));
        }
        while let Some(Reverse(Next { row, run })) = next.pop() {
            then(row)?;
            let following = match runs.get_mut(run) {
                Some(run) => run.next(&mut file)?,
                None => rows.next(),
            };
            next.extend(following.map(|row| Reverse(Next { row, run })));
        }
        Ok(())
    }
}

/// A sorted run. All runs share the file.
struct Run {
    /// What was not read.
    rest: std::ops::Range<u64>,
    bytes: Vec<u8>,
    /// Where the next row is in `bytes`.
    at: usize,
}

impl Run {
    fn new(rest: std::ops::Range<u64>) -> Self {
        Self { rest, bytes: Vec::new(), at: 0 }
    }

    fn next(&mut self, file: &mut File) -> io::Result<Option<Change>> {
        if self.at == self.bytes.len() && self.rest.is_empty() {
            return Ok(None);
        }
        let length = u32::from_le_bytes(self.take(4, file)?.try_into().map_err(io::Error::other)?);
        let row = self.take(length as usize, file)?;
        let (row, is_rezzed) = rmp_serde::from_slice(row).map_err(io::Error::other)?;
        Ok(Some(Change { is_rezzed, ..row }))
    }

    /// Returns the next bytes.
    fn take(&mut self, length: usize, file: &mut File) -> io::Result<&[u8]> {
        if self.bytes.len() - self.at < length {
            self.bytes.drain(..take(&mut self.at));
            let left = (self.rest.end - self.rest.start) as usize;
            let missing = length - self.bytes.len();
            let more = TOGETHER.max(missing).min(left);
            file.seek(SeekFrom::Start(self.rest.start))?;
            let start = self.bytes.len();
            self.bytes.resize(start + more, 0);
            file.read_exact(&mut self.bytes[start..])?;
            self.rest.start += more as u64;
        }
        let from = self.at;
        self.at += length;
        self.bytes.get(from..self.at).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// The next change of a run.
struct Next {
    row: Change,
    run: usize,
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> Ordering {
        self.row.order(&other.row).then(self.run.cmp(&other.run))
    }
}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Next {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{ChangeKind, LAND_IMPACT, What};
    use hullmark_finding::{Code, Severity};
    use proptest::prelude::*;
    use uuid::Uuid;

    fn change() -> impl Strategy<Value = Change> {
        let kind = (0..ChangeKind::ALL.len(), 0..What::ALL.len(), 0..3_usize, any::<bool>());
        let numbers = (0..4_u8, 0..4_u8, 0..3_u8, any::<bool>());
        (kind, numbers, "[a-b]{0,2}").prop_map(|((became, what, severity, has_code), numbers, name)| {
            let (before, after, measure, is_rezzed) = numbers;
            let number = |number: u8| (number > 0).then_some(f64::from(number) / 3.0);
            Change {
                severity: Severity::ALL.get(severity).copied(),
                code: has_code.then_some(Code::LNK001),
                measure: [None, Some(LAND_IMPACT), Some("count")][usize::from(measure)],
                before: number(before),
                after: number(after),
                object_uuid: (before > 1).then(|| Uuid::from_u128(u128::from(after))),
                message: name.repeat(usize::from(after)),
                name,
                is_rezzed,
                ..Change::anywhere(ChangeKind::ALL[became], What::ALL[what])
            }
        })
    }

    proptest! {
        #[test]
        fn changes_come_back_in_order_with_and_without_room(
            rows in prop::collection::vec(change(), 0..60),
            room in 1..20_usize,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let mut expected = rows.clone();
            expected.sort_by(Change::order);
            for room in [room, IN_MEMORY] {
                let mut sorted = SortedChanges { room, ..SortedChanges::new(folder.path()) };
                rows.iter().try_for_each(|row| sorted.push(row.clone())).unwrap();
                prop_assert_eq!(sorted.runs.len(), rows.len() / room);
                let mut seen = Vec::new();
                sorted.each(|row| { seen.push(row); Ok(()) }).unwrap();
                let order = |rows: &[Change]| rows.iter().map(|row| format!("{row:?}")).collect::<Vec<_>>();
                prop_assert!(seen.is_sorted_by(|one, other| one.order(other).is_le()));
                // Equal changes differ in nothing that a table shows.
                let (mut seen, mut expected) = (order(&seen), order(&expected));
                seen.sort();
                expected.sort();
                prop_assert_eq!(seen, expected);
            }
            prop_assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }
}

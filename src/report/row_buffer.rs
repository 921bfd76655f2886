//! Buffers for the rows of inputs that are evaluated in parallel.
//!
//! Rows take much of the time of a report, and files receive them in input order. The rows of an input are written to
//! memory and copied to the files in its turn. Text formats get text; the others get packed rows, which are replayed. An
//! input with more rows waits for its turn; then all threads share its objects. With a filter, rows go directly to the
//! files.

use super::{
    Summary,
    packed_rows::PackedRows,
    row_filter::FilteredSinks,
    table::{Cell, Rows, Sink},
    text_tables::Text,
};
use hullmark_ledger::facts::{MeshFacts, RegionFacts, TriangleMesh};
use hullmark_rules::waivers::Uses;
use hullmark_util::{
    ordered_parallel::{Taken, Turn},
    timings::{Stage, within},
};
use rayon::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet},
    io, mem,
    sync::Arc,
};

/// Buffer size for the rows of an input, bytes. This is about four thousand objects. With twice as much, new memory
/// costs more than two cores gain.
const ROOM: usize = 4 << 20;

/// Chunks of an input that each thread makes at a time, and the buffer size of a chunk, bytes.
const AHEAD: usize = 4;
const SHARE_ROOM: usize = ROOM / AHEAD;

/// The destination of all inputs, which write in turns.
pub(super) struct Shared<'s, 'w> {
    pub(super) sink: &'s mut FilteredSinks,
    pub(super) summary: &'s mut Summary,
    pub(super) uses: &'s mut Uses<'w>,
}

/// What other threads make of rows.
pub(super) struct Formats {
    /// The formats whose rows are text.
    pub(super) texts: Vec<Arc<dyn Text>>,
    /// The tables that other formats use.
    pub(super) packed: BTreeSet<&'static str>,
}

/// Rows for all formats. Facts between them stay in their ledger.
pub(super) struct Chunk<'t, 'f> {
    formats: &'t Formats,
    /// For each text format, the bytes of each table.
    pub(super) written: Vec<BTreeMap<&'static str, Vec<u8>>>,
    /// For the other formats, the rows that they use.
    pub(super) packed: PackedRows<'f>,
    /// Number of rows of each table.
    pub(super) rows: BTreeMap<&'static str, usize>,
}

impl<'t> Chunk<'t, '_> {
    fn new(formats: &'t Formats) -> Self {
        let written = vec![BTreeMap::new(); formats.texts.len()];
        Self { formats, written, packed: PackedRows::default(), rows: BTreeMap::new() }
    }

    fn bytes(&self) -> usize {
        let texts: usize = self.written.iter().flat_map(BTreeMap::values).map(Vec::len).sum();
        texts + self.packed.bytes()
    }
}

impl Rows for Chunk<'_, '_> {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        for (text, written) in self.formats.texts.iter().zip(&mut self.written) {
            text.row(table, row, written.entry(table).or_default())?;
        }
        if self.formats.packed.contains(table) {
            self.packed.row(table, row);
        }
        *self.rows.entry(table).or_default() += 1;
        Ok(())
    }
}

/// Rows of a chunk; `None` once they exceed the buffer.
struct BoundedChunk<'t>(Option<Chunk<'t, 't>>);

impl Rows for BoundedChunk<'_> {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        if let Some(chunk) = &mut self.0 {
            chunk.row(table, row)?;
            if chunk.bytes() > SHARE_ROOM {
                self.0 = None;
            }
        }
        Ok(())
    }
}

/// The destination of the rows of an input.
pub(super) struct RowBuffer<'a, 't, 's, 'w> {
    /// What other threads make of rows. `None` if rows go to the files one by one.
    formats: Option<&'a Formats>,
    state: BufferState<'a, 't, 's, 'w>,
}

enum BufferState<'a, 't, 's, 'w> {
    /// To memory, before the turn.
    Before(Chunk<'a, 'a>, &'a mut Turn<'t, Shared<'s, 'w>>),
    /// To the files, in the turn.
    During(Taken<'t, Shared<'s, 'w>>),
    /// Dropped, because another input failed.
    Ended,
}

impl<'a, 't, 's, 'w> RowBuffer<'a, 't, 's, 'w> {
    /// Creates a buffer for the input of this turn. Takes the turn at once without formats, or if the input is the
    /// only one.
    pub(super) fn new(
        formats: Option<&'a Formats>,
        alone: bool,
        turn: &'a mut Turn<'t, Shared<'s, 'w>>,
    ) -> Self {
        let state = match formats {
            Some(formats) if !alone => BufferState::Before(Chunk::new(formats), turn),
            _ => turn.take().map_or(BufferState::Ended, BufferState::During),
        };
        Self { formats, state }
    }

    /// Writes the rows of the chunks in order. In the turn, several chunks are made in parallel.
    pub(super) fn share_out<S: Sync>(
        &mut self,
        mut shares: &[S],
        write: impl Fn(&S, &mut dyn Rows) -> io::Result<()> + Sync,
    ) -> io::Result<()> {
        let threads = rayon::current_num_threads();
        let formats = self.formats.filter(|_| threads > 1);
        while let [first, rest @ ..] = shares {
            let (BufferState::During(shared), Some(formats)) = (&mut self.state, formats) else {
                write(first, self)?;
                shares = rest;
                continue;
            };
            let (some, rest) = shares.split_at(shares.len().min(AHEAD * threads));
            let make = |share: &S| {
                let mut rows = BoundedChunk(Some(Chunk::new(formats)));
                within(Stage::Write, || write(share, &mut rows)).map(|()| rows.0)
            };
            let made = || some.par_iter().map(make).collect::<io::Result<Vec<_>>>();
            for (share, chunk) in some.iter().zip(within(Stage::Waiting, made)?) {
                match chunk {
                    Some(chunk) => shared.sink.append(chunk)?,
                    None => write(share, &mut *shared.sink)?,
                }
            }
            shares = rest;
        }
        Ok(())
    }

    /// Takes the facts of the region whose row came last.
    pub(super) fn region(&mut self, facts: &'a RegionFacts) {
        match &mut self.state {
            BufferState::Before(chunk, _) => chunk.packed.region(facts),
            BufferState::During(shared) => shared.sink.region(facts),
            BufferState::Ended => {}
        }
    }

    /// Takes the facts of the mesh whose row came last, and its physics mesh.
    pub(super) fn mesh(&mut self, facts: &'a MeshFacts, physics: Option<&'a TriangleMesh>) {
        match &mut self.state {
            BufferState::Before(chunk, _) => chunk.packed.mesh(facts, physics),
            BufferState::During(shared) => shared.sink.mesh(facts, physics),
            BufferState::Ended => {}
        }
    }

    /// Writes all rows to the files and returns the turn; `None` if another input failed.
    pub(super) fn end(mut self) -> io::Result<Option<Taken<'t, Shared<'s, 'w>>>> {
        self.wait()?;
        Ok(if let BufferState::During(shared) = self.state { Some(shared) } else { None })
    }

    /// Waits for the turn, then copies the buffered rows.
    fn wait(&mut self) -> io::Result<()> {
        self.state = match mem::replace(&mut self.state, BufferState::Ended) {
            BufferState::Before(chunk, turn) => match turn.take() {
                Some(mut shared) => {
                    shared.sink.append(chunk)?;
                    BufferState::During(shared)
                }
                None => BufferState::Ended,
            },
            other => other,
        };
        Ok(())
    }
}

impl Rows for RowBuffer<'_, '_, '_, '_> {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        match &mut self.state {
            BufferState::Before(chunk, _) => {
                chunk.row(table, row)?;
                if chunk.bytes() > ROOM { self.wait() } else { Ok(()) }
            }
            BufferState::During(shared) => shared.sink.row(table, row),
            BufferState::Ended => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Manifest, RowFilter,
        json_lines::JsonLines,
        output::Output,
        table::Table,
        tables::{archives::Archives, checks::Checks, heads},
        text_tables::TextFiles,
    };
    use hullmark_rules::waivers::Waivers;
    use hullmark_settings::{config::Config, profile::Profile};
    use hullmark_util::{
        lock::lock,
        ordered_parallel::{InWork, in_turns},
    };
    use rayon::ThreadPoolBuilder;
    use std::{panic::catch_unwind, sync::Mutex};

    /// A format that takes rows one by one, and writes lines like the file of JSON Lines.
    struct OneByOne(JsonLines, Arc<Mutex<String>>);

    impl Rows for OneByOne {
        fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
            if table == Checks::NAME {
                let mut line = Vec::new();
                self.0.row(table, row, &mut line)?;
                *lock(&self.1) += &String::from_utf8(line).unwrap();
            }
            Ok(())
        }
    }

    impl Sink for OneByOne {
        fn uses(&self, table: &str) -> bool {
            table == Checks::NAME
        }

        fn finish(&mut self, _: &Summary) -> io::Result<()> {
            Ok(())
        }
    }

    /// Returns the file of a report on this number of inputs. `work` writes the rows of an input and returns their
    /// number.
    fn report(
        inputs: usize,
        threads: usize,
        apart: bool,
        work: impl Fn(usize, &mut RowBuffer<'_, '_, '_, '_>) -> io::Result<u64> + Sync,
    ) -> String {
        let folder = tempfile::tempdir().unwrap();
        let mut output = Output::new(folder.path()).unwrap();
        let files = TextFiles::open(&mut output, &heads(&[]), JsonLines::new(&heads(&[]))).unwrap();
        let lines = Arc::new(Mutex::new(String::new()));
        let other = Box::new(OneByOne(JsonLines::new(&heads(&[])), lines.clone()));
        let mut sink = FilteredSinks::new(RowFilter::default(), None, vec![Box::new(files), other]);
        let mut summary = Summary::new(Manifest::new(&Config::default(), &Profile::default(), None), 0);
        let waivers = Waivers::default();
        let formats = sink.formats().filter(|_| apart);
        let shared = Shared { sink: &mut sink, summary: &mut summary, uses: &mut Uses::new(&waivers) };
        let limits = InWork { threads, items: 3 * threads, bytes: 1 };
        let items = (0..inputs).map(|input| (input, 1)).collect();
        in_turns(items, limits, ((), shared), |input, mut first, mut turn| {
            drop(first.take());
            let mut page = RowBuffer::new(formats.as_ref(), inputs == 1, &mut turn);
            page.row(Archives::NAME, &[Cell::show(input)])?;
            let rows = work(input, &mut page)?;
            let shared = page.end()?.expect("none fails");
            assert_eq!(shared.sink.rows::<Checks>(), rows);
            Ok::<_, io::Error>(())
        })
        .unwrap();
        sink.finish(&summary).unwrap();
        output.publish().unwrap();
        let file = std::fs::read_to_string(folder.path().join("checks.jsonl")).unwrap();
        assert!(*lock(&lines) == file, "{threads}");
        file
    }

    /// Returns the file for inputs with these numbers of long rows, in chunks of `share` rows.
    fn written(inputs: &[usize], share: usize, threads: usize, apart: bool) -> String {
        report(inputs.len(), threads, apart, |input, page| {
            let rows = inputs[input];
            let shares: Vec<_> = (0..rows).step_by(share).map(|row| row..rows.min(row + share)).collect();
            page.share_out(&shares, |share, page| {
                share.clone().try_for_each(|row| {
                    let cells = [Cell::show(input), Cell::show(row), Cell::show("x".repeat(1000))];
                    page.row(Checks::NAME, &cells)
                })
            })?;
            Ok(rows as u64)
        })
    }

    /// Runs work on two rayon threads, for any number of cores.
    fn on_two<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        ThreadPoolBuilder::new().num_threads(2).build().unwrap().install(work)
    }

    #[test]
    fn rows_are_in_the_order_of_the_inputs_whether_they_have_room_or_not() {
        let inputs = [3, 2 * ROOM / 1000, 0, 5, 1, ROOM / 1000 + 100, 2];
        for inputs in [&inputs[..], &inputs[1..2]] {
            let expected = written(inputs, 1, 1, false);
            assert_eq!(expected.lines().count(), inputs.iter().sum::<usize>());
            for (share, threads) in [(7, 1), (7, 4), (2 * SHARE_ROOM / 1000, 1)] {
                let found = on_two(|| written(inputs, share, threads, true));
                assert!(found == expected, "{share} {threads}");
            }
        }
    }

    #[test]
    fn a_panic_in_a_share_ends_the_report() {
        let work = |_, page: &mut RowBuffer<'_, '_, '_, '_>| {
            page.share_out(&[0, 1, 2], |&share, _| if share == 1 { panic!("{share}") } else { Ok(()) })?;
            Ok(0)
        };
        let ended = catch_unwind(|| on_two(|| report(1, 1, true, work))).unwrap_err();
        assert_eq!(ended.downcast_ref::<String>().map(String::as_str), Some("1"));
    }
}

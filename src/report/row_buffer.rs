//! The rows of one input, made side by side with others.
//!
//! Rows take a good part of the time that a report takes, and go to the files in the order of the inputs. Where they are
//! nothing but text and none is left out, they are written into memory, beside those of other inputs, and copied in the
//! turn. What has no room there waits for the turn; then all threads share the rows of the input's objects. Rows of other
//! kinds go to the files as they come.

use super::{
    Summary,
    row_filter::FilteredSinks,
    table::{Cell, Rows},
    text_tables::Text,
};
use crate::{
    rules::waivers::Uses,
    util::{
        ordered_parallel::{Taken, Turn},
        timings::{Stage, within},
    },
};
use rayon::prelude::*;
use std::{collections::BTreeMap, io, mem, sync::Arc};

/// Room for the rows of an input, bytes: some four thousand objects. With twice as much, memory that is new to the process
/// costs more than two cores gain.
const ROOM: usize = 4 << 20;

/// Shares of an input's rows that are made at a time, for each thread; and the room of one, bytes.
const AHEAD: usize = 4;
const SHARE_ROOM: usize = ROOM / AHEAD;

/// What all inputs are written to, in turns.
pub(super) struct Shared<'s, 'w> {
    pub(super) sink: &'s mut FilteredSinks,
    pub(super) summary: &'s mut Summary,
    pub(super) uses: &'s mut Uses<'w>,
}

/// Rows as text.
pub(super) struct Leaf<'t> {
    texts: &'t [Arc<dyn Text>],
    /// For each of these, what was written of each table.
    pub(super) written: Vec<BTreeMap<&'static str, Vec<u8>>>,
    /// How many rows of each table there are.
    pub(super) rows: BTreeMap<&'static str, usize>,
}

impl<'t> Leaf<'t> {
    fn of(texts: &'t [Arc<dyn Text>]) -> Self {
        Self { texts, written: vec![BTreeMap::new(); texts.len()], rows: BTreeMap::new() }
    }

    fn bytes(&self) -> usize {
        self.written.iter().flat_map(BTreeMap::values).map(Vec::len).sum()
    }
}

impl Rows for Leaf<'_> {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        for (text, written) in self.texts.iter().zip(&mut self.written) {
            text.row(table, row, written.entry(table).or_default())?;
        }
        *self.rows.entry(table).or_default() += 1;
        Ok(())
    }
}

/// Rows of a share, as long as they have room.
struct Share<'t>(Option<Leaf<'t>>);

impl Rows for Share<'_> {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        if let Some(leaf) = &mut self.0 {
            leaf.row(table, row)?;
            if leaf.bytes() > SHARE_ROOM {
                self.0 = None;
            }
        }
        Ok(())
    }
}

/// Where the rows of an input go.
pub(super) struct Page<'a, 't, 's, 'w> {
    /// How rows are written, where they are nothing but text.
    texts: Option<&'a [Arc<dyn Text>]>,
    place: Place<'a, 't, 's, 'w>,
}

enum Place<'a, 't, 's, 'w> {
    /// Into memory: the turn has not come yet.
    Before(Leaf<'a>, &'a mut Turn<'t, Shared<'s, 'w>>),
    /// To the files.
    During(Taken<'t, Shared<'s, 'w>>),
    /// Nowhere: another input failed.
    Ended,
}

impl<'a, 't, 's, 'w> Page<'a, 't, 's, 'w> {
    /// Of an input that has this turn. It is taken at once where rows are not text, and where the input is alone.
    pub(super) fn of(
        texts: Option<&'a [Arc<dyn Text>]>,
        alone: bool,
        turn: &'a mut Turn<'t, Shared<'s, 'w>>,
    ) -> Self {
        let place = match texts {
            Some(texts) if !alone => Place::Before(Leaf::of(texts), turn),
            _ => turn.take().map_or(Place::Ended, Place::During),
        };
        Self { texts, place }
    }

    /// Writes the rows of shares of the input, in their order: in the turn several are made at once.
    pub(super) fn share_out<S: Sync>(
        &mut self,
        mut shares: &[S],
        write: impl Fn(&S, &mut dyn Rows) -> io::Result<()> + Sync,
    ) -> io::Result<()> {
        let threads = rayon::current_num_threads();
        let texts = self.texts.filter(|_| threads > 1);
        while let [first, rest @ ..] = shares {
            let (Place::During(shared), Some(texts)) = (&mut self.place, texts) else {
                write(first, self)?;
                shares = rest;
                continue;
            };
            let (some, rest) = shares.split_at(shares.len().min(AHEAD * threads));
            let make = |share: &S| {
                let mut rows = Share(Some(Leaf::of(texts)));
                within(Stage::Write, || write(share, &mut rows)).map(|()| rows.0)
            };
            let made = || some.par_iter().map(make).collect::<io::Result<Vec<_>>>();
            for (share, leaf) in some.iter().zip(within(Stage::Waiting, made)?) {
                match leaf {
                    Some(leaf) => shared.sink.append(leaf)?,
                    None => write(share, &mut *shared.sink)?,
                }
            }
            shares = rest;
        }
        Ok(())
    }

    /// What is shared, with all rows in the files; nothing where another input failed.
    pub(super) fn end(mut self) -> io::Result<Option<Taken<'t, Shared<'s, 'w>>>> {
        self.wait()?;
        Ok(if let Place::During(shared) = self.place { Some(shared) } else { None })
    }

    /// Waits for the turn, and copies what was written before it.
    fn wait(&mut self) -> io::Result<()> {
        self.place = match mem::replace(&mut self.place, Place::Ended) {
            Place::Before(leaf, turn) => match turn.take() {
                Some(mut shared) => {
                    shared.sink.append(leaf)?;
                    Place::During(shared)
                }
                None => Place::Ended,
            },
            other => other,
        };
        Ok(())
    }
}

impl Rows for Page<'_, '_, '_, '_> {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        match &mut self.place {
            Place::Before(leaf, _) => {
                leaf.row(table, row)?;
                if leaf.bytes() > ROOM { self.wait() } else { Ok(()) }
            }
            Place::During(shared) => shared.sink.row(table, row),
            Place::Ended => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        report::{
            Manifest, RowFilter,
            json_lines::JsonLines,
            output::Output,
            table::{Sink, Table},
            tables::{archives::Archives, checks::Checks, heads},
            text_tables::TextFiles,
        },
        rules::waivers::Waivers,
        settings::{config::Config, profile::Profile},
        util::ordered_parallel::in_turns,
    };
    use rayon::ThreadPoolBuilder;
    use std::panic::catch_unwind;

    /// The file of a report on so many inputs, whose rows are written by `work`, which says how many there were.
    fn report(
        inputs: usize,
        threads: usize,
        apart: bool,
        work: impl Fn(usize, &mut Page<'_, '_, '_, '_>) -> io::Result<u64> + Sync,
    ) -> String {
        let folder = tempfile::tempdir().unwrap();
        let mut output = Output::new(folder.path()).unwrap();
        let files = TextFiles::open(&mut output, &heads(&[]), JsonLines::of(&heads(&[]))).unwrap();
        let mut sink = FilteredSinks::new(RowFilter::default(), None, vec![Box::new(files)]);
        let mut summary = Summary::new(Manifest::new(&Config::default(), &Profile::default(), None), 0);
        let waivers = Waivers::default();
        let texts = sink.texts().filter(|_| apart);
        let shared = Shared { sink: &mut sink, summary: &mut summary, uses: &mut Uses::of(&waivers) };
        in_turns((0..inputs).collect(), threads, ((), shared), |input, mut first, mut turn| {
            drop(first.take());
            let mut page = Page::of(texts.as_deref(), inputs == 1, &mut turn);
            page.row(Archives::NAME, &[Cell::show(input)])?;
            let rows = work(input, &mut page)?;
            let shared = page.end()?.expect("none fails");
            assert_eq!(shared.sink.rows::<Checks>(), rows);
            Ok::<_, io::Error>(())
        })
        .unwrap();
        sink.finish(&summary).unwrap();
        output.publish().unwrap();
        std::fs::read_to_string(folder.path().join("checks.jsonl")).unwrap()
    }

    /// That of inputs with so many rows each, of which one cell is long, in shares of this many.
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

    /// On two threads of rayon, however many cores there are; on threads that work starts by itself there are others.
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
        let work = |_, page: &mut Page<'_, '_, '_, '_>| {
            page.share_out(&[0, 1, 2], |&share, _| if share == 1 { panic!("{share}") } else { Ok(()) })?;
            Ok(0)
        };
        let ended = catch_unwind(|| on_two(|| report(1, 1, true, work))).unwrap_err();
        assert_eq!(ended.downcast_ref::<String>().map(String::as_str), Some("1"));
    }
}

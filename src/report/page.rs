//! The rows of one input, made before its turn.
//!
//! Rows take a good part of the time that a report takes, and go to the files in the order of the inputs. Where they are
//! nothing but text and none is left out, they are written into memory, beside those of other inputs, and copied in the
//! turn. What has no room there waits for the turn and goes to the files as it comes, and so do rows of other kinds.

use super::{
    Summary,
    narrow::Narrowed,
    table::{Cell, Rows},
    text::Text,
    turns::{Taken, Turn},
};
use crate::waivers::Uses;
use std::{collections::BTreeMap, io, mem, sync::Arc};

/// Room for the rows of an input, bytes: some four thousand objects. With twice as much, memory that is new to the process
/// costs more than two cores gain.
const ROOM: usize = 4 << 20;

/// What all inputs are written to, in turns.
pub(super) struct Shared<'s, 'w> {
    pub(super) sink: &'s mut Narrowed,
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

impl Leaf<'_> {
    fn bytes(&self) -> usize {
        self.written.iter().flat_map(BTreeMap::values).map(Vec::len).sum()
    }
}

impl Rows for Leaf<'_> {
    fn row(&mut self, table: &'static str, cells: &mut dyn Iterator<Item = Cell<'_>>) -> io::Result<()> {
        let cells: Vec<Cell<'_>> = cells.collect();
        for (text, written) in self.texts.iter().zip(&mut self.written) {
            text.row(table, &cells, written.entry(table).or_default())?;
        }
        *self.rows.entry(table).or_default() += 1;
        Ok(())
    }
}

/// Where the rows of an input go.
pub(super) enum Page<'a, 't, 's, 'w> {
    /// Into memory: the turn has not come yet.
    Before(Leaf<'a>, &'a mut Turn<'t, Shared<'s, 'w>>),
    /// To the files.
    During(Taken<'t, Shared<'s, 'w>>),
    /// Nowhere: another input failed.
    Ended,
}

impl<'a, 't, 's, 'w> Page<'a, 't, 's, 'w> {
    /// Of an input that has this turn. Without texts it waits for it.
    pub(super) fn of(texts: Option<&'a [Arc<dyn Text>]>, turn: &'a mut Turn<'t, Shared<'s, 'w>>) -> Self {
        match texts {
            Some(texts) => {
                let written = vec![BTreeMap::new(); texts.len()];
                Self::Before(Leaf { texts, written, rows: BTreeMap::new() }, turn)
            }
            None => turn.take().map_or(Self::Ended, Self::During),
        }
    }

    /// What is shared, with all rows in the files; nothing where another input failed.
    pub(super) fn end(mut self) -> io::Result<Option<Taken<'t, Shared<'s, 'w>>>> {
        self.wait()?;
        Ok(if let Self::During(shared) = self { Some(shared) } else { None })
    }

    /// Waits for the turn, and copies what was written before it.
    fn wait(&mut self) -> io::Result<()> {
        *self = match mem::replace(self, Self::Ended) {
            Self::Before(leaf, turn) => match turn.take() {
                Some(mut shared) => {
                    shared.sink.append(leaf)?;
                    Self::During(shared)
                }
                None => Self::Ended,
            },
            other => other,
        };
        Ok(())
    }
}

impl Rows for Page<'_, '_, '_, '_> {
    fn row(&mut self, table: &'static str, cells: &mut dyn Iterator<Item = Cell<'_>>) -> io::Result<()> {
        match self {
            Self::Before(leaf, _) => {
                leaf.row(table, cells)?;
                if leaf.bytes() > ROOM { self.wait() } else { Ok(()) }
            }
            Self::During(shared) => shared.sink.row(table, cells),
            Self::Ended => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::Config,
        profile::Profile,
        report::{
            Manifest, Narrow,
            json_lines::JsonLines,
            output::Output,
            table::{Sink, Table},
            tables::{archives::Archives, checks::Checks, heads},
            text::TextFiles,
            turns::in_turns,
        },
        waivers::Waivers,
    };

    /// Files of inputs with so many rows each, of which one cell is long.
    fn written(inputs: &[usize], threads: usize, apart: bool) -> String {
        let folder = tempfile::tempdir().unwrap();
        let mut output = Output::new(folder.path()).unwrap();
        let files = TextFiles::open(&mut output, &heads(&[]), JsonLines::of(&heads(&[]))).unwrap();
        let mut sink = Narrowed::new(Narrow::default(), None, &heads(&[]), vec![Box::new(files)]);
        let mut summary = Summary::new(Manifest::new(&Config::default(), &Profile::default(), None), 0);
        let waivers = Waivers::default();
        let texts = sink.texts().filter(|_| apart);
        let shared = Shared { sink: &mut sink, summary: &mut summary, uses: &mut Uses::of(&waivers) };
        let inputs: Vec<(usize, usize)> = inputs.iter().copied().enumerate().collect();
        in_turns(inputs, threads, ((), shared), |(input, rows), mut first, mut turn| {
            drop(first.take());
            let mut page = Page::of(texts.as_deref(), &mut turn);
            page.row(Archives::NAME, &mut [Cell::show(input)].into_iter())?;
            for row in 0..rows {
                let cells = [Cell::show(input), Cell::show(row), Cell::show("x".repeat(1000))];
                page.row(Checks::NAME, &mut cells.into_iter())?;
            }
            let shared = page.end()?.expect("none fails");
            assert_eq!(shared.sink.rows::<Checks>(), rows as u64);
            Ok::<_, io::Error>(())
        })
        .unwrap();
        sink.finish(&summary).unwrap();
        output.publish().unwrap();
        std::fs::read_to_string(folder.path().join("checks.jsonl")).unwrap()
    }

    #[test]
    fn rows_are_in_the_order_of_the_inputs_whether_they_have_room_or_not() {
        let inputs = [3, 2 * ROOM / 1000, 0, 5, 1, ROOM / 1000 + 100, 2];
        let expected = written(&inputs, 1, false);
        assert_eq!(expected.lines().count(), inputs.iter().sum::<usize>());
        for threads in [1, 4] {
            assert!(written(&inputs, threads, true) == expected, "{threads}");
        }
    }
}

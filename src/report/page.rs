//! What a format implements, and the formats of a report together.
//!
//! A format gets evaluated inputs in pieces. Any thread makes the part of a piece; parts are appended in the order of
//! inputs and pieces. So a report does not depend on threads, and memory holds few parts.

use super::{Summary, reported::Piece, table::Cell};
use hullmark_util::{
    catch_panic::caught,
    ordered_parallel::{Taken, Turn},
    timings::{Stage, within},
};
use rayon::prelude::*;
use std::{any::Any, io};

/// Bytes of parts of an input that wait for its turn. This is about four thousand objects. With twice as much, new
/// memory costs more than two cores gain.
const ROOM: usize = 4 << 20;

/// Pieces that each thread makes at a time in the turn of an input.
const AHEAD: usize = 4;

/// What a format makes of a piece.
pub trait Part: Any + Send {
    /// Its size in memory, bytes.
    fn bytes(&self) -> usize;
}

impl Part for () {
    fn bytes(&self) -> usize {
        0
    }
}

impl Part for Vec<u8> {
    fn bytes(&self) -> usize {
        self.len()
    }
}

/// The files of a format.
pub trait Page: Send + 'static {
    /// What any thread makes of a piece.
    type Part: Part;
    /// Appends the part of a piece.
    fn append(&mut self, piece: &Piece<'_>, part: Self::Part) -> io::Result<()>;
    /// Writes the summary and all that waits. No part may follow.
    fn finish(&mut self, summary: &Summary) -> io::Result<()>;
    /// Whether it publishes its files as it finishes. Then it finishes only if all others did.
    fn publishes(&self) -> bool {
        false
    }
}

/// A [`Page`] whose parts have any type.
trait AnyPage: Send {
    fn append(&mut self, piece: &Piece<'_>, part: Box<dyn Part>) -> io::Result<()>;
    fn finish(&mut self, summary: &Summary) -> io::Result<()>;
    fn publishes(&self) -> bool;
}

impl<P: Page> AnyPage for P {
    fn append(&mut self, piece: &Piece<'_>, part: Box<dyn Part>) -> io::Result<()> {
        let part: Box<dyn Any> = part;
        // A writer has one type of parts, so no other comes here.
        let part = part.downcast().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        Page::append(self, piece, *part)
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        Page::finish(self, summary)
    }

    fn publishes(&self) -> bool {
        Page::publishes(self)
    }
}

/// Makes the parts of a format.
struct Maker {
    begin: Box<BeginPart>,
    /// Adds a row to a part. `None` for a format without rows.
    row: Option<Box<RowTaker>>,
}

type BeginPart = dyn Fn(&Piece<'_>) -> io::Result<Box<dyn Part>> + Send + Sync;

type RowTaker = dyn Fn(&mut dyn Part, &'static str, &[Cell<'_>]) -> io::Result<()> + Send + Sync;

/// A format with open files: what makes parts on any thread, and the page that takes them.
pub struct Writer {
    maker: Maker,
    page: Box<dyn AnyPage>,
}

impl Writer {
    /// Creates a format whose parts follow from their pieces.
    pub fn new<P: Page>(
        make: impl Fn(&Piece<'_>) -> io::Result<P::Part> + Send + Sync + 'static,
        page: P,
    ) -> Self {
        let begin = move |piece: &Piece<'_>| Ok(Box::new(make(piece)?) as Box<dyn Part>);
        Self { maker: Maker { begin: Box::new(begin), row: None }, page: Box::new(page) }
    }

    /// Creates a format whose parts take all rows of their pieces. The rows are made once for all formats.
    pub fn of_rows<P: Page>(
        begin: impl Fn(&Piece<'_>) -> P::Part + Send + Sync + 'static,
        row: impl Fn(&mut P::Part, &'static str, &[Cell<'_>]) -> io::Result<()> + Send + Sync + 'static,
        page: P,
    ) -> Self {
        let row = move |part: &mut dyn Part, table: &'static str, cells: &[Cell<'_>]| {
            let part: &mut dyn Any = part;
            // A writer has one type of parts, so no other comes here.
            let part = part.downcast_mut().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
            row(part, table, cells)
        };
        let Self { maker, page } = Self::new(move |piece| Ok(begin(piece)), page);
        Self { maker: Maker { row: Some(Box::new(row)), ..maker }, page }
    }
}

/// What makes the parts of all formats.
pub struct Makers(Vec<Maker>);

/// The pages of all formats.
pub struct Pages(Vec<Box<dyn AnyPage>>);

/// The parts of a piece, one for each format.
type Parts = Vec<Box<dyn Part>>;

/// Separates what any thread uses from what has turns.
pub fn apart(writers: Vec<Writer>) -> (Makers, Pages) {
    let (makers, pages) = writers.into_iter().map(|Writer { maker, page }| (maker, page)).unzip();
    (Makers(makers), Pages(pages))
}

impl Makers {
    /// Whether there is no format.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn parts(&self, piece: &Piece<'_>) -> io::Result<Parts> {
        within(Stage::Write, || {
            let begun = self.0.iter().map(|maker| (maker.begin)(piece));
            let mut parts = begun.collect::<io::Result<Parts>>()?;
            let mut takers: Vec<(&RowTaker, &mut dyn Part)> = self
                .0
                .iter()
                .zip(&mut parts)
                .filter_map(|(maker, part)| Some((maker.row.as_deref()?, &mut **part)))
                .collect();
            if !takers.is_empty() {
                piece.rows(&mut |table: &'static str, cells: &[Cell<'_>]| {
                    takers.iter_mut().try_for_each(|(row, part)| row(*part, table, cells))
                })?;
            }
            Ok(parts)
        })
    }

    /// Makes parts before the turn, as many as have room.
    fn before(&self, pieces: &[Piece<'_>]) -> io::Result<Vec<Parts>> {
        let (mut made, mut bytes) = (Vec::new(), 0);
        for piece in pieces {
            if bytes + piece.bytes() > ROOM {
                break;
            }
            let parts = self.parts(piece)?;
            bytes += parts.iter().map(|part| part.bytes()).sum::<usize>();
            made.push(parts);
        }
        Ok(made)
    }

    /// Writes pieces in their order. All threads make parts.
    pub fn write(&self, pieces: &[Piece<'_>], pages: &mut Pages) -> io::Result<()> {
        let mut rest = pieces;
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = |piece: &&Piece<'_>| {
                bytes += piece.bytes();
                bytes <= ROOM
            };
            // One piece of any size, or several that have room together.
            let most = AHEAD * rayon::current_num_threads();
            let (some, others) = rest.split_at(rest.iter().take(most).take_while(fits).count().max(1));
            rest = others;
            let make = || some.par_iter().map(|piece| self.parts(piece)).collect::<io::Result<Vec<_>>>();
            pages.append_all(some, within(Stage::Waiting, make)?)?;
        }
        Ok(())
    }

    /// Writes the pieces of an input in its turn, and returns the turn; `None` if another input failed. Parts are made
    /// before the turn, unless the input is the only one.
    pub fn write_in_turn<'t, S: Send>(
        &self,
        pieces: &[Piece<'_>],
        is_alone: bool,
        turn: &mut Turn<'t, S>,
        pages: impl Fn(&mut S) -> &mut Pages,
    ) -> io::Result<Option<Taken<'t, S>>> {
        let made = if is_alone { Vec::new() } else { self.before(pieces)? };
        let Some(mut shared) = turn.take() else { return Ok(None) };
        let (before, during) = pieces.split_at(made.len());
        pages(&mut shared).append_all(before, made)?;
        self.write(during, pages(&mut shared))?;
        Ok(Some(shared))
    }
}

impl Pages {
    fn append_all(&mut self, pieces: &[Piece<'_>], made: Vec<Parts>) -> io::Result<()> {
        within(Stage::Write, || {
            for (piece, parts) in pieces.iter().zip(made) {
                for (page, part) in self.0.iter_mut().zip(parts) {
                    page.append(piece, part)?;
                }
            }
            Ok(())
        })
    }

    /// Finishes all formats side by side, then those that publish. If several fail, the error of the first one is
    /// returned.
    pub fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        let finish = |page: &mut Box<dyn AnyPage>| {
            let finished = caught(|| within(Stage::Write, || page.finish(summary)));
            finished.unwrap_or_else(|words| Err(io::Error::other(format!("a format stopped: {words}"))))
        };
        let (last, mut formats): (Vec<_>, Vec<_>) = self.0.iter_mut().partition(|page| page.publishes());
        let side_by_side = || formats.par_iter_mut().map(|page| finish(page)).collect::<Vec<_>>();
        within(Stage::Waiting, side_by_side).into_iter().collect::<io::Result<()>>()?;
        last.into_iter().try_for_each(finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Manifest,
        diff::{Change, ChangeKind, What},
    };
    use hullmark_settings::{config::Config, profile::Profile};
    use hullmark_util::{
        lock::lock,
        ordered_parallel::{InWork, in_turns},
    };
    use rayon::ThreadPoolBuilder;
    use std::sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    };

    /// A page that ends like this, and counts if it ends well. One that publishes counts a hundred.
    struct Ends {
        how: Option<&'static str>,
        publishes: bool,
        well: Arc<AtomicUsize>,
    }

    impl Page for Ends {
        type Part = ();

        fn append(&mut self, _: &Piece<'_>, (): ()) -> io::Result<()> {
            Ok(())
        }

        fn finish(&mut self, _: &Summary) -> io::Result<()> {
            match self.how {
                Some("panic") => panic!("no sheet"),
                Some(words) => return Err(io::Error::other(words)),
                None => self.well.fetch_add(if self.publishes { 100 } else { 1 }, Relaxed),
            };
            Ok(())
        }

        fn publishes(&self) -> bool {
            self.publishes
        }
    }

    #[test]
    fn a_format_that_fails_is_reported_and_the_others_finish_but_nothing_is_published() {
        let summary = Summary::new(Manifest::new(&Config::default(), &Profile::default(), None), 0);
        for (ends, expected) in [
            ([None, None, None], None),
            ([None, Some("full"), Some("panic")], Some("full")),
            ([Some("panic"), None, Some("full")], Some("a format stopped: no sheet")),
        ] {
            let well = Arc::new(AtomicUsize::new(0));
            let writer =
                |how, publishes| Writer::new(|_| Ok(()), Ends { how, publishes, well: well.clone() });
            let first = [writer(None, true)].into_iter();
            let (_, mut pages) = apart(first.chain(ends.map(|how| writer(how, false))).collect());
            let error = pages.finish(&summary).err().map(|error| error.to_string());
            assert_eq!(error.as_deref(), expected);
            let count = ends.iter().filter(|end| end.is_none()).count();
            assert_eq!(well.load(Relaxed), if count == 3 { 103 } else { count });
        }
    }

    /// A page that lists the numbers of its pieces.
    struct Lists(Arc<Mutex<Vec<usize>>>);

    impl Page for Lists {
        type Part = Vec<u8>;

        fn append(&mut self, piece: &Piece<'_>, part: Vec<u8>) -> io::Result<()> {
            // The part was made of this piece.
            assert_eq!(part.last(), Some(&(number(piece) as u8)));
            lock(&self.0).push(number(piece));
            Ok(())
        }

        fn finish(&mut self, _: &Summary) -> io::Result<()> {
            Ok(())
        }
    }

    /// The number of a piece of these tests: so many changes.
    fn number(piece: &Piece<'_>) -> usize {
        let Piece::Changes(changes) = piece else { panic!("no other piece is written") };
        changes.len()
    }

    /// Returns the order in which pages get the pieces of inputs. A part has this number of bytes.
    fn order(inputs: &[usize], bytes: usize, threads: usize) -> Vec<usize> {
        let changes =
            vec![Change::anywhere(ChangeKind::Removed, What::Object); inputs.iter().sum::<usize>() + 1];
        let starts: Vec<usize> = inputs
            .iter()
            .scan(0, |end, pieces| {
                *end += pieces;
                Some(*end - pieces)
            })
            .collect();
        let listed = Arc::new(Mutex::new(Vec::new()));
        let make = move |piece: &Piece<'_>| {
            let mut part = vec![0; bytes];
            part.push(number(piece) as u8);
            Ok(part)
        };
        let (makers, mut pages) = apart(vec![Writer::new(make, Lists(listed.clone()))]);
        let limits = InWork { threads, items: 3 * threads, bytes: 1 };
        let items = (0..inputs.len()).map(|input| (input, 1)).collect();
        in_turns(items, limits, ((), &mut pages), |input, mut first, mut turn| {
            drop(first.take());
            let pieces: Vec<_> = (starts[input]..starts[input] + inputs[input])
                .map(|number| Piece::Changes(&changes[..number]))
                .collect();
            makers.write_in_turn(&pieces, inputs.len() == 1, &mut turn, |pages| *pages)?;
            Ok::<_, io::Error>(())
        })
        .unwrap();
        let listed = lock(&listed);
        listed.clone()
    }

    #[test]
    fn parts_are_in_the_order_of_inputs_and_pieces_whether_they_have_room_or_not() {
        for inputs in [&[3, 9, 0, 5, 1, 17, 2][..], &[30]] {
            let expected: Vec<usize> = (0..inputs.iter().sum()).collect();
            for (bytes, threads) in [(1, 1), (1, 4), (ROOM / 4, 1), (ROOM / 4, 4), (2 * ROOM, 4)] {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let listed = pool.install(|| order(inputs, bytes, threads));
                assert_eq!(listed, expected, "{bytes} bytes, {threads} threads");
            }
        }
    }
}

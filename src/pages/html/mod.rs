//! HTML: one self-contained page that needs no server and no network.
//!
//! The page has its tables as JSON, and a small script draws the visible rows. Each table is cut to its worst or heaviest
//! rows, to bound memory here and in the browser. Texts of an export become text only: escaped here, set by `textContent`
//! in the script.

mod arrived;
mod changes;
mod chart;
mod columns;
mod data;
mod first_screen;
mod histogram;
mod map;
mod page;
mod pictures;
mod rule_pages;
mod top_rows;
mod trend;

use columns::TABLES;
use histogram::Histogram;
use hullmark_finding::Code;
use hullmark_ledger::facts::RegionFacts;
use hullmark_report::{
    Summary,
    output::{Output, OutputError, OutputFile},
    packed_rows::PackedRows,
    page::{Page, Writer},
    reported::Piece,
    table::{self, Cell, Head},
};
use hullmark_report::{
    table::Table,
    tables::{meshes::Meshes, objects::Objects, regions::Regions},
};
use map::{Boxes, Land, MAPS};
use pictures::Pictures;
use rule_pages::Rules;
use std::{
    collections::BTreeMap,
    io::{self, BufWriter, Write},
};
use top_rows::{Kept, Place, ROWS, TopRow};

/// Writes the page.
struct Html {
    file: BufWriter<OutputFile>,
    kept: BTreeMap<&'static str, Kept>,
    histogram: Histogram,
    /// The grounds of the regions that have maps, by the places of their rows.
    lands: BTreeMap<Place, Land>,
    boxes: Boxes,
    pictures: Pictures,
}

/// Opens the file.
pub fn open(output: &mut Output, tables: &[Head]) -> Result<Writer, OutputError> {
    let file = output.open_whole("html")?;
    let rules = table::head::<Rules>(&[]);
    let kept = TABLES.iter().filter_map(|shown| {
        let head = tables.iter().chain([&rules]).find(|head| head.name == shown.table)?;
        Some((shown.table, Kept::new(shown, head.clone(), ROWS)))
    });
    let page = Html {
        file,
        kept: kept.collect(),
        histogram: Histogram::default(),
        lands: BTreeMap::new(),
        boxes: Boxes::default(),
        pictures: Pictures::default(),
    };
    // With the weights that decide which rows the page shows.
    let row = |rows: &mut PackedRows<TopRow>, table, cells: &[Cell<'_>]| {
        if let Some(shown) = TABLES.iter().find(|shown| shown.table == table) {
            top_rows::pack(shown, cells, rows);
        }
        Ok(())
    };
    Ok(Writer::of_rows(|_| PackedRows::default(), row, page))
}

impl Page for Html {
    type Part = PackedRows<TopRow>;

    fn append(&mut self, piece: &Piece<'_>, rows: PackedRows<TopRow>) -> io::Result<()> {
        // Typed, and in the order of their rows.
        let (mut regions, mut objects, mut meshes) = match piece {
            Piece::Head(input) => {
                self.pictures.next_input();
                (Some(input.regions()), None, None)
            }
            Piece::Objects(input, numbers) => (None, Some(input.objects(numbers.clone())), None),
            Piece::Meshes(input, numbers) => (None, None, Some(input.meshes(numbers.clone()))),
            Piece::End(input) => {
                self.pictures.draw(input);
                (None, None, None)
            }
            Piece::Parts(..)
            | Piece::Assets(..)
            | Piece::Findings(..)
            | Piece::Run(_)
            | Piece::Changes(_) => (None, None, None),
        };
        rows.into_rows(|table, cells, top| {
            let Some(kept) = self.kept.get_mut(table) else { return Ok(()) };
            let place = kept.place(top);
            match table {
                Regions::NAME => {
                    if let Some((_, facts, _)) = regions.as_mut().and_then(Iterator::next) {
                        draw_land(&mut self.lands, &place, facts);
                    }
                }
                Objects::NAME => {
                    if let Some(row) = objects.as_mut().and_then(Iterator::next) {
                        self.histogram.count(&row);
                        self.pictures.object(&place, &row);
                        self.boxes.object(&place, &row);
                    }
                }
                Meshes::NAME => {
                    if let Some(row) = meshes.as_mut().and_then(Iterator::next) {
                        self.pictures.mesh(&place, &row);
                    }
                }
                _ => {}
            }
            kept.take(place, cells);
            Ok(())
        })
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        // A page of changes alone has no rule outcomes.
        let has_outcomes = self.kept.contains_key("findings");
        if let Some(rules) = self.kept.get_mut("rules").filter(|_| has_outcomes) {
            add_rules(rules, summary)?;
        } else {
            self.kept.remove("rules");
        }
        page::write(
            &mut self.file,
            summary,
            &self.kept,
            &self.histogram,
            (&self.lands, &self.boxes),
            &self.pictures,
        )?;
        self.file.flush()
    }
}

/// Adds the outcome of each rule.
fn add_rules(kept: &mut Kept, summary: &Summary) -> io::Result<()> {
    let mut rows = PackedRows::default();
    for code in Code::all() {
        table::write::<Rules>(
            &mut |_: &'static str, cells: &[Cell<'_>]| {
                top_rows::pack(kept.shown, cells, &mut rows);
                Ok(())
            },
            &(summary, code),
        )?;
    }
    rows.into_rows(|_, cells, top| {
        kept.take(kept.place(top), cells);
        Ok(())
    })
}

/// Keeps the ground of a region, if its row is among the first.
fn draw_land(lands: &mut BTreeMap<Place, Land>, place: &Place, facts: &RegionFacts) {
    let is_last = lands.last_key_value().is_some_and(|(last, _)| place > last);
    if lands.len() == MAPS && is_last {
        return;
    }
    lands.insert(place.clone(), Land::new(facts));
    if lands.len() > MAPS {
        lands.pop_last();
    }
}

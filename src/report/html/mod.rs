//! HTML: one self-contained page that needs no server and no network.
//!
//! The page has its tables as JSON, and a small script draws the visible rows. Each table is cut to its worst or heaviest
//! rows, to bound memory here and in the browser. Texts of an export become text only: escaped here, set by `textContent`
//! in the script.

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

use super::{
    Summary,
    output::{Output, OutputError, OutputFile},
    table::{self, Cell, Head, Rows, Sink},
};
use columns::TABLES;
use histogram::Histogram;
use hullmark_finding::Code;
use hullmark_ledger::facts::{MeshFacts, RegionFacts, TriangleMesh};
use map::{Land, MAPS};
use pictures::Pictures;
use rule_pages::Rules;
use std::{
    collections::BTreeMap,
    io::{self, BufWriter, Write},
};
use top_rows::{Kept, Place, ROWS};

/// Writes the page.
pub struct Html {
    file: BufWriter<OutputFile>,
    kept: BTreeMap<&'static str, Kept>,
    histogram: Histogram,
    /// The grounds of the regions that have maps, by the places of their rows.
    lands: BTreeMap<Place, Land>,
    /// Place of the last row of `regions`.
    region: Option<Place>,
    pictures: Pictures,
}

impl Html {
    /// Opens the file.
    pub fn open(output: &mut Output, tables: &[Head]) -> Result<Self, OutputError> {
        let file = output.open_whole("html")?;
        let rules = table::head::<Rules>(&[]);
        let kept = TABLES.iter().filter_map(|shown| {
            let head = tables.iter().chain([&rules]).find(|head| head.name == shown.table)?;
            Some((shown.table, Kept::new(shown, head.clone(), ROWS)))
        });
        Ok(Self {
            file,
            kept: kept.collect(),
            histogram: Histogram::default(),
            lands: BTreeMap::new(),
            region: None,
            pictures: Pictures::default(),
        })
    }
}

impl Rows for Html {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        if table == "parts" {
            self.pictures.part(row);
        }
        let Some(kept) = self.kept.get_mut(table) else { return Ok(()) };
        let place = kept.place(row);
        match table {
            "archives" => self.pictures.next_input(),
            "objects" => {
                self.histogram.count(row);
                self.pictures.object(place.clone(), row);
            }
            "regions" => self.region = Some(place.clone()),
            "meshes" => self.pictures.mesh_row(place.clone(), row),
            _ => {}
        }
        kept.take(place, row);
        Ok(())
    }
}

impl Sink for Html {
    fn uses(&self, table: &str) -> bool {
        table == "parts" || self.kept.contains_key(table)
    }

    fn region(&mut self, facts: &RegionFacts) {
        let Some(place) = self.region.take() else { return };
        let is_last = self.lands.last_key_value().is_some_and(|(last, _)| place > *last);
        if self.lands.len() == MAPS && is_last {
            return;
        }
        self.lands.insert(place, Land::new(facts));
        if self.lands.len() > MAPS {
            self.lands.pop_last();
        }
    }

    fn mesh(&mut self, facts: &MeshFacts, physics: Option<&TriangleMesh>) {
        self.pictures.mesh(facts, physics);
    }

    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        // A page of changes alone has no rule outcomes.
        if self.kept.contains_key("findings") {
            for code in Code::all() {
                table::write::<Rules>(self, &(summary, code))?;
            }
        } else {
            self.kept.remove("rules");
        }
        page::write(&mut self.file, summary, &self.kept, &self.histogram, &self.lands, &self.pictures)?;
        self.file.flush()
    }
}

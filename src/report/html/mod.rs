//! HTML: one self-contained page that needs no server and no network.
//!
//! The page has its tables as JSON, and a small script draws the visible rows. Each table is cut to its worst or heaviest
//! rows, to bound memory here and in the browser. Texts of an export become text only: escaped here, set by `textContent`
//! in the script.

mod chart;
mod columns;
mod data;
mod first_screen;
mod histogram;
mod map;
mod page;
mod rule_pages;
mod top_rows;

use super::{
    Summary,
    output::{Output, OutputError, OutputFile},
    table::{self, Cell, Head, Rows, Sink},
};
use crate::finding::Code;
use columns::TABLES;
use histogram::Histogram;
use rule_pages::Rules;
use std::{
    collections::BTreeMap,
    io::{self, BufWriter, Write},
};
use top_rows::{Kept, ROWS};

/// Writes the page.
pub struct Html {
    file: BufWriter<OutputFile>,
    kept: BTreeMap<&'static str, Kept>,
    histogram: Histogram,
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
        Ok(Self { file, kept: kept.collect(), histogram: Histogram::default() })
    }
}

impl Rows for Html {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        let Some(kept) = self.kept.get_mut(table) else { return Ok(()) };
        if table == "objects" {
            self.histogram.count(row);
        }
        kept.take(row);
        Ok(())
    }
}

impl Sink for Html {
    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        // A page of changes alone has no rule outcomes.
        if self.kept.contains_key("findings") {
            for code in Code::all() {
                table::write::<Rules>(self, &(summary, code))?;
            }
        } else {
            self.kept.remove("rules");
        }
        page::write(&mut self.file, summary, &self.kept, &self.histogram)?;
        self.file.flush()
    }
}

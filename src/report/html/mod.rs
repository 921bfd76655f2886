//! HTML: one page for a browser, which needs no server, no network and nothing beside it.
//!
//! The page holds its tables as JSON; a small script draws as many rows as are looked at. Of each table it has the
//! worst or heaviest rows, so that neither this program nor a browser runs out of memory. What stands in an export
//! gets on the page as text only: escaped here, set by `textContent` there.

mod chart;
mod columns;
mod data;
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
use histogram::Spread;
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
    spread: Spread,
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
        Ok(Self { file, kept: kept.collect(), spread: Spread::default() })
    }
}

impl Rows for Html {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        let Some(kept) = self.kept.get_mut(table) else { return Ok(()) };
        if table == "objects" {
            self.spread.count(row);
        }
        kept.take(row);
        Ok(())
    }
}

impl Sink for Html {
    fn finish(&mut self, summary: &Summary) -> io::Result<()> {
        // A page of nothing but changes judged nothing.
        if self.kept.contains_key("findings") {
            for code in Code::all() {
                table::write::<Rules>(self, &(summary, code))?;
            }
        } else {
            self.kept.remove("rules");
        }
        page::write(&mut self.file, summary, &self.kept, &self.spread)?;
        self.file.flush()
    }
}

//! Makes ledgers of many regions from a few, as a run over a whole grid leaves them for the final report.
//!
//! `ledgers FOLDER COPIES SHARED LEDGER…` writes COPIES ledgers, from each given ledger in turn. Each copy has its own
//! UUIDs and hashes (regions, objects, parts, assets, contents), except SHARED percent of them. These are the same in
//! every second copy and the copy before it, as in backups of one region, or regions built from one inventory.
//! FOLDER.plan.json is a plan of them, for reports in shards.

use hullmark_ledger::{Ledger, LedgerHeader, Provenance};
use hullmark_scan::{cache, plan::Plan};
use hullmark_settings::{database_selection::DatabaseSelection, limits::Limits};
use hullmark_source::{Input, What};
use rayon::prelude::*;
use std::{env, error::Error, path::Path};
use xxhash_rust::xxh3::xxh3_64;

/// Hexadecimal digits of a UUID or a hash, without hyphens.
const DIGITS: usize = 32;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = env::args().skip(1).collect();
    let [folder, copies, shared, sources @ ..] = &words[..] else {
        return Err("usage: ledgers FOLDER COPIES SHARED LEDGER…".into());
    };
    let (folder, copies, shared) = (Path::new(folder), copies.parse::<usize>()?, shared.parse::<u64>()?);
    let read = |path: &String| {
        let ledger = Ledger::read(Path::new(path))?;
        Ok((serde_json::to_string(&ledger)?, ledger.bytes))
    };
    let sources = sources.iter().map(read).collect::<Result<Vec<_>, Box<dyn Error>>>()?;
    std::fs::create_dir_all(folder)?;
    let name = |number: usize| format!("region{number}.oar");
    let input = |number: usize| Input {
        bytes: sources[number % sources.len()].1,
        ..Input::new(name(number), name(number).into(), What::Archive)
    };
    let mut inputs: Vec<Input> = (0..copies).map(input).collect();
    inputs.sort_by(|a, b| a.name.cmp(&b.name));
    let limits = Limits::default();
    let plan = Plan::new(inputs, Vec::new(), &limits, DatabaseSelection::default());
    plan.write(&folder.with_extension("plan.json"))?;
    let (settings, plan) = (cache::settings(&limits), Some(plan.id()));
    let made = Some(Provenance { settings, plan, ..Provenance::default() });
    let made: Result<Vec<usize>, String> = (0..copies)
        .into_par_iter()
        .map(|number| {
            let (source, _) = &sources[number % sources.len()];
            let json = renumbered(source, (number / sources.len()) as u32 + 1, shared);
            let mut ledger: Ledger = serde_json::from_str(&json).map_err(|error| error.to_string())?;
            ledger.input = name(number);
            let header = LedgerHeader { made: made.clone(), ..ledger.header() };
            ledger.write_with(folder, header).map_err(|error| error.to_string())?;
            Ok(ledger.objects.len())
        })
        .collect();
    println!("{} objects in {copies} ledgers", made?.iter().sum::<usize>());
    Ok(())
}

/// Returns a ledger with other UUIDs and hashes. Equal ones stay equal, and zeros stay zero.
fn renumbered(json: &str, copy: u32, shared: u64) -> String {
    let mut bytes = json.as_bytes().to_vec();
    let mut at = 0;
    while let Some(places) = digits(&bytes, at) {
        at = places.last().map_or(at, |last| last + 1);
        let digits: Vec<u8> = places.iter().map(|&place| bytes[place]).collect();
        if digits.iter().all(|&digit| digit == b'0') {
            continue;
        }
        let pair = xxh3_64(&digits) % 100 < shared;
        let number = if pair { copy.next_multiple_of(2) } else { copy };
        let other = xxh3_64(&number.to_le_bytes()) as u32;
        let first =
            std::str::from_utf8(&digits[..8]).ok().and_then(|first| u32::from_str_radix(first, 16).ok());
        let written = format!("{:08x}", first.unwrap_or_default() ^ other);
        places.iter().zip(written.bytes()).for_each(|(&place, digit)| bytes[place] = digit);
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Returns the positions of the digits of the next UUID or hash, or `None` after the last one.
fn digits(bytes: &[u8], from: usize) -> Option<Vec<usize>> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let mut at = from;
    while at < bytes.len() {
        if !is_digit(bytes[at]) {
            at += 1;
            continue;
        }
        let run = bytes[at..].iter().position(|&byte| !is_digit(byte) && byte != b'-');
        let end = run.map_or(bytes.len(), |length| at + length);
        let places: Vec<usize> = (at..end).filter(|&place| bytes[place] != b'-').collect();
        if places.len() == DIGITS {
            return Some(places);
        }
        at = end;
    }
    None
}

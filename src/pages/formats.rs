//! Opens the formats of a report.

use super::{html, junit, sarif};

use hullmark_report::{
    csv::Csv,
    json_lines::JsonLines,
    output::{Output, OutputError},
    page::Writer,
    table::Head,
    text_tables,
};
use hullmark_settings::config::{Format, ReportConfig};

/// Returns the files that a report of these tables may have, in all formats.
pub(super) fn files<'a>(
    stem: &'a str,
    tables: impl IntoIterator<Item = &'a str>,
) -> impl Iterator<Item = String> {
    let of_tables = tables
        .into_iter()
        .flat_map(|table| ["csv", "jsonl", "parquet"].map(|ending| format!("{table}.{ending}")));
    let whole = ["html", "xlsx", "sarif", "junit.xml", "json"].map(|ending| format!("{stem}.{ending}"));
    of_tables.chain(whole)
}

/// Opens the files of a format. `None` if this build does not support it.
pub(super) fn open(
    format: Format,
    output: &mut Output,
    tables: &[Head],
    config: &ReportConfig,
) -> Result<Option<Writer>, OutputError> {
    let opened = match format {
        Format::Csv => text_tables::open(output, tables, Csv::new(tables, config.byte_order_mark)),
        Format::Jsonl => text_tables::open(output, tables, JsonLines::new(tables)),
        #[cfg(feature = "parquet")]
        Format::Parquet => hullmark_report::parquet::open(output, tables),
        #[cfg(not(feature = "parquet"))]
        Format::Parquet => return Ok(None),
        #[cfg(feature = "xlsx")]
        Format::Xlsx => super::xlsx::open(output, tables),
        #[cfg(not(feature = "xlsx"))]
        Format::Xlsx => return Ok(None),
        Format::Html => html::open(output, tables),
        Format::Sarif => sarif::open(output, tables),
        Format::Junit => junit::open_file(output),
    };
    opened.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reports::{Ledgers, ReportContext, Reports, write};
    use hullmark_analysis::Measured;
    use hullmark_format::object::{Linkset, Part};
    use hullmark_ledger::{
        InputKind, Ledger,
        facts::{ObjectFacts, Status},
        in_memory::InMemory,
    };
    use hullmark_report::{
        Manifest, Summary,
        counts::Counts,
        findings::ReportedFindings,
        output::MemoryFiles,
        page,
        preflight::Lacking,
        reported::{Piece, Reported},
        table::Table,
        tables::{
            archives,
            findings::{Findings, key},
            heads,
        },
    };
    use hullmark_settings::{config::Config, profile::Profile};
    use std::{
        collections::{BTreeMap, BTreeSet},
        fs,
    };
    use tempfile::TempDir;

    fn manifest() -> Manifest {
        Manifest::new(&Config::default(), &Profile::default(), None)
    }

    /// Returns the files of a report on an archive that could not be read.
    fn files_of(format: Format) -> BTreeMap<String, Vec<u8>> {
        let files = MemoryFiles::default();
        let mut config = Config::default().report;
        config.formats = vec![format];
        let reports = Reports::open(files.clone(), ReportContext::new(config)).unwrap();
        let ledger = Ledger::empty("a.oar", InputKind::Oar, Status::Incomplete);
        let held = vec![(ledger.header(), InMemory::Whole(Box::new(ledger)))];
        write(Ledgers { held, ..Ledgers::default() }, &Profile::default(), manifest(), 1, reports).unwrap();
        files.take()
    }

    /// Returns the columns of findings in a format, as far as it names those without a value.
    fn columns_in(format: Format, files: &BTreeMap<String, Vec<u8>>) -> BTreeSet<String> {
        let text = |name: &str| String::from_utf8(files[name].clone()).unwrap();
        match format {
            Format::Csv => {
                text("findings.csv").lines().next().unwrap().split(',').map(str::to_owned).collect()
            }
            Format::Jsonl => {
                let text = text("findings.jsonl");
                let line: BTreeMap<String, serde_json::Value> =
                    serde_json::from_str(text.lines().next().unwrap()).unwrap();
                line.into_keys().collect()
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                use ::parquet::file::reader::{FileReader, SerializedFileReader};
                let file = TempDir::new().unwrap().keep().join("findings.parquet");
                fs::write(&file, &files["findings.parquet"]).unwrap();
                let reader = SerializedFileReader::new(fs::File::open(file).unwrap()).unwrap();
                let schema = reader.metadata().file_metadata().schema().get_fields().to_vec();
                schema.iter().map(|field| field.name().to_owned()).collect()
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => unreachable!("it is not built"),
            Format::Sarif => {
                let sarif: serde_json::Value = serde_json::from_str(&text("audit.sarif")).unwrap();
                let result = &sarif["runs"][0]["results"][0]["properties"];
                result.as_object().unwrap().keys().cloned().collect()
            }
            #[cfg(feature = "xlsx")]
            Format::Xlsx => {
                let file = std::io::Cursor::new(files["audit.xlsx"].clone());
                let mut book: calamine::Xlsx<_> = calamine::Reader::new(file).unwrap();
                let sheet = calamine::Reader::worksheet_range(&mut book, "Findings").unwrap();
                // A note is above the header.
                sheet.rows().nth(1).unwrap().iter().map(ToString::to_string).collect()
            }
            #[cfg(not(feature = "xlsx"))]
            Format::Xlsx => unreachable!("it is not built"),
            Format::Html => {
                let page = text("audit.html");
                let table =
                    page.split("id=\"data-findings\">").nth(1).unwrap().split("</script>").next().unwrap();
                let table: serde_json::Value = serde_json::from_str(table).unwrap();
                let columns = table["columns"].as_array().unwrap();
                columns.iter().map(|column| column["name"].as_str().unwrap().to_owned()).collect()
            }
            // Its cases are rules, so it has no columns.
            Format::Junit => BTreeSet::new(),
        }
    }

    #[test]
    fn every_file_of_a_format_is_one_of_those_that_an_earlier_report_may_have() {
        let folder = TempDir::new().unwrap();
        let mut output = Output::new(folder.path()).unwrap();
        let heads = heads(&[]);
        let files: Vec<String> = files("audit", heads.iter().map(|head| head.name)).collect();
        for &format in Format::ALL.iter().filter(|format| format.missing().is_none()) {
            drop(open(format, &mut output, &heads, &Config::default().report).unwrap());
        }
        for file in fs::read_dir(folder.path()).unwrap() {
            let name = file.unwrap().file_name().into_string().unwrap();
            let name = name.trim_end_matches(".partial");
            assert!(files.iter().any(|file| file == name), "{name}");
        }
    }

    #[test]
    fn every_column_is_in_every_format() {
        let all: BTreeSet<String> = Findings::COLUMNS.iter().map(|column| column.name.to_owned()).collect();
        for &format in Format::ALL.iter().filter(|format| format.missing().is_none()) {
            let files = files_of(format);
            let found = columns_in(format, &files);
            match format {
                Format::Csv | Format::Jsonl | Format::Parquet | Format::Html => {
                    assert_eq!(found, all, "{format:?}");
                }
                #[cfg(feature = "xlsx")]
                Format::Xlsx => {
                    let heading = |name: &String| crate::column_words::heading(name).to_string();
                    assert!(all.iter().map(heading).all(|name| found.contains(&*name)), "{found:?}");
                }
                // The others have no value here, or a place of their own in SARIF.
                Format::Sarif => {
                    assert!(found.contains("also_at") || found.contains(key::WEIGHT.name()), "{found:?}");
                    assert!(found.is_subset(&all) && !found.contains(key::CODE.name()), "{found:?}");
                }
                _ => assert!(found.is_empty()),
            }
        }
    }

    /// Writes a million objects. Prints the time and the peak memory.
    fn write_a_million(format: Format) {
        let folder = TempDir::new().unwrap();
        let mut output = Output::new(folder.path()).unwrap();
        let heads = heads(&[]);
        let object = |number: usize| {
            let root = Part { name: format!("Object {number}"), ..Part::default() };
            ObjectFacts::rezzed(Linkset { parts: vec![root], ..Linkset::default() })
        };
        let ledger = Ledger {
            objects: (0..500).map(object).collect(),
            ..Ledger::empty("exports/a region.oar", InputKind::Oar, Status::Complete)
        };
        let profile = Profile::default();
        let measured = Measured::new(&ledger, &profile);
        let (findings, counts) =
            (ReportedFindings { findings: Vec::new(), checks: Vec::new() }, Counts::default());
        let row = archives::Row::alone(&measured, &counts.all);
        let lacking = Lacking::default();
        let input = Reported::new(&measured, row, &findings, &counts, &[], (&[], &lacking));
        let begun = std::time::Instant::now();
        let opened = open(format, &mut output, &heads, &Config::default().report).unwrap().unwrap();
        let (makers, mut pages) = page::apart(vec![opened]);
        for _ in 0..2_000 {
            makers.write(&[Piece::Objects(&input, 0..500)], &mut pages).unwrap();
        }
        pages.finish(&Summary::new(manifest(), 1)).unwrap();
        output.publish().unwrap();
        let took = begun.elapsed();
        let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
        let mebibytes = files.sum::<u64>() >> 20;
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok());
        println!("{format:?}: {mebibytes} MiB in {took:.1?}, at most {peak:?} KiB of memory");
        assert!(peak.is_none_or(|kibibytes: u64| kibibytes < 300 * 1024), "memory grows with the rows");
    }

    #[test]
    #[ignore = "it takes a minute; run it alone, because memory is that of the process"]
    fn a_million_rows() {
        [Format::Csv, Format::Jsonl].into_iter().for_each(write_a_million);
        #[cfg(feature = "parquet")]
        write_a_million(Format::Parquet);
    }
}

//! Opens the formats of a report.

use super::{
    csv::Csv,
    html,
    json_lines::JsonLines,
    junit,
    output::{Output, OutputError},
    page::Writer,
    sarif,
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
        Format::Parquet => super::parquet::open(output, tables),
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
    use crate::{
        Manifest, Summary,
        table::{Cell, ColumnHead, Kind, Table},
        tables::{
            findings::{Findings, key},
            heads,
        },
    };
    use hullmark_settings::{config::Config, profile::Profile};
    use std::{fs, path::Path};
    use tempfile::TempDir;

    /// Value in a column that no sink knows.
    const VALUE: &str = "=new";

    fn summary() -> Summary {
        Summary::new(Manifest::new(&Config::default(), &Profile::default(), None), 1)
    }

    /// Returns the value of a new column in a format. `None` if the format has no columns.
    fn added(format: Format, folder: &Path) -> Option<String> {
        let text = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
        match format {
            Format::Csv => {
                let text = text("findings.csv");
                let mut lines = text.lines();
                let at = lines.next().unwrap().split(',').position(|name| name == "added").unwrap();
                Some(lines.next().unwrap().split(',').nth(at).unwrap().trim_start_matches('\'').into())
            }
            Format::Jsonl => {
                let line: serde_json::Value = serde_json::from_str(&text("findings.jsonl")).unwrap();
                Some(line["added"].as_str().unwrap().into())
            }
            #[cfg(feature = "parquet")]
            Format::Parquet => {
                use ::parquet::{
                    file::reader::{FileReader, SerializedFileReader},
                    record::Field,
                };
                let file = fs::File::open(folder.join("findings.parquet")).unwrap();
                let reader = SerializedFileReader::new(file).unwrap();
                let row = reader.get_row_iter(None).unwrap().next().unwrap().unwrap();
                let field = row.get_column_iter().find(|(name, _)| *name == "added").unwrap().1;
                let Field::Str(value) = field else { panic!("{field:?}") };
                Some(value.clone())
            }
            #[cfg(not(feature = "parquet"))]
            Format::Parquet => unreachable!("it is not built"),
            Format::Sarif => {
                let sarif: serde_json::Value = serde_json::from_str(&text("audit.sarif")).unwrap();
                let properties = &sarif["runs"][0]["results"][0]["properties"];
                Some(properties["added"].as_str().unwrap().into())
            }
            #[cfg(feature = "xlsx")]
            Format::Xlsx => {
                let mut book: calamine::Xlsx<_> = calamine::open_workbook(folder.join("audit.xlsx")).unwrap();
                let sheet = calamine::Reader::worksheet_range(&mut book, "Findings").unwrap();
                let mut rows = sheet.rows();
                // A note is above the header.
                let at = rows.find_map(|row| row.iter().position(|name| *name == "Added")).unwrap();
                Some(rows.next().unwrap()[at].to_string())
            }
            #[cfg(not(feature = "xlsx"))]
            Format::Xlsx => unreachable!("it is not built"),
            Format::Html => {
                let page = text("audit.html");
                (page.contains("\"added\"") && page.contains("\"=new\"")).then(|| VALUE.into())
            }
            // Its cases are rules, so it has no columns.
            Format::Junit => None,
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
    fn a_new_column_is_in_every_format() {
        for &format in Format::ALL.iter().filter(|format| format.missing().is_none()) {
            let folder = TempDir::new().unwrap();
            let mut output = Output::new(folder.path()).unwrap();
            let mut heads = heads(&[]);
            let findings = heads.iter_mut().find(|head| head.name == Findings::NAME).unwrap();
            findings.columns.push(ColumnHead {
                name: "added".into(),
                about: "A new column.",
                kind: Kind::Text,
            });
            let mut row = vec![Cell::Empty; findings.columns.len()];
            row[key::SEVERITY.place()] = "blocker".into();
            row[key::CODE.place()] = "RUN007".into();
            *row.last_mut().unwrap() = VALUE.into();
            let sink = open(format, &mut output, &heads, &Config::default().report).unwrap();
            let Some(mut sink) = sink else { continue };
            sink.row(Findings::NAME, &row).unwrap();
            sink.finish(&summary()).unwrap();
            output.publish().unwrap();
            let wanted = (format != Format::Junit).then_some(VALUE);
            assert_eq!(added(format, folder.path()).as_deref(), wanted, "{format:?}");
        }
    }

    /// Writes a million objects. Prints the time and the peak memory.
    fn write_a_million(format: Format) {
        let folder = TempDir::new().unwrap();
        let mut output = Output::new(folder.path()).unwrap();
        let heads = heads(&[]);
        let objects = heads.iter().find(|head| head.name == "objects").unwrap();
        let begun = std::time::Instant::now();
        let mut sink = open(format, &mut output, &heads, &Config::default().report).unwrap().unwrap();
        for row in 0..1_000_000 {
            let cell = |(column, kind)| match kind {
                _ if (row + column) % 7 == 0 => Cell::Empty,
                Kind::Bool => Cell::Bool(row % 3 == 0),
                Kind::Int => Cell::Int(row % 1000),
                Kind::Real | Kind::Percent => Cell::Real(row as f64 / 7.0),
                Kind::Time => Cell::from("2026-01-02T03:04:05Z"),
                Kind::Uuid => Cell::show(uuid::Uuid::from_u64_pair(row as u64, column as u64)),
                Kind::Text if column % 2 == 0 => Cell::from("exports/a region.oar"),
                Kind::Text => Cell::show(format_args!("Object {row}")),
            };
            let kinds = objects.columns.iter().map(|column| column.kind);
            sink.row(objects.name, &(0..).zip(kinds).map(cell).collect::<Vec<_>>()).unwrap();
        }
        sink.finish(&summary()).unwrap();
        output.publish().unwrap();
        let took = begun.elapsed();
        let files = fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().metadata().unwrap().len());
        let mebibytes = files.sum::<u64>() >> 20;
        let columns = objects.columns.len();
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB")?.trim().parse().ok());
        println!(
            "{format:?}: {columns} columns, {mebibytes} MiB in {took:.1?}, at most {peak:?} KiB of memory"
        );
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

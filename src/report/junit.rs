//! JUnit's XML, which build servers show: a suite for each archive, a case for each rule that looked at something in
//! it. One file, `audit.junit.xml`.
//!
//! A case fails where the rule is an error or a blocker for the target and found something, and is skipped where it
//! could not be evaluated for all, or where what failed is waived: a case that passes has passed for all. What milder rules found stands in a case's
//! output. A suite is held back until its archive ends, because its head counts its cases; of each rule only the
//! first findings are kept.

use super::{
    Summary,
    output::{Output, OutputError, OutputFile},
    table::{Cell, Head, Rows, Sink, Table, count, words},
    tables::{archives::Archives, checks::Checks, findings::Findings},
};
use crate::finding::{FAMILIES, Severity};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{self, BufWriter, Write},
};

/// Findings of a rule in an archive that are told.
const TOLD: usize = 20;

/// Writes checks as JUnit's XML.
pub struct Junit {
    file: BufWriter<OutputFile>,
    columns: Columns,
    archive: String,
    found: BTreeMap<String, Found>,
    cases: Vec<Case>,
}

/// What a rule found in an archive.
#[derive(Default)]
struct Found {
    told: Vec<String>,
    more: u64,
}

/// What became of a rule in an archive.
struct Case {
    code: String,
    title: String,
    severity: String,
    checked: u64,
    /// What is waived left out.
    failed: u64,
    waived: u64,
    not_evaluated: u64,
    because: String,
}

impl Junit {
    /// Opens the file and writes its head.
    pub fn open(output: &mut Output, tables: &[Head]) -> Result<Self, OutputError> {
        let name = "audit.junit.xml";
        let mut file = output.open(name)?;
        let begun =
            file.write_all(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"hullmark\">\n");
        begun.map_err(|source| OutputError { path: name.into(), source })?;
        Ok(Self {
            file,
            columns: Columns::of(tables),
            archive: String::new(),
            found: BTreeMap::new(),
            cases: Vec::new(),
        })
    }

    /// Begins the suite of an archive, or of the run itself, whose name is empty.
    fn begin(&mut self, archive: &str) -> io::Result<()> {
        if archive != self.archive {
            self.end_archive()?;
            archive.clone_into(&mut self.archive);
        }
        Ok(())
    }

    /// Writes the suite of the archive that has ended.
    fn end_archive(&mut self) -> io::Result<()> {
        let found = std::mem::take(&mut self.found);
        let cases = std::mem::take(&mut self.cases);
        if cases.is_empty() {
            return Ok(());
        }
        let failures = cases.iter().filter(|case| case.is_failure()).count();
        let skipped = cases.iter().filter(|case| case.is_skipped()).count();
        writeln!(
            self.file,
            "<testsuite name=\"{}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">",
            if self.archive.is_empty() { "the run itself".into() } else { escape(&self.archive) },
            cases.len(),
        )?;
        for case in cases {
            case.write(&mut self.file, found.get(&case.code))?;
        }
        writeln!(self.file, "</testsuite>")
    }
}

impl Rows for Junit {
    fn row(&mut self, table: &'static str, cells: &mut dyn Iterator<Item = Cell<'_>>) -> io::Result<()> {
        match table {
            Archives::NAME => self.begin(words(&cells.collect::<Vec<_>>(), self.columns.archive))?,
            Findings::NAME => {
                let cells = cells.collect::<Vec<_>>();
                self.begin(words(&cells, self.columns.of_finding))?;
                if !words(&cells, self.columns.waived).is_empty() {
                    return Ok(());
                }
                let (code, line, count) = self.columns.finding(&cells);
                let found = self.found.entry(code).or_default();
                match found.told.len() {
                    TOLD.. => found.more += count,
                    _ => found.told.push(line),
                }
            }
            Checks::NAME => {
                let cells = cells.collect::<Vec<_>>();
                self.begin(words(&cells, self.columns.of_check))?;
                let case = self.columns.case(&cells);
                self.cases.extend(
                    Some(case)
                        .filter(|case| case.checked + case.failed + case.waived + case.not_evaluated > 0),
                );
            }
            _ => {}
        }
        Ok(())
    }
}

impl Sink for Junit {
    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.end_archive()?;
        self.file.write_all(b"</testsuites>\n")?;
        self.file.flush()
    }
}

impl Case {
    fn is_failure(&self) -> bool {
        let bad = [Severity::Blocker, Severity::Error].map(Severity::name);
        self.failed > 0 && bad.contains(&self.severity.as_str())
    }

    fn is_skipped(&self) -> bool {
        !self.is_failure() && self.not_evaluated + self.waived > 0
    }

    fn write(&self, file: &mut impl Write, found: Option<&Found>) -> io::Result<()> {
        let family = FAMILIES.iter().find(|family| self.code.starts_with(family.prefix));
        writeln!(
            file,
            "<testcase classname=\"{}\" name=\"{} {}\">",
            escape(family.map_or("", |family| family.title)),
            escape(&self.code),
            escape(&self.title),
        )?;
        let told = found.map(Found::to_string).unwrap_or_default();
        if self.is_failure() {
            let Self { checked, failed, .. } = self;
            let severity = escape(&self.severity);
            writeln!(file, "<failure type=\"{severity}\" message=\"{failed} of {checked} failed\">")?;
            writeln!(file, "{}</failure>", escape_text(&told))?;
        } else {
            if self.is_skipped() {
                let Self { checked, waived, not_evaluated, because, .. } = self;
                let because = escape(because);
                let unknown = format!("{not_evaluated} of {checked} are not evaluated: {because}");
                let unknown = Some(unknown).filter(|_| *not_evaluated > 0);
                let waived =
                    Some(format!("{waived} of {checked} failed and are waived")).filter(|_| *waived > 0);
                let why = waived.into_iter().chain(unknown).collect::<Vec<_>>().join("; ");
                writeln!(file, "<skipped message=\"{why}\"/>")?;
            }
            if !told.is_empty() {
                writeln!(file, "<system-out>{}</system-out>", escape_text(&told))?;
            }
        }
        writeln!(file, "</testcase>")
    }
}

impl std::fmt::Display for Found {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for line in &self.told {
            writeln!(f, "{line}")?;
        }
        match self.more {
            0 => Ok(()),
            more => writeln!(f, "{more} more are among the findings."),
        }
    }
}

/// Where the columns stand that are read.
struct Columns {
    archive: Option<usize>,
    of_finding: Option<usize>,
    of_check: Option<usize>,
    waived: Option<usize>,
    finding: [Option<usize>; 5],
    check: [Option<usize>; 8],
}

impl Columns {
    fn of(tables: &[Head]) -> Self {
        let at = |table, name| tables.iter().find(|head| head.name == table)?.position(name);
        Self {
            archive: at(Archives::NAME, "archive"),
            of_finding: at(Findings::NAME, "archive"),
            of_check: at(Checks::NAME, "archive"),
            waived: at(Findings::NAME, "waived_until"),
            finding: ["code", "message", "count", "entry", "object_name"]
                .map(|name| at(Findings::NAME, name)),
            check: ["code", "title", "severity", "checked", "failed", "waived", "not_evaluated", "because"]
                .map(|name| at(Checks::NAME, name)),
        }
    }

    /// The code of a finding, the finding in one line, and for how many it stands.
    fn finding(&self, cells: &[Cell<'_>]) -> (String, String, u64) {
        let [code, message, number, entry, object] = self.finding;
        let number = count(cells, number);
        let place = [words(cells, object), words(cells, entry)];
        let place: Vec<_> = place.into_iter().filter(|words| !words.is_empty()).collect();
        let mut line = words(cells, message).to_owned();
        if number > 1 {
            line += &format!(" (and {} more like it)", number - 1);
        }
        if !place.is_empty() {
            line += &format!(": {}", place.join(", "));
        }
        // A name with line breaks would look like several findings.
        (words(cells, code).into(), line.replace(['\n', '\r'], " "), number)
    }

    fn case(&self, cells: &[Cell<'_>]) -> Case {
        let [code, title, severity, checked, failed, waived, not_evaluated, because] = self.check;
        Case {
            code: words(cells, code).into(),
            title: words(cells, title).into(),
            severity: words(cells, severity).into(),
            checked: count(cells, checked),
            failed: count(cells, failed).saturating_sub(count(cells, waived)),
            waived: count(cells, waived),
            not_evaluated: count(cells, not_evaluated),
            because: words(cells, because).into(),
        }
    }
}

/// Words as the value of an attribute. What XML cannot hold, not even as a reference, is replaced.
fn escape(text: &str) -> Cow<'_, str> {
    let escaped = |c: char| match c {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        // Else a reader makes blanks of them.
        '\t' => "&#9;",
        '\n' => "&#10;",
        '\r' => "&#13;",
        '\0'..' ' | '\u{fffe}' | '\u{ffff}' => "\u{fffd}",
        _ => "",
    };
    if text.chars().all(|c| escaped(c).is_empty()) {
        return text.into();
    }
    let mut words = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match escaped(c) {
            "" => words.push(c),
            instead => words.push_str(instead),
        }
    }
    words.into()
}

/// Words of several lines as the content of an element.
fn escape_text(text: &str) -> String {
    text.lines().map(|line| escape(line) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_words_stay_words() {
        assert_eq!(escape("chair"), "chair");
        assert_eq!(escape("<script>&\"\u{1}\n"), "&lt;script&gt;&amp;&quot;\u{fffd}&#10;");
        assert_eq!(escape_text("a\n]]>\n"), "a\n]]&gt;\n");
    }
}

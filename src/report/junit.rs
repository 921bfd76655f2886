//! JUnit XML for build servers: a suite for each archive, a case for each rule with subjects in it. One file,
//! `audit.junit.xml`.
//!
//! A case fails if its rule is an error or blocker for the target and has findings. It is skipped if some subjects were
//! not evaluated, or if the findings are waived. So a case that passes has passed for all subjects. Findings of lower
//! severity are in the output of the case. A suite is held until its archive ends, because its header has the number of
//! cases. Only the first findings of each rule are kept.

use super::{
    Summary,
    output::{Output, OutputError, OutputFile},
    table::{Cell, Rows, Sink, Table},
    tables::{
        archives::{Archives, key as archive},
        checks::{Checks, key as check},
        findings::{Findings, key as finding},
    },
};
use hullmark_finding::{FAMILIES, Severity};
use hullmark_util::number_text::counted;
use quick_xml::{
    Writer,
    events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event},
};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::{self, BufWriter, Write},
};

/// Maximum number of findings listed for a rule and archive.
const LISTED: usize = 20;

/// Writes checks as JUnit XML.
pub struct Junit {
    xml: Writer<BufWriter<OutputFile>>,
    archive: String,
    found: BTreeMap<String, Found>,
    cases: Vec<Case>,
}

/// The findings of a rule in an archive.
#[derive(Default)]
struct Found {
    listed: Vec<String>,
    more: u64,
}

/// The outcome of a rule in an archive.
struct Case {
    code: String,
    title: String,
    severity: String,
    checked: u64,
    /// Number of failed subjects without waived ones.
    failed: u64,
    waived: u64,
    not_evaluated: u64,
    reason: String,
}

impl Junit {
    /// Opens the file and writes its head.
    pub fn open(output: &mut Output) -> Result<Self, OutputError> {
        let name = "audit.junit.xml";
        let mut xml = Writer::new(output.open(name)?);
        let begun = xml
            .write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))
            .and_then(|()| end_line(&mut xml))
            .and_then(|()| open(&mut xml, "testsuites", [("name", "hullmark")]));
        begun.map_err(|source| OutputError { path: name.into(), source })?;
        Ok(Self { xml, archive: String::new(), found: BTreeMap::new(), cases: Vec::new() })
    }

    /// Begins the suite of an archive, or of the run, whose name is empty.
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
        let name = if self.archive.is_empty() { "the run" } else { &self.archive };
        let [tests, failures, skipped] = [cases.len(), failures, skipped].map(|count| count.to_string());
        let counts = [("tests", &*tests), ("failures", &failures), ("errors", "0"), ("skipped", &skipped)];
        open(&mut self.xml, "testsuite", [("name", name)].into_iter().chain(counts))?;
        for case in cases {
            case.write(&mut self.xml, found.get(&case.code))?;
        }
        close(&mut self.xml, "testsuite")
    }
}

impl Rows for Junit {
    fn row(&mut self, table: &'static str, row: &[Cell<'_>]) -> io::Result<()> {
        if ![Archives::NAME, Findings::NAME, Checks::NAME].contains(&table) {
            return Ok(());
        }
        match table {
            Archives::NAME => self.begin(archive::ARCHIVE.text(row))?,
            Findings::NAME => {
                self.begin(finding::ARCHIVE.text(row))?;
                if !finding::WAIVED_UNTIL.text(row).is_empty() {
                    return Ok(());
                }
                let found = self.found.entry(finding::CODE.text(row).into()).or_default();
                match found.listed.len() {
                    LISTED.. => found.more += finding::COUNT.count(row),
                    _ => found.listed.push(line(row)),
                }
            }
            _ => {
                self.begin(check::ARCHIVE.text(row))?;
                let case = Case::from_row(row);
                let is_used = case.checked + case.failed + case.waived + case.not_evaluated > 0;
                self.cases.extend(is_used.then_some(case));
            }
        }
        Ok(())
    }
}

impl Sink for Junit {
    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        self.end_archive()?;
        close(&mut self.xml, "testsuites")?;
        self.xml.get_mut().flush()
    }
}

impl Case {
    /// Creates the case of a row of `checks`.
    fn from_row(row: &[Cell<'_>]) -> Self {
        let [code, title, severity, reason] =
            [check::CODE, check::TITLE, check::SEVERITY, check::REASON].map(|key| key.text(row).to_owned());
        let [checked, failed, waived, not_evaluated] =
            [check::CHECKED, check::FAILED, check::WAIVED, check::NOT_EVALUATED].map(|key| key.count(row));
        let failed = failed.saturating_sub(waived);
        Self { code, title, severity, checked, failed, waived, not_evaluated, reason }
    }

    fn is_failure(&self) -> bool {
        let bad = [Severity::Blocker, Severity::Error].map(Severity::name);
        self.failed > 0 && bad.contains(&self.severity.as_str())
    }

    fn is_skipped(&self) -> bool {
        !self.is_failure() && self.not_evaluated + self.waived > 0
    }

    fn write(&self, xml: &mut Writer<impl Write>, found: Option<&Found>) -> io::Result<()> {
        let Self { checked, failed, waived, not_evaluated, reason, .. } = self;
        let family = FAMILIES.iter().find(|family| self.code.starts_with(family.prefix));
        let name = format!("{} {}", self.code, self.title);
        open(xml, "testcase", [("classname", family.map_or("", |family| family.title)), ("name", &name)])?;
        let listed = found.map(Found::lines).unwrap_or_default();
        if self.is_failure() {
            let message = format!("{failed} of {checked} failed");
            open(xml, "failure", [("type", &*self.severity), ("message", &message)])?;
            xml.write_event(Event::Text(BytesText::new(&printable(&listed))))?;
            close(xml, "failure")?;
        } else {
            let was_waived = (*waived > 0).then(|| format!("{waived} of {checked} failed (waived)"));
            let unknown = || format!("{not_evaluated} of {checked} not evaluated: {reason}");
            let unknown = (*not_evaluated > 0).then(unknown);
            let why = was_waived.into_iter().chain(unknown).collect::<Vec<_>>().join("; ");
            if self.is_skipped() {
                xml.create_element("skipped").with_attribute(("message", &*printable(&why))).write_empty()?;
                end_line(xml)?;
            }
            if !listed.is_empty() {
                xml.create_element("system-out").write_text_content(BytesText::new(&printable(&listed)))?;
                end_line(xml)?;
            }
        }
        close(xml, "testcase")
    }
}

/// Begins an element and a new line.
fn open<'a>(
    xml: &mut Writer<impl Write>,
    name: &str,
    attributes: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> io::Result<()> {
    let mut start = BytesStart::new(name);
    for (key, value) in attributes {
        start.push_attribute((key, &*printable(value)));
    }
    xml.write_event(Event::Start(start))?;
    end_line(xml)
}

/// Ends an element.
fn close(xml: &mut Writer<impl Write>, name: &str) -> io::Result<()> {
    xml.write_event(Event::End(BytesEnd::new(name)))?;
    end_line(xml)
}

fn end_line(xml: &mut Writer<impl Write>) -> io::Result<()> {
    xml.get_mut().write_all(b"\n")
}

/// Formats a finding as one line, with the number of similar ones.
fn line(row: &[Cell<'_>]) -> String {
    let mut line = finding::MESSAGE.text(row).to_owned();
    let count = finding::COUNT.count(row);
    if count > 1 {
        line += &format!(" (and {})", counted(count - 1, "similar finding"));
    }
    let place = [finding::OBJECT_NAME, finding::ENTRY].map(|key| key.text(row));
    let place: Vec<_> = place.into_iter().filter(|words| !words.is_empty()).collect();
    if !place.is_empty() {
        line += &format!(": {}", place.join(", "));
    }
    // Line breaks in a name would look like several findings.
    line.replace(['\n', '\r'], " ")
}

impl Found {
    /// Returns a line for each finding, and the number of those that are not listed.
    fn lines(&self) -> String {
        let more = (self.more > 0).then(|| format!("{} not listed.", counted(self.more, "more finding")));
        self.listed.iter().chain(&more).map(|line| format!("{line}\n")).collect()
    }
}

/// Returns text without characters that XML cannot represent.
fn printable(text: &str) -> Cow<'_, str> {
    let is_refused = |c: char| matches!(c, '\0'..' ' | '\u{fffe}' | '\u{ffff}') && !"\t\n\r".contains(c);
    if text.contains(is_refused) { text.replace(is_refused, "\u{fffd}").into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_words_stay_words() {
        assert_eq!(printable("chair\n"), "chair\n");
        assert_eq!(printable("<\u{1}\u{fffe}"), "<\u{fffd}\u{fffd}");
        let mut xml = Writer::new(Vec::new());
        open(&mut xml, "a", [("b", "<script>&\"\u{1}\n")]).unwrap();
        assert_eq!(
            String::from_utf8(xml.into_inner()).unwrap(),
            "<a b=\"&lt;script&gt;&amp;&quot;\u{fffd}&#10;\">\n"
        );
    }
}

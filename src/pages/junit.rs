//! JUnit XML for build servers: a suite for each archive, a case for each rule with subjects in it. One file,
//! `audit.junit.xml`.
//!
//! A case fails if its rule is an error or blocker for the target and has findings. It is skipped if some subjects were
//! not evaluated, or if the findings are waived. So a case that passes has passed for all subjects. Findings of lower
//! severity are in the output of the case. Only the first findings of each rule are listed.

use hullmark_finding::{Code, FAMILIES, Severity};
use hullmark_report::{
    Summary,
    output::{Output, OutputError, OutputFile},
    page::{self, Page},
    reported::Piece,
    tables::{checks, findings},
};
use hullmark_rules::{RuleCount, catalogue};
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

/// Opens the file and writes its head.
pub fn open_file(output: &mut Output) -> Result<page::Writer, OutputError> {
    let name = "audit.junit.xml";
    let mut xml = Writer::new(output.open(name)?);
    let begun = xml
        .write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))
        .and_then(|()| end_line(&mut xml))
        .and_then(|()| open(&mut xml, "testsuites", [("name", "hullmark")]));
    begun.map_err(|source| OutputError { path: name.into(), source })?;
    Ok(page::Writer::new(suite, Junit(xml)))
}

/// Writes checks as JUnit XML.
struct Junit(Writer<BufWriter<OutputFile>>);

impl Page for Junit {
    /// The suite of an input.
    type Part = Vec<u8>;

    fn append(&mut self, _: &Piece<'_>, suite: Vec<u8>) -> io::Result<()> {
        self.0.get_mut().write_all(&suite)
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        close(&mut self.0, "testsuites")?;
        self.0.get_mut().flush()
    }
}

/// Returns the suite of an input; empty without cases.
fn suite(piece: &Piece<'_>) -> io::Result<Vec<u8>> {
    let Piece::End(input) = piece else { return Ok(Vec::new()) };
    let mut listed: BTreeMap<Code, Listed> = BTreeMap::new();
    for row in input.all_findings().filter(|row| row.reported.waived().is_none()) {
        let of_rule = listed.entry(row.reported.finding.code).or_default();
        match of_rule.lines.len() {
            LISTED.. => of_rule.more += row.reported.count,
            _ => of_rule.lines.push(line(&row)),
        }
    }
    let cases =
        input.checks().map(|check| Case { check, severity: input.measured.profile.severity(check.code) });
    let cases: Vec<Case<'_>> = cases
        .filter(|Case { check, .. }| check.subjects + check.failed + check.waived + check.unknown() > 0)
        .collect();
    if cases.is_empty() {
        return Ok(Vec::new());
    }
    let failures = cases.iter().filter(|case| case.is_failure()).count();
    let skipped = cases.iter().filter(|case| case.is_skipped()).count();
    let archive = input.measured.ledger.input.as_str();
    let name = if archive.is_empty() { "the run" } else { archive };
    let [tests, failures, skipped] = [cases.len(), failures, skipped].map(|count| count.to_string());
    let counts = [("tests", &*tests), ("failures", &failures), ("errors", "0"), ("skipped", &skipped)];
    let mut xml = Writer::new(Vec::new());
    open(&mut xml, "testsuite", [("name", name)].into_iter().chain(counts))?;
    for case in cases {
        case.write(&mut xml, listed.get(&case.check.code))?;
    }
    close(&mut xml, "testsuite")?;
    Ok(xml.into_inner())
}

/// The first findings of a rule in an input.
#[derive(Default)]
struct Listed {
    lines: Vec<String>,
    more: u64,
}

/// The outcome of a rule in an input.
struct Case<'a> {
    check: &'a RuleCount,
    severity: Severity,
}

impl Case<'_> {
    /// Number of failed subjects without waived ones.
    fn failed(&self) -> u64 {
        self.check.failed.saturating_sub(self.check.waived)
    }

    fn is_failure(&self) -> bool {
        self.failed() > 0 && self.severity >= Severity::Error
    }

    fn is_skipped(&self) -> bool {
        !self.is_failure() && self.check.unknown() + self.check.waived > 0
    }

    fn write(&self, xml: &mut Writer<impl Write>, listed: Option<&Listed>) -> io::Result<()> {
        let RuleCount { code, subjects, waived, .. } = self.check;
        let (failed, not_evaluated) = (self.failed(), self.check.unknown());
        let family = FAMILIES.iter().find(|family| code.name().starts_with(family.prefix));
        let name = format!("{code} {}", catalogue::rule(*code).title);
        open(xml, "testcase", [("classname", family.map_or("", |family| family.title)), ("name", &name)])?;
        let listed = listed.map(Listed::text).unwrap_or_default();
        if self.is_failure() {
            let message = format!("{failed} of {subjects} failed");
            open(xml, "failure", [("type", self.severity.name()), ("message", &message)])?;
            xml.write_event(Event::Text(BytesText::new(&printable(&listed))))?;
            close(xml, "failure")?;
        } else {
            let was_waived = (*waived > 0).then(|| format!("{waived} of {subjects} failed (waived)"));
            let unknown =
                || format!("{not_evaluated} of {subjects} not evaluated: {}", checks::reason(self.check));
            let unknown = (not_evaluated > 0).then(unknown);
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
fn line(row: &findings::Row<'_>) -> String {
    let mut line = catalogue::message(row.reported.finding);
    let count = row.reported.count;
    if count > 1 {
        line += &format!(" (and {})", counted(count - 1, "similar finding"));
    }
    let place = [row.root().map_or("", |root| &root.name), &row.reported.finding.place.entry];
    let place: Vec<_> = place.into_iter().filter(|words| !words.is_empty()).collect();
    if !place.is_empty() {
        line += &format!(": {}", place.join(", "));
    }
    // Line breaks in a name would look like several findings.
    line.replace(['\n', '\r'], " ")
}

impl Listed {
    /// Returns a line for each finding, and the number of those that are not listed.
    fn text(&self) -> String {
        let more = (self.more > 0).then(|| format!("{} not listed.", counted(self.more, "more finding")));
        self.lines.iter().chain(&more).map(|line| format!("{line}\n")).collect()
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

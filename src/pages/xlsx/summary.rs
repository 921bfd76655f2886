//! Sheet Summary: verdict, capacity, actions, counts with charts, heaviest objects, worst findings and gaps.

use super::{Rows, cell, sheet, style};
use hullmark_finding::{FAMILIES, Severity};
use hullmark_report::{
    Summary, arrived,
    screen::{Line, Part, Topic},
    summary::ActionLine,
    table::{Cell, Kind},
    tables::regions::key,
};
use hullmark_rules::catalogue;
use hullmark_util::{escape::shortened, number_text::thousands};
use rust_xlsxwriter::{
    Chart, ChartAxisLabelPosition, ChartFont, ChartSolidFill, ChartType, Format, FormatAlign, Worksheet,
    XlsxError,
};

/// Maximum number of regions in the chart, and of lines of long lists.
const LINES: usize = 10;
/// Widths of the columns.
const WIDTHS: [u16; 6] = [42, 13, 13, 13, 24, 80];
/// The last column. It has sentences, which wrap, and paths.
const PROSE: u16 = 5;
/// Row and column of the first chart.
const CHARTS: (u32, u16) = (4, PROSE);
/// Pixels between lists and charts.
const GAP: u32 = 16;
/// Maximum length of a message. The sheet Findings has the full text.
const MESSAGE: usize = 140;

/// Writes the sheet.
pub(super) fn write(sheet: &mut Worksheet, summary: &Summary, regions: &mut Rows) -> Result<(), XlsxError> {
    let heaviest = heaviest_regions(regions)?;
    Page { sheet, at: 0, charts: CHARTS.0 }.all(summary, &heaviest)
}

/// Writes a sheet with changes only.
pub(super) fn write_changes(sheet: &mut Worksheet, summary: &Summary) -> Result<(), XlsxError> {
    sheet.set_column_width(0, 100)?;
    sheet.set_screen_gridlines(false).set_landscape().set_print_fit_to_pages(1, 0);
    sheet.write_string_with_format(0, 0, "What changed", &style::title())?;
    Page { sheet, at: 1, charts: CHARTS.0 }.changes(summary)
}

/// Writes a sheet with what arrived after a move.
pub(super) fn write_arrivals(sheet: &mut Worksheet, summary: &Summary) -> Result<(), XlsxError> {
    sheet.set_column_width(0, 140)?;
    sheet.set_screen_gridlines(false).set_landscape().set_print_fit_to_pages(1, 0);
    sheet.write_string_with_format(0, 0, "What arrived after the move", &style::title())?;
    let mut page = Page { sheet, at: 1, charts: CHARTS.0 };
    let Some(arrived) = &summary.arrived else { return Ok(()) };
    page.line(&[Cell::from(&arrived.first_line)])?;
    for section in arrived::sections(arrived, LINES) {
        page.heading(section.title, &[], &[])?;
        for line in &section.lines {
            page.line(&[Cell::from(line)])?;
        }
    }
    Ok(())
}

/// A region with its costs.
struct Region {
    archive: String,
    name: String,
    counted: String,
    load: f64,
    capacity: Option<f64>,
    percent_used: Option<f64>,
}

impl Region {
    /// Returns its name, else the name of its file.
    fn title(&self) -> &str {
        if self.name.is_empty() { file_name(&self.archive) } else { &self.name }
    }

    /// Returns its land impact after the listed actions, and the same in percent of its capacity.
    fn after(&self, actions: &[ActionLine]) -> Option<(f64, f64)> {
        let is_here = |action: &&ActionLine| action.archive == self.archive && action.region == self.name;
        let last = actions.iter().rfind(is_here)?;
        last.land_impact_sum_after.zip(last.percent_of_capacity_after)
    }
}

/// Returns the regions with the greatest load.
fn heaviest_regions(regions: &mut Rows) -> Result<Vec<Region>, XlsxError> {
    let mut heaviest: Vec<Region> = Vec::new();
    regions.spool.each(|_, row| {
        let Some(load) = key::LOAD.number(row) else { return Ok(()) };
        heaviest.push(Region {
            archive: key::ARCHIVE.text(row).to_owned(),
            name: key::REGION.text(row).to_owned(),
            counted: key::COUNTED.text(row).to_owned(),
            load,
            capacity: key::CAPACITY.number(row),
            percent_used: key::PERCENT_USED.number(row),
        });
        heaviest.sort_by(|a, b| b.load.total_cmp(&a.load));
        heaviest.truncate(LINES);
        Ok(())
    })?;
    Ok(heaviest)
}

/// A sheet that is written from top to bottom.
struct Page<'s> {
    sheet: &'s mut Worksheet,
    /// The next row.
    at: u32,
    /// The row of the next chart.
    charts: u32,
}

impl Page<'_> {
    fn all(&mut self, summary: &Summary, regions: &[Region]) -> Result<(), XlsxError> {
        for (column, width) in (0..).zip(WIDTHS) {
            self.sheet.set_column_width(column, f64::from(width))?;
        }
        self.sheet.set_screen_gridlines(false);
        self.top(summary)?;
        self.overview(summary)?;
        // The overview has the load of each region.
        let most = if summary.overview.all > 1 { LINES / 2 } else { LINES };
        self.regions(&regions[..regions.len().min(most)], summary)?;
        self.losses(summary)?;
        self.actions(summary)?;
        self.changes(summary)?;
        self.charts = self.at + 1;
        self.severities(summary)?;
        self.families(summary)?;
        self.at = self.at.max(self.charts);
        self.heaviest(summary)?;
        sheet::print_one_page(self.sheet, self.at - 1, PROSE)?;
        self.rules(summary)?;
        self.totals(summary)?;
        self.not_covered(summary)?;
        self.not_read(summary)?;
        self.not_evaluated(summary)
    }

    /// Writes title, verdict, target and time.
    fn top(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        let narrowed = summary.narrowed_to().map_or_else(String::new, |narrowed| format!(" ({narrowed})"));
        let title = format!("hullmark audit{narrowed}");
        self.sheet.write_string_with_format(0, 0, cell::fit(&title), &style::title())?;
        let worst = summary.worst_severity();
        let bold = worst.map_or_else(Format::new, style::severity).set_bold();
        self.sheet.write_string_with_format(1, 0, summary.verdict(), &bold)?;
        for column in 1..=4 {
            self.sheet.write_blank(1, column, &bold)?;
        }
        let manifest = &summary.manifest;
        let shown = summary.shown_in_words().map_or_else(String::new, |words| format!(" {words}"));
        let target =
            format!("Target: {}. Written by hullmark {}.{shown}", summary.target(), manifest.hullmark);
        self.sheet.write_string_with_format(2, 0, cell::fit(&target), &style::note())?;
        if let Some(now) = &manifest.now {
            self.sheet.write_string(3, 0, "Written (UTC)")?;
            cell::write_moment(self.sheet, 3, 1, now)?;
        }
        self.at = 4;
        Ok(())
    }

    /// Writes the load of the fullest regions, now and after the actions below.
    fn regions(&mut self, regions: &[Region], summary: &Summary) -> Result<(), XlsxError> {
        if regions.is_empty() {
            return Ok(());
        }
        let actions = summary.first_actions();
        let is_promised = regions.iter().any(|region| region.after(actions).is_some());
        let after = if is_promised { "after the actions below" } else { "" };
        self.heading("Load of regions", &["load", "capacity", "used"], &["counted", after])?;
        let first = self.at;
        for region in regions {
            let after = region
                .after(actions)
                .map(|(sum, percent)| format!("{} ({percent:.0} %)", thousands(sum.max(0.0).round() as u64)));
            self.line(&[
                region.title().into(),
                whole(region.load),
                region.capacity.map_or(Cell::Empty, whole),
                Cell::Empty,
                region.counted.as_str().into(),
                after.map_or(Cell::Empty, Cell::show),
            ])?;
            if let Some(used) = region.percent_used {
                self.write(self.at - 1, 3, Kind::Percent, &used.into())?;
            }
        }
        sheet::mark_shares(self.sheet, first, self.at - 1, 3)
    }

    /// Writes the regions, the worst first.
    fn overview(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        let lines = summary.list(Topic::Regions);
        if lines.is_empty() {
            return Ok(());
        }
        self.heading(Topic::Regions.title(), &["blockers", "errors", "lost"], &["verdict", "status"])?;
        for line in &lines {
            let Line::Region(region) = line else {
                self.line(&[Cell::show(line.subject())])?;
                continue;
            };
            self.line(&[
                region.name().into(),
                region.findings.get(Severity::Blocker).into(),
                region.findings.get(Severity::Error).into(),
                region.lost.into(),
                region.lead().into(),
            ])?;
            self.prose(&region.words())?;
        }
        Ok(())
    }

    /// Writes the content that a move loses.
    fn losses(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        if summary.losses.is_empty() {
            return Ok(());
        }
        let title = format!("{} (sheet Missing)", Topic::Losses.title());
        self.heading(&title, &["lost", "objects"], &["", "", "first user"])?;
        for loss in &summary.losses {
            let objects = loss.objects.map_or(Cell::Empty, Cell::from);
            self.line(&[loss.kind.as_str().into(), loss.lost.into(), objects])?;
            if let Some(first) = &loss.first {
                self.prose(&first.in_words())?;
            }
        }
        Ok(())
    }

    /// Writes the best actions, before any count of findings.
    fn actions(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        let actions = summary.first_actions();
        if actions.is_empty() {
            return Ok(());
        }
        let numbers = ["land impact", "afterwards", "edits"];
        self.heading("Fix first (sheet Actions has all)", &numbers, &["region or input", "what to do"])?;
        for line in summary.list(Topic::Actions(Part::Whole)) {
            let Line::Action(action, _) = line else { continue };
            self.line(&[
                Cell::Text(action.title().into()),
                action.land_impact_before.map_or(Cell::Empty, whole),
                action.land_impact_after.map_or(Cell::Empty, whole),
                (action.edits as u64).into(),
                file_name(line.place()).into(),
            ])?;
            self.prose(&line.words())?;
        }
        Ok(())
    }

    /// Writes the differences from an earlier run as sentences.
    fn changes(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        let Some(changes) = &summary.changes else { return Ok(()) };
        self.heading("What changed", &[], &[])?;
        for words in changes.notes.iter().chain(&changes.sentences()) {
            self.line(&[Cell::from(words)])?;
        }
        Ok(())
    }

    fn severities(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        self.heading("Findings by severity", &["findings"], &[])?;
        let first = self.at;
        for severity in Severity::WORST_FIRST {
            self.line(&[severity.name().into(), summary.findings.get(severity).into()])?;
        }
        sheet::mark_severities(self.sheet, first, self.at - 1, 0)
    }

    /// Writes the numbers of audited subjects.
    fn totals(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        self.heading("What was audited", &["number"], &[])?;
        let totals = &summary.totals;
        for (name, count) in [
            ("Inputs", totals.inputs),
            ("Older copies", totals.older_copies),
            ("Regions", totals.regions),
            ("Parcels", totals.parcels),
            ("Objects in regions", totals.objects),
            ("Prims of these objects", totals.parts),
            ("Objects in inventories", totals.nested_objects),
            ("Objects in files", totals.loose_objects),
            ("Mesh assets", totals.meshes),
            ("Convex hulls", totals.hulls),
            ("Objects that cannot be linked", totals.not_linkable),
        ] {
            self.line(&[name.into(), count.into()])?;
        }
        Ok(())
    }

    /// Writes the findings of each family, with a chart.
    fn families(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        let names = Severity::WORST_FIRST.map(Severity::name);
        self.heading("Findings by family", &names, &[])?;
        let first = self.at;
        for family in FAMILIES {
            let counts = summary.of_family(family);
            if counts.all() > 0 {
                let mut cells = vec![Cell::from(family.title)];
                cells.extend(Severity::WORST_FIRST.map(|severity| Cell::from(counts.get(severity))));
                self.line(&cells)?;
            }
        }
        if self.at > first {
            let mut chart = chart("Findings by family", ChartType::BarStacked, self.at - first);
            for (column, severity) in (1..).zip(Severity::WORST_FIRST) {
                let series = chart.add_series().set_name(severity.name());
                series.set_categories(("Summary", first, 0, self.at - 1, 0));
                series.set_values(("Summary", first, column, self.at - 1, column)).set_gap(40);
                series.set_format(ChartSolidFill::new().set_color(style::ink(severity)));
            }
            self.sheet.insert_chart_with_offset(self.charts, CHARTS.1, &chart, GAP, 0)?;
            self.charts += chart_rows(self.at - first) + 1;
        }
        Ok(())
    }

    fn heaviest(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        if summary.heaviest.is_empty() {
            return Ok(());
        }
        self.heading("Heaviest objects", &["land impact", "prims"], &["role", "input", "entry"])?;
        for object in &summary.heaviest {
            self.line(&[
                object.name.as_str().into(),
                whole(object.land_impact),
                object.parts.into(),
                object.role.name().into(),
                file_name(&object.archive).into(),
                object.entry.as_str().into(),
            ])?;
        }
        Ok(())
    }

    /// Writes the worst finding of each rule.
    fn rules(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        for &topic in summary.topics() {
            if let Topic::Rules(part) = topic {
                self.rules_of(summary, part)?;
            }
        }
        Ok(())
    }

    fn rules_of(&mut self, summary: &Summary, part: Part) -> Result<(), XlsxError> {
        let rules = summary.list(Topic::Rules(part));
        if rules.is_empty() {
            return Ok(());
        }
        let title = match part {
            Part::Whole => Topic::Rules(part).title(),
            _ => part.title(),
        };
        self.heading(title, &["findings"], &["severity", "code", "input", "message"])?;
        let first = self.at;
        for line in &rules {
            let Line::Rule(worst, counts) = line else { continue };
            self.line(&[
                file_name(worst.subject()).into(),
                counts.get(worst.severity).into(),
                worst.severity.name().into(),
                worst.code.name().into(),
                file_name(&worst.archive).into(),
            ])?;
            self.prose(&shortened(&worst.message, MESSAGE))?;
        }
        sheet::mark_severities(self.sheet, first, self.at - 1, 2)
    }

    fn not_read(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        self.heading("Not fully read", &[], &["status", "", "", "", "path"])?;
        for input in summary.not_read.iter().take(LINES) {
            let mut cells = vec![file_name(&input.archive).into(), input.status.name().into()];
            cells.resize(PROSE.into(), Cell::Empty);
            cells.push((&input.archive).into());
            self.line(&cells)?;
        }
        if summary.not_read.is_empty() {
            self.line(&["Every covered input was fully read.".into()])?;
        } else if summary.not_read.len() > LINES {
            let more = summary.not_read.len() - LINES;
            self.line(&[Cell::show(format_args!("and {more} more (sheet About)"))])?;
        }
        if let Some(words) = summary.unknown_files_in_words() {
            self.line(&[Cell::show(words)])?;
        }
        Ok(())
    }

    /// Writes the inputs that another run covers.
    fn not_covered(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        let Some(not_covered) = &summary.not_covered else { return Ok(()) };
        self.heading("Not covered", &["bytes"], &["last read"])?;
        for input in not_covered.archives.iter().take(LINES) {
            let read = input.last_read.as_deref().unwrap_or("never");
            self.line(&[(&input.archive).into(), input.bytes.into(), read.into()])?;
        }
        if not_covered.inputs > LINES as u64 {
            let more = not_covered.inputs - LINES as u64;
            self.line(&[Cell::show(format_args!("and {more} more (sheet About)"))])?;
        }
        Ok(())
    }

    /// Writes the rules that could not be evaluated for all subjects, the greatest number first.
    fn not_evaluated(&mut self, summary: &Summary) -> Result<(), XlsxError> {
        self.heading(Topic::NotEvaluated.title(), &["number"], &["code", "reason"])?;
        let lines = summary.list(Topic::NotEvaluated);
        if lines.is_empty() {
            self.line(&["Every rule was evaluated for all its subjects.".into()])?;
        }
        for line in lines {
            let Line::NotEvaluated(code, reason, count) = line else { continue };
            let title = catalogue::rule(code).title;
            self.line(&[title.into(), count.into(), code.name().into(), reason.text().into()])?;
        }
        Ok(())
    }

    /// Writes the heading of a list after a blank row: its name, then the headings of number columns and of text
    /// columns.
    fn heading(&mut self, name: &str, numbers: &[&str], words: &[&str]) -> Result<(), XlsxError> {
        self.at += 1;
        let look = style::heading();
        self.sheet.write_string_with_format(self.at, 0, name, &look)?;
        let look = look.set_font_size(10);
        let numbers = numbers.iter().map(|number| (number, look.clone().set_align(FormatAlign::Right)));
        let words = words.iter().map(|words| (words, look.clone().set_indent(1)));
        for (place, (column, look)) in (1..).zip(numbers.chain(words)) {
            self.sheet.write_string_with_format(self.at, place, *column, &look)?;
        }
        self.at += 1;
        Ok(())
    }

    /// Writes a line of a list.
    fn line(&mut self, cells: &[Cell<'_>]) -> Result<(), XlsxError> {
        for (place, cell) in (0..).zip(cells) {
            let kind = match cell {
                Cell::Int(_) => Kind::Int,
                Cell::Real(_) => Kind::Real,
                _ => Kind::Text,
            };
            self.write(self.at, place, kind, cell)?;
        }
        self.at += 1;
        Ok(())
    }

    /// Adds sentences to the last line.
    fn prose(&mut self, words: &str) -> Result<(), XlsxError> {
        let row = self.at - 1;
        self.sheet.write_string_with_format(row, PROSE, cell::fit(words), &style::prose())?;
        sheet::set_lines(self.sheet, row, sheet::lines_of(words, WIDTHS[usize::from(PROSE)].into()))
    }

    fn write(&mut self, row: u32, column: u16, kind: Kind, cell: &Cell<'_>) -> Result<(), XlsxError> {
        cell::write(self.sheet, row, column, kind, cell)?;
        if !matches!(cell, Cell::Empty) {
            let look = style::cells(kind);
            let look = match kind {
                Kind::Text if column > 0 => look.set_align(FormatAlign::Left).set_indent(1),
                _ => look,
            };
            self.sheet.set_cell_format(row, column, &look)?;
        }
        Ok(())
    }
}

/// Returns a cell with a land impact, which viewers show as a whole number.
fn whole(number: f64) -> Cell<'static> {
    Cell::Int(number.round() as i64)
}

/// Returns the last part of a path, whose beginning says little.
fn file_name(path: &str) -> &str {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

/// Creates a chart of horizontal bars, the first on top.
fn chart(title: &str, kind: ChartType, bars: u32) -> Chart {
    let mut chart = Chart::new(kind);
    chart.title().set_name(title);
    chart.title().set_font(ChartFont::new().set_size(12));
    // Axes of horizontal bars: y has the names, x the numbers.
    chart.y_axis().set_reverse();
    chart.x_axis().set_min(0).set_label_position(ChartAxisLabelPosition::High);
    chart.set_width(500).set_height(20 * chart_rows(bars));
    chart
}

/// Number of rows that a chart covers.
fn chart_rows(bars: u32) -> u32 {
    6 + bars
}

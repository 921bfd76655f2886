//! Differences of one archive.
//!
//! A missing finding or object is gone only if the run read the archive to its end; otherwise it is not compared. An
//! added archive is one change, and its findings are new. A removed archive is one change, and nothing of it is gone: it
//! was not read. Waived findings are neither new nor worse. File sizes are not compared, because packing changes them.

use super::{
    Archive, Change, ChangeKind, Compared, Content, Figure, LAND_IMPACT, Linkset, OF_REGION, What,
    lost::Lost, pairs, same,
};
use hullmark_ledger::facts::Status;
use hullmark_util::number_text::{counted, thousands};

/// What an archive adds to the changes.
#[derive(Default)]
pub(super) struct Found {
    pub(super) rows: Vec<Change>,
    pub(super) lost: Lost,
    pub(super) compared: Compared,
}

impl Found {
    /// Adds an archive that only one run has, with its contents in a line.
    pub(super) fn of_one(&mut self, became: ChangeKind, archive: &Archive, content: &Content) {
        if archive.is_absent() {
            return;
        }
        let brief = &archive.input.brief;
        let objects = brief.objects + brief.nested_objects + brief.loose_objects;
        let assets = brief.assets + brief.empty_assets;
        let contents = [(objects, "object"), (assets, "asset"), (content.findings.len() as u64, "finding")];
        let contents = contents.map(|(count, what)| counted(count, what)).join(", ");
        let message = match became {
            ChangeKind::Added => format!("{contents}; all findings are new"),
            _ => format!("{contents} in the earlier run; no finding counts as gone"),
        };
        self.rows.push(Change { message, ..Change::new(became, What::Archive, archive) });
    }

    /// Compares an archive of both runs.
    pub(super) fn of_both(&mut self, [before, after]: [&Archive; 2], [had, has]: [&Content; 2]) {
        let mut not_compared = 0_u64;
        for pairs::Pair { key: (code, _), before: known, after: found } in
            pairs::of_findings(&had.findings, &has.findings)
        {
            match (known, found) {
                (_, Some(found)) if found.waived => {}
                (Some(known), Some(found)) => {
                    if let Some(became) = found.change_from(known, code) {
                        self.rows.push(Change::of_both(became, after, code, known, found));
                    }
                }
                (None, Some(found)) if before.is_whole() => {
                    self.rows.push(Change::of_finding(ChangeKind::New, after, code, found));
                }
                (Some(known), None) if after.is_whole() => {
                    self.rows.push(Change::of_finding(ChangeKind::Gone, after, code, known));
                }
                _ => not_compared += 1,
            }
        }
        for pairs::Pair { before: known, after: found, .. } in
            pairs::of_linksets(&had.linksets, &has.linksets)
        {
            match (known, found) {
                (Some(known), Some(found)) => {
                    if known.uuid != found.uuid {
                        self.compared.under_new_uuids += u64::from(found.count);
                    }
                    let row = || Change::of_linkset(ChangeKind::Increased, after, found);
                    self.numbers(row, &linkset_numbers(known, found));
                }
                (None, Some(found)) if before.is_whole() => {
                    self.rows.push(Change::of_linkset(ChangeKind::Added, after, found));
                }
                (Some(known), None) if after.is_whole() => {
                    self.rows.push(Change::of_linkset(ChangeKind::Removed, after, known));
                }
                _ => not_compared += 1,
            }
        }
        if before.is_whole() && after.is_whole() {
            let numbers = archive_numbers(before, after);
            self.numbers(|| Change::new(ChangeKind::Increased, What::Archive, after), &numbers);
            self.regions(before, after);
        } else {
            let (which, status) = match after.is_whole() {
                true => ("The earlier run", before.input.brief.status),
                false => ("This run", after.input.brief.status),
            };
            let failure = match status {
                Status::NotCovered => "did not cover it".to_owned(),
                _ => format!("did not read it to its end ({})", status.name()),
            };
            let message = format!(
                "{which} {failure}. Sums are not compared; {} that only the other run has are not compared",
                match not_compared {
                    1 => "1 finding or object".to_owned(),
                    count => format!("{} findings and objects", thousands(count)),
                }
            );
            let row = Change::new(ChangeKind::NotCompared, What::Archive, after);
            self.rows.push(Change { message, ..row });
        }
    }

    fn regions(&mut self, before: &Archive, after: &Archive) {
        let of = |became, region| Change::in_region(became, after, region);
        for (identity, region) in &after.regions {
            match before.regions.get(identity) {
                Some(known) => {
                    let measures = OF_REGION.iter().map(|(measure, _)| measure.name());
                    let numbers = measures.zip(known.numbers).zip(region.numbers);
                    let numbers: Vec<_> = numbers.map(|((name, was), is)| (name, was, is)).collect();
                    self.numbers(|| of(ChangeKind::Increased, region), &numbers);
                }
                None => {
                    self.rows
                        .push(of(ChangeKind::Added, region).with_land_impact(None, region.land_impact()));
                }
            }
        }
        for (_, region) in
            before.regions.iter().filter(|(identity, _)| !after.regions.contains_key(*identity))
        {
            self.rows.push(of(ChangeKind::Removed, region).with_land_impact(region.land_impact(), None));
        }
    }

    /// Adds a row for each changed number.
    fn numbers(&mut self, row: impl Fn() -> Change, numbers: &[Number]) {
        for &(measure, before, after) in numbers {
            let (Some(before), Some(after)) = (before, after) else { continue };
            // A lower bound and an exact number cannot be compared.
            if before.bound != after.bound || same(before.value, after.value) {
                continue;
            }
            let became =
                if after.value > before.value { ChangeKind::Increased } else { ChangeKind::Decreased };
            self.rows.push(Change {
                became,
                measure: Some(measure),
                before: Some(before.value),
                after: Some(after.value),
                at_least: after.bound,
                ..row()
            });
        }
    }
}

/// A number: its column, its value before and its value now.
type Number = (&'static str, Option<Figure>, Option<Figure>);

fn whole(number: u32) -> Figure {
    Figure { value: number.into(), bound: false }
}

fn count(measure: &'static str, before: u64, after: u64) -> Number {
    let figure = |value: u64| Some(Figure { value: value as f64, bound: false });
    (measure, figure(before), figure(after))
}

fn archive_numbers(before: &Archive, after: &Archive) -> [Number; 6] {
    let (was, is) = (&before.input.brief, &after.input.brief);
    [
        count("assets", was.assets + was.empty_assets, is.assets + is.empty_assets),
        count("empty_assets", was.empty_assets, is.empty_assets),
        count("objects", was.objects, is.objects),
        count("parts", before.parts, after.parts),
        count("nested_objects", was.nested_objects, is.nested_objects),
        count("loose_objects", was.loose_objects, is.loose_objects),
    ]
}

fn linkset_numbers(before: &Linkset, after: &Linkset) -> [Number; 5] {
    [
        count("count", before.count.into(), after.count.into()),
        count("parts", before.parts.into(), after.parts.into()),
        ("scripts", before.scripts.map(whole), after.scripts.map(whole)),
        (LAND_IMPACT, before.land_impact, after.land_impact),
        ("physics_cost", before.physics_cost, after.physics_cost),
    ]
}

//! Histogram of the land impact of rezzed objects.

use super::chart::Bar;
use hullmark_ledger::facts::Role;
use hullmark_report::tables::objects;
use hullmark_util::number_text::{counted, thousands};

/// Number of bins, each twice as wide as the last. The last bin has no upper end.
const BINS: usize = 16;

/// Objects counted by land impact. The i-th bin ends with 2 to the i.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    bins: [u64; BINS],
    unknown: u64,
}

impl Histogram {
    /// Counts an object.
    pub(super) fn count(&mut self, row: &objects::Row<'_>) {
        if row.object.role == Role::Rezzed {
            self.add(row.measures.land_impact.value());
        }
    }

    fn add(&mut self, land_impact: Option<f64>) {
        match land_impact.filter(|land_impact| !land_impact.is_nan()) {
            Some(land_impact) => {
                let bin = (0..BINS - 1).position(|bin| land_impact <= end(bin)).unwrap_or(BINS - 1);
                self.bins[bin] += 1;
            }
            None => self.unknown += 1,
        }
    }

    /// Returns a bar for each doubling, up to the last with objects.
    pub(super) fn bars(&self) -> Vec<Bar> {
        let used = self.bins.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        let known = self.bins[..used].iter().enumerate().map(|(bin, &count)| bar(label(bin), count));
        let unknown = (self.unknown > 0).then(|| bar("unknown".into(), self.unknown));
        known.chain(unknown).collect()
    }
}

fn end(bin: usize) -> f64 {
    (1_u64 << bin) as f64
}

fn label(bin: usize) -> String {
    match bin {
        0 => "up to 1".into(),
        bin if bin == BINS - 1 => format!("over {}", thousands(1 << (bin - 1))),
        bin => format!("over {}, up to {}", thousands(1 << (bin - 1)), thousands(1 << bin)),
    }
}

fn bar(label: String, count: u64) -> Bar {
    let number = thousands(count);
    let title = format!("land impact {label}: {}", counted(count, "object"));
    Bar { label, title, number, pieces: vec![("plain", count as f64)], link: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_of_regions_are_counted_by_doublings() {
        let mut histogram = Histogram::default();
        for land_impact in [0.0, 1.0, 1.5, 4.0, 4.1] {
            histogram.add(Some(land_impact));
        }
        histogram.add(None);
        let bars: Vec<_> = histogram.bars().into_iter().map(|bar| (bar.label, bar.number)).collect();
        let expected = [
            ("up to 1", "2"),
            ("over 1, up to 2", "1"),
            ("over 2, up to 4", "1"),
            ("over 4, up to 8", "1"),
            ("unknown", "1"),
        ];
        assert_eq!(bars, expected.map(|(label, number)| (label.to_owned(), number.to_owned())));
        histogram.add(Some(1e9));
        assert_eq!(histogram.bars().last().unwrap().label, "unknown");
        assert_eq!(histogram.bars()[BINS - 1].label, "over 16,384");
    }
}

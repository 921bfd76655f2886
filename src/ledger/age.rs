//! When an archive was made, how old it is, and which of two is newer.

use crate::{
    ledger::archive::Archive,
    util::dates_in_names::{self, Seconds},
};
use std::ops::RangeInclusive;

/// Clocks are wrong by minutes; one that is wrong by a day tells nothing.
const WRONG: Seconds = 24 * 3600;

/// What tells when a copy was made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Moment<'a> {
    /// Its path, in which a date may stand.
    pub name: &'a str,
    /// The date in archive.xml.
    pub created: Option<Seconds>,
    /// When its file was changed last.
    pub modified: Option<Seconds>,
}

impl<'a> Moment<'a> {
    pub(crate) fn new(archive: &'a Archive) -> Self {
        Self { name: &archive.name, created: archive.brief.created, modified: archive.modified }
    }
}

/// Sorts copies whose paths differ in dates only, the oldest first. This is the one order of copies: by the date in
/// archive.xml, then by the date in the name, then by the time of the file, and by path where all three are equal.
///
/// A copy without a date in archive.xml, because it is broken for example, stands behind every copy whose name has the
/// same date or an earlier one. So it leaves the order of the others as it is.
pub(crate) fn sort<T>(copies: &mut [T], moment: impl Fn(&T) -> Moment<'_>) {
    let mut created: Vec<_> = copies
        .iter()
        .map(&moment)
        .filter_map(|moment| Some((dates_in_names::date_in(moment.name), moment.created?)))
        .collect();
    created.sort_unstable();
    // From each date in a name on: when the newest copy up to there was made.
    let mut newest = None;
    for (_, created) in &mut created {
        newest = newest.max(Some(*created));
        *created = newest.unwrap_or(*created);
    }
    copies.sort_by_cached_key(|copy| {
        let Moment { name, created: exact, modified } = moment(copy);
        let named = dates_in_names::date_in(name);
        let before = created.partition_point(|(date, _)| *date <= named);
        let made = exact.or_else(|| Some(created[before.checked_sub(1)?].1));
        (made, named, modified, name.to_owned())
    });
}

/// How old an archive is at least and at most, in seconds. The export's own word comes first: it goes with the archive
/// wherever it is copied. The date in the name is of a clock whose time zone is not known; where the time of the file
/// fits into it, that is the moment. Of a time that is still to come nothing is believed.
pub(crate) fn age(archive: &Archive, now: Seconds) -> Option<RangeInclusive<Seconds>> {
    let named = dates_in_names::span_in(&archive.name);
    let modified = archive.modified.filter(|time| named.as_ref().is_none_or(|named| named.contains(time)));
    let exact = |time: Seconds| time..=time;
    let reported = [archive.brief.created.map(exact), modified.map(exact), named];
    let believed = reported.into_iter().flatten().find(|span| *span.start() <= now + WRONG)?;
    Some(now - believed.end()..=now - believed.start())
}

//! The time at which an archive was made, its age, and the order of copies.

use crate::archive::Archive;
use hullmark_util::dates_in_names::{self, Seconds};
use std::ops::RangeInclusive;

/// Tolerated clock error. A clock that is wrong by more than a day gives no usable time.
const WRONG: Seconds = 24 * 3600;

/// The times from which the age of a copy is computed.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Path of the archive, which may contain a date.
    pub name: &'a str,
    /// Date in `archive.xml`.
    pub created: Option<Seconds>,
    pub modified: Option<Seconds>,
}

impl<'a> Moment<'a> {
    pub fn new(archive: &'a Archive) -> Self {
        Self { name: &archive.name, created: archive.brief.created, modified: archive.modified }
    }
}

/// Sorts copies, the oldest first. No other code orders copies. The keys are the date in `archive.xml`, the date in the
/// name, the time of the file, and the path.
///
/// A copy may have no date in `archive.xml`, for example because it is broken. It then follows every copy whose name
/// has the same or an earlier date. So the order of the other copies does not change. Without a date in the name, the
/// time of the file counts.
pub fn sort<T>(copies: &mut [T], moment: impl Fn(&T) -> Moment<'_>) {
    let mut created: Vec<_> = copies
        .iter()
        .map(&moment)
        .filter_map(|moment| Some((dates_in_names::date_in(moment.name), moment.created?)))
        .collect();
    created.sort_unstable();
    // For each date in a name: when the newest copy up to that date was made.
    let mut newest = None;
    for (_, created) in &mut created {
        newest = newest.max(Some(*created));
        *created = newest.unwrap_or(*created);
    }
    copies.sort_by_cached_key(|copy| {
        let Moment { name, created: exact, modified } = moment(copy);
        let named = dates_in_names::date_in(name);
        let before = created.partition_point(|(date, _)| *date <= named);
        let follows = || Some(created[before.checked_sub(1)?].1);
        let made = exact.or_else(|| match named {
            None if !created.is_empty() => modified.or_else(follows),
            _ => follows(),
        });
        (made, named.or(modified), modified, name.to_owned())
    });
}

/// Returns the minimum and maximum age of an archive in seconds, `None` if no time is usable.
///
/// The date in `archive.xml` comes first, because it stays the same when the archive is copied. The time zone of the
/// date in the name is unknown. If the time of the file is within the span of that date, the time of the file is used.
/// A time in the future is ignored.
pub fn age(archive: &Archive, now: Seconds) -> Option<RangeInclusive<Seconds>> {
    let named = dates_in_names::span_in(&archive.name);
    let modified = archive.modified.filter(|time| named.as_ref().is_none_or(|named| named.contains(time)));
    let exact = |time: Seconds| time..=time;
    let reported = [archive.brief.created.map(exact), modified.map(exact), named];
    let believed = reported.into_iter().flatten().find(|span| *span.start() <= now + WRONG)?;
    Some(now - believed.end()..=now - believed.start())
}

//! When an archive was made, and how old it is.

use super::Archive;
use crate::dated::{self, Seconds};
use std::ops::RangeInclusive;

/// Clocks are wrong by minutes; one that is wrong by a day tells nothing.
const WRONG: Seconds = 24 * 3600;

/// Archives of one series, the oldest first: by what all of them tell, which is when the export was made, the date in
/// the name, and when the file was changed, in this order. Nothing where that does not tell them apart.
pub(super) fn in_order<'a>(archives: &[&'a Archive]) -> Option<Vec<&'a Archive>> {
    let tellers: [fn(&Archive) -> Option<Seconds>; 3] = [
        |archive| archive.brief.created,
        |archive| dated::date_in(&archive.name),
        |archive| archive.modified,
    ];
    let told =
        |teller: &fn(&Archive) -> Option<Seconds>| archives.iter().all(|archive| teller(archive).is_some());
    let tellers: Vec<_> = tellers.into_iter().filter(told).collect();
    let moment = |archive: &Archive| tellers.iter().map(|teller| teller(archive)).collect::<Vec<_>>();
    let mut sorted = archives.to_vec();
    sorted.sort_by_key(|archive| moment(archive));
    let apart = sorted.windows(2).all(|pair| moment(pair[0]) < moment(pair[1]));
    apart.then_some(sorted)
}

/// How old an archive is at least and at most, in seconds. The export's own word comes first: it goes with the archive
/// wherever it is copied. The date in the name is of a clock whose time zone is not known; where the time of the file
/// fits into it, that is the moment. Of a time that is still to come nothing is believed.
pub(super) fn age(archive: &Archive, now: Seconds) -> Option<RangeInclusive<Seconds>> {
    let named = dated::span_in(&archive.name);
    let modified = archive.modified.filter(|time| named.as_ref().is_none_or(|named| named.contains(time)));
    let exact = |time: Seconds| time..=time;
    let told = [archive.brief.created.map(exact), modified.map(exact), named];
    let believed = told.into_iter().flatten().find(|span| *span.start() <= now + WRONG)?;
    Some(now - believed.end()..=now - believed.start())
}

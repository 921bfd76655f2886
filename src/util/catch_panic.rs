//! A mistake of this program costs what it was made at, and not the night.

use crate::finding::{Code, Finding};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Does some work; a panic becomes a finding (RUN005) at this member, or about the input where it is of none.
pub(crate) fn caught<T>(entry: &str, work: impl FnOnce() -> T) -> Result<T, Box<Finding>> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Box::new(Finding::new(Code::RUN005).entry(entry).detail(words))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_a_finding() {
        let finding = caught("a.xml", || panic!("no part {}", 7)).expect_err("it panics");
        let told = (finding.code, finding.place.entry.as_str(), finding.detail.as_str());
        assert_eq!(told, (Code::RUN005, "a.xml", "no part 7"));
    }
}

//! Catches panics: a panic loses the current work item, not the run.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `work` and catches its panic.
///
/// # Errors If `work` panics: the message of the panic.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        words.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message").to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(caught(|| 7), Ok(7));
        assert_eq!(caught(|| panic!("no part {}", 7)), Err("no part 7".to_owned()));
    }
}

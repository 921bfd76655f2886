//! When work on an input is abandoned.

use std::{
    error::Error,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// A moment after which no more work is done on an input: its time is over, or a signal asks the run to end. By default
/// there is none. It is looked at wherever bytes come from the disk, between members, and inside of long geometry.
#[derive(Debug, Clone, Default)]
pub struct Deadline {
    end: Option<(Instant, Duration)>,
    signal: Option<Arc<AtomicBool>>,
}

/// The moment has come. It travels as an error of the disk, because decoders hand those on as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Over {
    /// The input took as long as it may.
    #[error("the time limit of {} for one input is over", humantime::format_duration(*.0))]
    Time(Duration),
    /// Somebody asked the run to end.
    #[error("a signal asked the run to end")]
    Signal,
}

impl Deadline {
    /// So much time from now, where a time is given. One too long to be told is none.
    pub fn after(time: Option<Duration>) -> Self {
        let end = time.and_then(|time| Some((Instant::now().checked_add(time)?, time)));
        Self { end, signal: None }
    }

    /// The same, or as soon as this is set.
    pub fn or_signal(self, signal: Arc<AtomicBool>) -> Self {
        Self { signal: Some(signal), ..self }
    }

    /// How much time is left; nothing where there is no end.
    #[cfg(feature = "object-store")]
    pub fn left(&self) -> Option<Duration> {
        self.end.map(|(end, _)| end.saturating_duration_since(Instant::now()))
    }

    /// Whether the moment has come, and which.
    pub fn over(&self) -> Option<Over> {
        if self.signal.as_ref().is_some_and(|signal| signal.load(Ordering::Relaxed)) {
            return Some(Over::Signal);
        }
        self.end.filter(|(end, _)| Instant::now() >= *end).map(|(_, time)| Over::Time(time))
    }

    /// Nothing, or that the moment has come.
    ///
    /// # Errors
    /// [`Over`], from that moment on.
    pub fn check(&self) -> io::Result<()> {
        self.over().map_or(Ok(()), |over| Err(io::Error::other(over)))
    }
}

/// Whether an error says that the moment has come.
pub fn is_over(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn Error + Send + Sync>::is::<Over>)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_is_over_is_reported_from_a_disk_that_fails() {
        let over = Deadline::after(Some(Duration::ZERO)).check().unwrap_err();
        assert!(is_over(&over) && over.to_string() == "the time limit of 0s for one input is over");
        assert!(!is_over(&io::Error::from(io::ErrorKind::TimedOut)));
        for later in [None, Some(Duration::MAX), Some(Duration::from_secs(3600))] {
            Deadline::after(later).check().unwrap();
        }
    }

    #[test]
    fn a_signal_ends_work_before_its_deadline() {
        let signal = Arc::new(AtomicBool::new(false));
        let deadline = Deadline::after(Some(Duration::from_secs(3600))).or_signal(Arc::clone(&signal));
        assert_eq!(deadline.over(), None);
        signal.store(true, Ordering::Relaxed);
        assert_eq!(deadline.over(), Some(Over::Signal));
        assert!(is_over(&deadline.check().unwrap_err()));
    }
}

//! Checks of the machine: threads, memory and open files.

use crate::cli::Settings;
use hullmark_report::doctor::{Check, Machine, State};
use hullmark_scan as scan;
use hullmark_util::number_text::{bytes, counted};
use std::{fs, thread};

/// A run opens each input, the tables of a report, and temporary files.
const OPEN_FILES: u64 = 256;

pub(super) fn look(settings: &Settings) -> Machine {
    Machine {
        threads: scan::how_many(settings.config.threads) as u64,
        processors: thread::available_parallelism().ok().map(|count| count.get() as u64),
        memory_bytes: memory(),
        open_files: open_files(),
    }
}

/// Returns the memory that is available: that of the machine, or of the control group if it is less.
fn memory() -> Option<u64> {
    let read = |file: &str| fs::read_to_string(file).ok();
    let machine = read("/proc/meminfo").and_then(|text| available(&text));
    let group = read("/sys/fs/cgroup/memory.max").and_then(|text| text.trim().parse().ok());
    machine.into_iter().chain(group).min()
}

/// Reads `MemAvailable` in /proc/meminfo.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(unix)]
fn open_files() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current
}

#[cfg(not(unix))]
fn open_files() -> Option<u64> {
    None
}

pub(super) fn checks(machine: &Machine, settings: &Settings) -> [Check; 3] {
    [threads(machine), memory_check(machine, settings), files(machine)]
}

fn threads(machine: &Machine) -> Check {
    let threads = counted(machine.threads, "thread");
    match machine.processors {
        Some(processors) if machine.threads > processors => {
            let text = format!(
                "{threads} for {}. Set `threads` to 0 in the settings.",
                counted(processors, "processor")
            );
            Check::new("threads", State::Warning, text)
        }
        Some(processors) => {
            Check::new("threads", State::Ok, format!("{threads} for {}.", counted(processors, "processor")))
        }
        None => {
            Check::new("threads", State::Unknown, format!("{threads}. The number of processors is unknown."))
        }
    }
}

/// A run takes its whole budget only with the largest inputs, one for each thread. It needs the budget of one.
fn memory_check(machine: &Machine, settings: &Settings) -> Check {
    let limits = &settings.config.limits;
    let one = limits.facts_bytes.saturating_add(limits.bytes_in_flight);
    let all = limits.facts_bytes.saturating_mul(machine.threads);
    let budget = format!("One input may take {}, and all threads {}", bytes(one), bytes(all));
    match machine.memory_bytes {
        None => Check::new("memory", State::Unknown, format!("{budget}. The available memory is unknown.")),
        Some(memory) if memory < one => {
            let text = format!(
                "{budget}. Only {} are available. Lower `facts_bytes` in [limits], or use fewer threads.",
                bytes(memory)
            );
            Check::new("memory", State::Warning, text)
        }
        Some(memory) => {
            Check::new("memory", State::Ok, format!("{budget}. {} are available.", bytes(memory)))
        }
    }
}

fn files(machine: &Machine) -> Check {
    match machine.open_files {
        None => Check::new("open files", State::Unknown, "The limit is unknown."),
        Some(limit) if limit < OPEN_FILES => {
            let text = format!("The limit is {limit}. Raise it to {OPEN_FILES} or more (ulimit -n).");
            Check::new("open files", State::Warning, text)
        }
        Some(u64::MAX) => Check::new("open files", State::Ok, "There is no limit."),
        Some(limit) => Check::new("open files", State::Ok, format!("The limit is {limit}.")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn available_memory_is_read_in_bytes() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:    2048 kB\n"), Some(2_097_152));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
        assert_eq!(available("MemAvailable: many\n"), None);
    }

    #[test]
    fn few_open_files_and_too_many_threads_are_warnings() {
        let machine = |threads, open_files| Machine {
            threads,
            processors: Some(2),
            memory_bytes: None,
            open_files: Some(open_files),
        };
        let state = |machine: &Machine| [threads(machine).state, files(machine).state];
        assert_eq!(state(&machine(2, 1024)), [State::Ok, State::Ok]);
        assert_eq!(state(&machine(3, 64)), [State::Warning, State::Warning]);
    }
}

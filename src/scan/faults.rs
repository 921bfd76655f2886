//! Real faults for tests: the end of the process while it reads an input. Release builds have none.

/// Ends the process, or waits for its end, if a test asks for it at this input. The variable HULLMARK_FAULT has a word
/// and the end of the name, as `abort bad.oar`.
#[cfg(debug_assertions)]
pub(super) fn at(input: &str) {
    let Ok(asked) = std::env::var("HULLMARK_FAULT") else { return };
    for (word, end) in asked.split(',').filter_map(|fault| fault.split_once(' ')) {
        match word {
            _ if !input.ends_with(end) => {}
            "abort" => std::process::abort(),
            // Until the system has no more memory for this process.
            "memory" => std::mem::forget((0..1 << 14).map(|_| vec![1_u8; 1 << 20]).collect::<Vec<_>>()),
            _ => std::thread::sleep(std::time::Duration::from_secs(600)),
        }
    }
}

#[cfg(not(debug_assertions))]
pub(super) fn at(_: &str) {}

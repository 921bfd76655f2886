//! The time of each stage, which `--timings` prints.
//!
//! A thread is in one stage at a time. Nested work belongs to the inner stage alone, so all stages add up to the time
//! of all threads, each second once. Nothing is measured unless [`start`] was called.

use crate::named;
use std::{
    cell::Cell,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    time::{Duration, Instant},
};

named! {
/// What a thread does, in the order in which data goes through the stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Reads files from the disk, and hashes them.
    Read = "read",
    /// Unpacks gzip; its bytes are those that come out.
    Inflate = "inflate",
    /// Takes members out of archives.
    Tar = "tar",
    /// Hashes assets, and looks through texts and textures.
    Assets = "assets",
    /// Reads XML: objects, regions, inventories.
    Xml = "XML",
    Meshes = "meshes",
    /// Hulls, widths, volumes and what else follows from points.
    Geometry = "geometry",
    Ledger = "ledger",
    /// Physics shapes, costs and linkability of objects and regions.
    Cost = "cost",
    /// Evaluates the rules, and looks for savings.
    Rules = "rules",
    Write = "write",
    Other = "other",
    Waiting = "waiting",
}
}

static ON: AtomicBool = AtomicBool::new(false);
static NANOSECONDS: [AtomicU64; Stage::ALL.len()] = [const { AtomicU64::new(0) }; Stage::ALL.len()];
static BYTES: [AtomicU64; Stage::ALL.len()] = [const { AtomicU64::new(0) }; Stage::ALL.len()];

thread_local! {
    static NOW: Cell<Option<(Stage, Instant)>> = const { Cell::new(None) };
}

/// Starts measuring, with this thread in [`Stage::Other`].
pub fn start() {
    ON.store(true, Relaxed);
    switch(Some(Stage::Other));
}

/// Runs `work` in this stage.
pub fn within<T>(stage: Stage, work: impl FnOnce() -> T) -> T {
    if !ON.load(Relaxed) {
        return work();
    }
    let _back = Back(switch(Some(stage)));
    work()
}

pub fn pass(stage: Stage, bytes: usize) {
    if ON.load(Relaxed) {
        BYTES[stage as usize].fetch_add(bytes as u64, Relaxed);
    }
}

/// Returns the time of each stage so far, and its bytes; `None` for a stage without bytes.
pub fn taken() -> Vec<(Stage, Duration, Option<u64>)> {
    // Includes the current stage of this thread up to now.
    switch(NOW.get().map(|(stage, _)| stage));
    let spent = |stage: Stage| {
        let bytes = BYTES[stage as usize].load(Relaxed);
        let time = Duration::from_nanos(NANOSECONDS[stage as usize].load(Relaxed));
        (stage, time, (bytes > 0).then_some(bytes))
    };
    Stage::ALL.into_iter().map(spent).collect()
}

/// Ends the current stage of this thread and begins the next. Returns the ended one.
fn switch(to: Option<Stage>) -> Option<Stage> {
    let now = Instant::now();
    let (stage, since) = NOW.replace(to.map(|stage| (stage, now)))?;
    NANOSECONDS[stage as usize].fetch_add((now - since).as_nanos() as u64, Relaxed);
    Some(stage)
}

/// Returns to the outer stage when dropped, also on a panic.
struct Back(Option<Stage>);

impl Drop for Back {
    fn drop(&mut self) {
        switch(self.0);
    }
}

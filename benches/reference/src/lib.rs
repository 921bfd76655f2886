//! Shared code of the reference programs: arguments, files, threads.

use anyhow::{Context, Result};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Takes the arguments `THREADS PATH...`, calls `work` for each file of these paths on that many threads, and adds up
/// the counts.
///
/// # Errors
/// Invalid arguments, and the first error of the disk or of `work`.
pub fn sum_over_files(work: impl Fn(&Path) -> Result<[u64; 2]> + Sync) -> Result<[u64; 2]> {
    let mut arguments = std::env::args().skip(1);
    let threads = arguments.next().context("Say how many threads, and then which files or folders.")?;
    let threads = threads.parse().context("The first argument is the number of threads.")?;
    let files = arguments.map(|path| files_below(Path::new(&path))).collect::<Result<Vec<_>>>()?.concat();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    pool.install(|| {
        let each = files
            .par_iter()
            .map(|path| work(path).with_context(|| format!("{} cannot be read to its end.", path.display())));
        each.try_reduce(|| [0; 2], |[a, b], [c, d]| Ok([a + c, b + d]))
    })
}

fn files_below(path: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(path) {
        let entry = entry?;
        if entry.file_type().is_file() {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

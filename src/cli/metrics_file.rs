//! Writes `--metrics`: a file for Prometheus, replaced as a whole.

use super::Settings;
use anyhow::{Context, ensure};
use hullmark_report::{
    Summary,
    metrics::{RunTimes, metrics},
};
use std::{io::Write, path::Path, time::SystemTime};

fn folder(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Checks before a run that the folder is there.
pub(super) fn ensure_folder(file: &Path) -> anyhow::Result<()> {
    ensure!(
        folder(file).is_dir(),
        "The folder of --metrics {} does not exist. Create it, or name another file",
        file.display()
    );
    Ok(())
}

/// Writes the numbers of a run to a temporary file, and renames it: node_exporter never reads half of it.
pub(super) fn write(
    file: Option<&Path>,
    summary: Option<&Summary>,
    exit: u8,
    settings: &Settings,
) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    let run =
        RunTimes { end: settings.now.unwrap_or_else(SystemTime::now), took: settings.began.elapsed(), exit };
    let text = metrics(summary, &run);
    replace(file, text.as_bytes()).with_context(|| {
        format!("The metrics cannot be written to {}. Give another --metrics", file.display())
    })
}

/// Replaces a file as a whole.
pub(super) fn replace(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hullmark-").suffix(".tmp");
    // Other users read it, as node_exporter does. The usual mask still applies.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut temporary = builder.tempfile_in(folder(file))?;
    temporary.write_all(bytes)?;
    temporary.persist(file).map_err(|error| error.error)?;
    Ok(())
}

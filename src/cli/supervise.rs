//! A small process that outlives the crash of a run.
//!
//! Nothing can catch a full stack, a lack of memory or SIGKILL. A run with a folder of ledgers is continued by the next
//! one. A run without such a folder has a parent: this process starts it, waits, and starts it again after a crash. So has
//! a run that will read an input whose reading ended an earlier run. Files say which inputs were being read
//! ([`attempts`]). So the second process reads them last and alone, and a third leaves out those that are the reason.
//! Finished ledgers are in files and are not read again.
//!
//! The two are connected by standard input of the run. The parent writes each signal to it, and its end is the death of
//! the parent. So a signal counts once, whether a terminal sends it to both or a service manager to one of them.

use super::{Cli, Outcome, Settings, standard_input};
use anyhow::Context;
use hullmark_scan::attempts;
use hullmark_storage as storage;
use hullmark_util::log::{self, Level};
use signal_hook::{
    consts::{SIGINT, SIGTERM},
    flag,
};
use std::{
    env, fs,
    io::{self, IsTerminal, Read, Write},
    path::{Path, PathBuf},
    process::{self, Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// Time between two looks for signals.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// The variable that limits the arenas of glibc. Other systems do not read it.
const ARENAS: &str = "MALLOC_ARENA_MAX";

/// Added to the number of a signal in the exit code of a process that it ended.
const BY_SIGNAL: u8 = 128;

/// The exit code of a run whose parent died, as after SIGKILL.
const ORPHANED: i32 = 137;

/// The flag that ends a run, once the run has taken it.
static STOP: OnceLock<Arc<AtomicBool>> = OnceLock::new();

/// Runs the command in another process, if it is one that needs a parent. Returns its exit code.
pub(super) fn run(cli: &Cli, settings: &Settings) -> anyhow::Result<Option<u8>> {
    let args = cli.command.args();
    let Some(ledgers) = args.ledgers(settings).filter(|_| settings.supervised.is_none()) else {
        return Ok(None);
    };
    // An object store has no locks.
    let ledgers = ledgers.filter(|folder| !storage::is_url(folder));
    if ledgers.is_some_and(|folder| !attempts::know_deaths(folder)) || names_pipe() {
        return Ok(None);
    }
    let input_limit = args.of_standard_input(&settings.config.limits);
    // Nobody can be asked twice. The error of a terminal comes from the command.
    if input_limit.is_some() && io::stdin().is_terminal() {
        return Ok(None);
    }
    let Ok(folder) = tempfile::tempdir() else { return Ok(None) };
    if let Some(most) = input_limit {
        standard_input::save(folder.path(), most)?;
    }
    let signals = Signals::install().context("The handler of signals cannot be installed")?;
    // Without a second process, this one does the work.
    let Ok(first) = start(folder.path(), None) else { return Ok(None) };
    let noted_in = ledgers.unwrap_or(folder.path());
    supervise(first, folder.path(), noted_in, &signals, settings).map(Some)
}

/// Waits for a run, and continues it after each crash.
fn supervise(
    mut child: Child,
    folder: &Path,
    noted_in: &Path,
    signals: &Signals,
    settings: &Settings,
) -> anyhow::Result<u8> {
    let mut before: Vec<String> = Vec::new();
    loop {
        let ended = signals.forward_to(child.stdin.take());
        let status = child.wait().context("The process of the run is lost")?;
        ended.store(true, Ordering::Relaxed);
        let reading = attempts::being_read(noted_in, child.id());
        let code = code_of(status);
        if let Some(code) = code.filter(|_| reading.is_empty() || signals.stopped.load(Ordering::Relaxed)) {
            return Ok(code);
        }
        let died = format!("hullmark: the run died ({status})");
        // The same names twice mean that nothing was learnt.
        if reading.is_empty() || reading == before || signals.stopped.load(Ordering::Relaxed) {
            log::say(Level::Error, &format!("{died}, and no report was written."));
            return Ok(code.unwrap_or_else(|| of_signal(status)));
        }
        let next = match reading.len() {
            1 => "It goes on without this input",
            _ => "It goes on, and reads these inputs last, each alone",
        };
        log::say(Level::Warning, &format!("{died} while it read {}. {next}.", reading.join(", ")));
        before = reading;
        child = start(folder, Some(settings)).context("The run cannot be started again")?;
    }
}

/// Starts the run. With settings, it continues one that died.
fn start(folder: &Path, continued: Option<&Settings>) -> io::Result<Child> {
    let mut command = Command::new(program()?);
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.arg0(env::args_os().next().unwrap_or_else(|| "hullmark".into()));
    }
    // The memory of glibc keeps what was freed in each of its arenas. Without a limit it makes eight for each processor.
    if env::var_os(ARENAS).is_none() {
        command.env(ARENAS, thread::available_parallelism().map_or(1, usize::from).to_string());
    }
    command.arg("--supervised").arg(folder);
    if let Some(settings) = continued {
        command.arg("--continues").arg(settings.began.elapsed().as_millis().to_string());
    }
    command.args(env::args_os().skip(1)).stdin(Stdio::piped()).spawn()
}

/// The file of this program. Linux has it even after another one replaced it.
fn program() -> io::Result<PathBuf> {
    let own = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && own.exists() { Ok(own.into()) } else { env::current_exe() }
}

/// Returns the exit code of a process that ended without a crash.
fn code_of(status: ExitStatus) -> Option<u8> {
    // Windows has the reason of a crash in the upper bits.
    status.code().and_then(|code| u8::try_from(code).ok())
}

#[cfg(unix)]
fn of_signal(status: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let signal = status.signal().and_then(|signal| u8::try_from(signal).ok());
    signal.map_or(Outcome::Incomplete as u8, |signal| BY_SIGNAL.saturating_add(signal))
}

#[cfg(not(unix))]
fn of_signal(_: ExitStatus) -> u8 {
    Outcome::Incomplete as u8
}

/// Whether an argument names something that can be read only once, such as a pipe. Then a run cannot start again.
fn names_pipe() -> bool {
    let is_pipe = |path: &Path| fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    env::args_os().skip(1).any(|argument| {
        let value =
            argument.to_str().and_then(|text| text.split_once('=')).map(|(_, value)| value.to_owned());
        is_pipe(Path::new(&argument)) || value.is_some_and(|value| is_pipe(Path::new(&value)))
    })
}

/// The signals that end a run, in its parent.
struct Signals {
    seen: [(u8, Arc<AtomicBool>); 2],
    stopped: Arc<AtomicBool>,
}

impl Signals {
    fn install() -> io::Result<Self> {
        let stopped = Arc::<AtomicBool>::default();
        let flag_of = |signal: i32| {
            let seen = Arc::<AtomicBool>::default();
            flag::register(signal, Arc::clone(&seen))?;
            flag::register(signal, Arc::clone(&stopped))?;
            io::Result::Ok((u8::try_from(signal).unwrap_or_default(), seen))
        };
        Ok(Self { seen: [flag_of(SIGINT)?, flag_of(SIGTERM)?], stopped })
    }

    /// Writes each signal to the run, until the returned flag is set.
    fn forward_to(&self, line: Option<ChildStdin>) -> Arc<AtomicBool> {
        let (seen, ended) = (self.seen.clone(), Arc::<AtomicBool>::default());
        let has_ended = Arc::clone(&ended);
        let forward = move || {
            let Some(mut line) = line else { return };
            while !has_ended.load(Ordering::Relaxed) {
                let signals = seen.iter().filter(|(_, seen)| seen.swap(false, Ordering::Relaxed));
                let signals: Vec<u8> = signals.map(|(signal, _)| *signal).collect();
                // Fails if the run has just ended.
                let _ = line.write_all(&signals).and_then(|()| line.flush());
                thread::sleep(LOOK_EVERY);
            }
        };
        // Without the thread, the line is closed. The run takes that for the death of its parent.
        let _ = thread::Builder::new().spawn(forward);
        ended
    }
}

/// Follows the parent, in the process of the run.
pub(super) fn follow(folder: &Path) -> io::Result<()> {
    standard_input::use_saved(folder);
    for signal in [SIGINT, SIGTERM] {
        // The parent passes them on.
        flag::register(signal, Arc::default())?;
    }
    let follow = || {
        let mut is_stopping = false;
        for signal in io::stdin().lock().bytes().map_while(Result::ok) {
            match STOP.get() {
                Some(stop) if !is_stopping => {
                    is_stopping = true;
                    stop.store(true, Ordering::Relaxed);
                }
                // A second signal, or one before anything is read.
                _ => process::exit(i32::from(BY_SIGNAL.saturating_add(signal))),
            }
        }
        process::exit(ORPHANED);
    };
    thread::Builder::new().spawn(follow).map(drop)
}

/// Lets the first signal of the parent set this flag.
pub(super) fn stop_by(flag: &Arc<AtomicBool>) {
    let _ = STOP.set(Arc::clone(flag));
}

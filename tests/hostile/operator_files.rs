//! Files that an operator names and that never end, or into which nobody writes. Each is refused, and no run waits.

use crate::support::desk::{DONE, Desk, Run, USAGE, faulty};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::{
    io::{Read, Write},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Longest time of a run that is refused. Without a limit it never ends.
const MOST: Duration = Duration::from_secs(60);

/// Each flag and setting with a file that is read whole, as arguments and lines of settings.
const FILES: [(&str, &str); 12] = [
    ("audit --files-from FILE --out report", ""),
    ("audit faulty.oar --users FILE --out report", ""),
    ("audit faulty.oar --waivers FILE --out report", ""),
    ("report --plan FILE ledgers --out report", ""),
    ("scan --plan FILE --shard 1/2 --ledgers ledgers", ""),
    ("audit faulty.oar --out report --config FILE", ""),
    ("audit faulty.oar --out report --profile FILE.toml", ""),
    ("calibrate faulty.oar --measured FILE", ""),
    ("audit faulty.oar --out report --config mine.toml", "[waivers]\nfile = \"FILE\"\n"),
    ("audit faulty.oar --out report --config mine.toml", "[expected]\nlist = \"FILE\"\n"),
    (
        "audit faulty.oar --out report --letters letters --config mine.toml",
        "[letters]\ntemplate = \"FILE.txt\"\n",
    ),
    ("audit faulty.oar --out report --config mine.toml", "[notify]\njson = \"file:FILE\"\n"),
];

fn desk() -> Desk {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    desk.run_to(DONE, "scan faulty.oar --ledgers ledgers");
    // Templates and profiles are known by the ends of their names.
    for name in ["endless.txt", "endless.toml"] {
        std::os::unix::fs::symlink("/dev/zero", desk.at(name)).unwrap();
    }
    ["pipe.txt", "pipe.toml"].iter().for_each(|name| pipe(&desk, name));
    desk
}

/// Returns arguments or settings with this file.
fn named(text: &str, file: &str) -> String {
    let with_ending =
        text.replace("FILE.toml", &format!("{file}.toml")).replace("FILE.txt", &format!("{file}.txt"));
    with_ending.replace("FILE", &format!("{file}.txt"))
}

/// Makes a pipe with a name.
fn pipe(desk: &Desk, name: &str) {
    mknodat(CWD, desk.at(name), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// Runs the program, and kills it if it does not end. With `input` that many bytes come from standard input, again and
/// again.
fn run(desk: &Desk, arguments: &str, input: Option<&[u8]>) -> Run {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hullmark"));
    command.env_remove("HULLMARK_PROFILE").env("XDG_CONFIG_HOME", desk.at("no-settings"));
    command.args(arguments.split(' ')).current_dir(desk.at(".")).stdin(Stdio::null());
    if input.is_some() {
        command.stdin(Stdio::piped());
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    if let (Some(input), Some(mut pipe)) = (input, child.stdin.take()) {
        let piece = input.repeat((1 << 20) / input.len());
        // It ends when the program does.
        thread::spawn(move || while pipe.write_all(&piece).is_ok() {});
    }
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if begun.elapsed() > MOST => {
                child.kill().unwrap();
                panic!("{arguments}: it waits without end");
            }
            None => thread::sleep(Duration::from_millis(20)),
        }
    };
    let mut texts = [String::new(), String::new()];
    child.stdout.take().unwrap().read_to_string(&mut texts[0]).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut texts[1]).unwrap();
    let [stdout, stderr] = texts;
    Run { code: status.code().unwrap(), stdout, stderr }
}

#[test]
fn a_file_without_an_end_is_refused_at_a_limit() {
    let desk = desk();
    for (arguments, settings) in FILES {
        desk.write("mine.toml", named(settings, "endless"));
        let run = run(&desk, &named(arguments, "endless"), None);
        assert_eq!(run.code, USAGE, "{arguments} {settings}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("16,777,216 bytes"), "{arguments} {settings}: {}", run.stderr);
    }
    let run = run(&desk, "audit --files-from - --out report", Some(b"faulty.oar\n"));
    assert_eq!(run.code, USAGE);
    assert!(run.stderr.contains("268,435,456 bytes"), "{}", run.stderr);
}

#[test]
fn a_pipe_into_which_nobody_writes_is_refused() {
    let desk = desk();
    for (arguments, settings) in FILES {
        desk.write("mine.toml", named(settings, "pipe"));
        let run = run(&desk, &named(arguments, "pipe"), None);
        assert_eq!(run.code, USAGE, "{arguments} {settings}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("nobody writes"), "{arguments} {settings}: {}", run.stderr);
    }
    // Files that are written again may be no pipes at all.
    pipe(&desk, "pipe");
    for (arguments, name) in [
        ("audit faulty.oar --out report --history pipe", "pipe"),
        ("audit faulty.oar --out report --ledgers ledgers", "ledgers/history.csv"),
        ("audit faulty.oar --out report --baseline old", "old/audit.json"),
        ("waive 0123456789abcdef --who me --reason a --until 2099-01-01 --file pipe", "pipe"),
    ] {
        let _ = std::fs::create_dir(desk.at("old"));
        if name != "pipe" {
            let _ = std::fs::remove_file(desk.at(name));
            pipe(&desk, name);
        }
        let run = run(&desk, arguments, None);
        assert_eq!(run.code, USAGE, "{arguments}: {}{}", run.stdout, run.stderr);
        assert!(run.stderr.contains("it is a named pipe, and no file"), "{arguments}: {}", run.stderr);
    }
}

/// A pipe among ledgers, and in place of files of an old report, makes no run wait.
#[test]
fn a_pipe_in_a_folder_of_a_run_is_no_end() {
    let desk = desk();
    desk.run_to(DONE, "audit faulty.oar --out report --ledgers ledgers");
    for name in ["ledgers", "report"] {
        for entry in std::fs::read_dir(desk.at(name)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && !path.ends_with("history.csv") {
                std::fs::remove_file(&path).unwrap();
                mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
            }
        }
    }
    let run = run(&desk, "audit faulty.oar --out report --ledgers ledgers", None);
    assert_eq!(run.code, DONE, "{}{}", run.stdout, run.stderr);
    assert!(desk.at("report/audit.json").is_file(), "the report is written again");
}

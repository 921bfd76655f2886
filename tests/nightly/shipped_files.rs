//! The files of `deploy/` that start a night: each is run twice, on folders of a test.

use crate::support::{
    desk::{Desk, region},
    object::Prim,
    repository,
};
#[cfg(unix)]
use std::process::Command;
use std::{collections::BTreeSet, fs};

/// Returns a region, and on the second night a bridge that is too long for every target.
fn night(second: bool) -> Vec<u8> {
    let far = Prim { offset: [600.0, 0.0, 0.0], ..Prim::new("Far end", 3) };
    match second {
        false => region(&[Prim::new("Bridge", 2)]).gzip(),
        true => region(&[Prim::new("Bridge", 2), far]).gzip(),
    }
}

fn shipped(name: &str) -> String {
    fs::read_to_string(repository().join("deploy").join(name)).unwrap()
}

/// Runs shell lines in the folder of the desk.
#[cfg(unix)]
fn shell(desk: &Desk, lines: &str) {
    let run = Command::new("sh").args(["-c", lines]).current_dir(desk.at("")).output().unwrap();
    assert!(run.status.success(), "{lines}\n{}", String::from_utf8_lossy(&run.stderr));
}

/// Runs a night twice, and checks what is there after each. `report` is the folder of the last report.
fn twice(desk: &Desk, report: &str, run: impl Fn(&Desk)) {
    desk.write("hullmark.toml", "profile = \"second-life\"\n");
    desk.write("oars/Hill.oar", night(false));
    run(desk);
    let status =
        || -> BTreeSet<String> { desk.column(report, "findings", "baseline_status").into_iter().collect() };
    assert!(status().iter().all(String::is_empty), "the first night has none before it");
    desk.write("oars/Hill.oar", night(true));
    run(desk);
    assert!(status().contains("new"), "{:?}", status());
    let history = fs::read_to_string(desk.at("ledgers/history.csv")).unwrap();
    assert_eq!(history.lines().count(), 3, "a heading and two nights");
    assert!(fs::read_to_string(desk.at("hullmark.prom")).unwrap().contains("hullmark_findings"));
    let letters = fs::read_dir(desk.at("letters")).unwrap().count();
    assert!(letters >= 3, "letters.csv and both forms of a letter");
}

/// Returns the program of this test, the exports, the settings and the folder of the service in place of those of the
/// files.
#[cfg(unix)]
fn of_desk(desk: &Desk, lines: &str) -> String {
    let here = desk.at("").display().to_string();
    let program = env!("CARGO_BIN_EXE_hullmark");
    lines
        .replace("/usr/local/bin/hullmark", program)
        .replace("nice -n 19 hullmark", program)
        .replace("/srv/oars", "oars")
        .replace("/etc/hullmark/hullmark.toml", "hullmark.toml")
        .replace("/var/lib/hullmark", &here)
        .replace("%S/hullmark", &here)
}

#[test]
#[cfg(unix)]
fn the_service_of_systemd() {
    let unit = shipped("systemd/hullmark.service").replace("\\\n", " ");
    let lines = unit.lines().filter_map(|line| line.split_once('='));
    let commands = lines.filter(|(key, _)| key.starts_with("ExecStart"));
    let commands = commands.map(|(_, command)| command.trim_start_matches('-'));
    let commands: Vec<String> =
        commands.map(|command| command.replace("%%", "%").replace("$$", "$")).collect();
    assert_eq!(commands.len(), 3);
    let desk = Desk::with(&[]);
    // systemd splits its lines as a shell does.
    twice(&desk, "reports/latest", |desk| {
        commands.iter().for_each(|command| shell(desk, &of_desk(desk, command)));
    });
}

#[test]
#[cfg(unix)]
fn the_line_of_cron() {
    let table = shipped("cron/hullmark");
    let line = table.lines().find_map(|line| line.strip_prefix("0 3 * * * hullmark ")).unwrap();
    let desk = Desk::with(&[]);
    twice(&desk, "reports/latest", |desk| {
        let line = of_desk(desk, &line.replace("\\%", "%"));
        shell(desk, &line.replace("audit oars", "audit oars --format csv"));
    });
}

#[test]
fn the_agent_of_launchd() {
    let list = shipped("launchd/hullmark.plist");
    let (_, arguments) = list.split_once("<key>ProgramArguments</key>").unwrap();
    let (arguments, _) = arguments.split_once("</array>").unwrap();
    let words = arguments.split("<string>").skip(1).map(|rest| rest.split("</string>").next().unwrap());
    let words: Vec<&str> = words.skip(1).collect();
    let desk = Desk::with(&[]);
    let command =
        words.join(" ").replace("/Users/Shared/hullmark/", "").replace("/Users/Shared/oars", "oars");
    twice(&desk, "report", |desk| _ = desk.run_to(0, &command));
}

#[test]
fn the_task_of_windows() {
    let script = shipped("windows/audit.cmd").replace("\r\n", "\n").replace("^\n", "");
    let line = script.lines().find_map(|line| line.strip_prefix("\"%PROGRAM%\" ")).unwrap();
    let (command, _) = line.split_once(" > audit.log").unwrap();
    let command = command.replace("\"%EXPORTS%\"", "oars").replace("\"%PROFILE%\"", "second-life");
    let command = command.split_whitespace().collect::<Vec<_>>().join(" ");
    let desk = Desk::with(&[]);
    twice(&desk, "report", |desk| _ = desk.run(&command));
}

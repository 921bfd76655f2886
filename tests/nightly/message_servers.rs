//! Messages to servers on this machine: HTTP and SMTP.

#![allow(clippy::disallowed_types, reason = "only these servers listen, in tests")]

use crate::support::desk::{DONE, Desk, FINDINGS, Files, USAGE, faulty};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    thread::{self, JoinHandle},
};

/// A part of each secret in these tests.
const SECRET: &str = "s3cr3t";

/// A request that a server got.
#[derive(Debug)]
struct Request {
    line: String,
    headers: String,
    body: Value,
}

/// A server that gives these answers, one for each connection, and returns what it got.
struct Server {
    port: u16,
    got: JoinHandle<Vec<Request>>,
}

impl Server {
    /// Each answer is a status with headers. An empty one keeps the client waiting.
    fn answering(answers: &'static [&'static str]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let got = thread::spawn(move || {
            answers.iter().map(|answer| answer_to(listener.accept().unwrap().0, answer)).collect()
        });
        Self { port, got }
    }

    fn got(self) -> Vec<Request> {
        self.got.join().unwrap()
    }
}

fn answer_to(mut stream: TcpStream, answer: &str) -> Request {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let (mut line, mut headers) = (String::new(), String::new());
    reader.read_line(&mut line).unwrap();
    while !headers.ends_with("\r\n\r\n") && headers != "\r\n" {
        reader.read_line(&mut headers).unwrap();
    }
    let headers = headers.to_lowercase();
    let length = headers.split("content-length: ").nth(1).and_then(|rest| rest.split('\r').next()).unwrap();
    let mut body = vec![0; length.parse().unwrap()];
    reader.read_exact(&mut body).unwrap();
    match answer {
        // Until the client gives up.
        "" => drop(reader.read(&mut [0])),
        answer => {
            write!(stream, "HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
        }
    }
    Request { line: line.trim().into(), headers, body: serde_json::from_slice(&body).unwrap() }
}

fn desk(settings: &str) -> Desk {
    let desk = Desk::with(&[("faulty.oar", &faulty())]);
    desk.write("mine.toml", format!("[notify]\n{settings}\n"));
    desk
}

/// Runs an audit with an error. Asserts that no secret is in its output or its report. Returns standard error.
fn audit(desk: &Desk, arguments: &str) -> String {
    let local = [("NO_PROXY", "127.0.0.1"), ("HOOK_SECRET", SECRET)];
    let run = desk.run_where(&local, &format!("audit faulty.oar --out report --config mine.toml{arguments}"));
    assert_eq!(run.code, if arguments.contains("fail-on") { FINDINGS } else { DONE }, "{}", run.stderr);
    let report: Files = desk.files("report");
    let written = report.values().map(|bytes| String::from_utf8_lossy(bytes));
    for text in [run.stdout.into(), run.stderr.as_str().into()].into_iter().chain(written) {
        assert!(!text.contains(SECRET));
    }
    run.stderr
}

#[test]
fn each_service_gets_its_request() {
    let [discord, slack, json, matrix] = [(); 4].map(|()| Server::answering(&["200 OK"]));
    let desk = desk(&format!(
        "discord = \"http://127.0.0.1:{}/api/webhooks/1/{SECRET}\"\nslack = \"file:hook\"\n\
         json = \"http://127.0.0.1:{}/take?key={SECRET}\"\n[notify.matrix]\nserver = \"http://127.0.0.1:{}\"\n\
         room = \"!ops:example.org\"\ntoken = \"env:HOOK_SECRET\"",
        discord.port, json.port, matrix.port
    ));
    desk.write("hook", format!("http://127.0.0.1:{}/services/{SECRET}\n", slack.port));
    assert_eq!(audit(&desk, " -q --fail-on error").lines().count(), 1, "the end of the run alone");

    let begin = "hullmark: 1 error";
    let [discord, slack, json, matrix] = [discord, slack, json, matrix].map(|server| server.got().remove(0));
    assert_eq!(discord.line, format!("POST /api/webhooks/1/{SECRET} HTTP/1.1"));
    assert!(discord.headers.contains("content-type: application/json\r\n"), "{}", discord.headers);
    assert!(discord.body["content"].as_str().unwrap().starts_with(&format!("```\n{begin}")));
    assert_eq!(slack.line, format!("POST /services/{SECRET} HTTP/1.1"));
    assert!(slack.body["text"].as_str().unwrap().starts_with(begin));
    assert_eq!(json.line, format!("POST /take?key={SECRET} HTTP/1.1"));
    assert!(json.body["title"].as_str().unwrap().starts_with(begin));
    let rest = [&json.body["worst"], &json.body["exit"], &json.body["complete"]];
    assert_eq!(rest, [&Value::from("error"), &Value::from(1), &Value::from(true)]);
    assert!(json.body["report"].as_str().unwrap().ends_with("/report"));
    let path = "PUT /_matrix/client/v3/rooms/%21ops%3Aexample.org/send/m.room.message/hullmark-";
    assert!(matrix.line.starts_with(path), "{}", matrix.line);
    assert!(matrix.headers.contains(&format!("authorization: bearer {SECRET}\r\n")), "{}", matrix.headers);
    assert!(matrix.body["body"].as_str().unwrap().contains("\n\nFix first (28 → 14 is land impact):\n1. "));
}

#[test]
fn a_message_is_sent_again_until_a_service_takes_it() {
    let server = Server::answering(&["503 Busy", "429 Wait\r\nRetry-After: 0.01", "204 Taken"]);
    let desk = desk(&format!("json = \"http://127.0.0.1:{}/{SECRET}\"", server.port));
    assert_eq!(audit(&desk, " -q"), "");
    let got = server.got();
    assert_eq!(got.len(), 3);
    assert!(got.iter().all(|request| request.body == got[0].body), "the same message");
}

#[test]
fn a_matrix_message_that_is_sent_again_has_the_same_transaction() {
    let server = Server::answering(&["502 Bad", "200 OK"]);
    let room = "room = \"!a:b\"\ntoken = \"s3cr3t\"";
    let desk = desk(&format!("[notify.matrix]\nserver = \"http://127.0.0.1:{}\"\n{room}", server.port));
    assert_eq!(audit(&desk, " -q"), "");
    let got = server.got();
    assert_eq!(got[0].line, got[1].line);
}

#[test]
fn a_service_that_refuses_or_hangs_changes_nothing() {
    for (answers, words) in [
        (&["404 Gone"] as &'static [&str], "answered with status 404. Check the address and the token"),
        (
            &["302 Found\r\nLocation: http://127.0.0.1:1/"],
            "answered with status 302, which names another address",
        ),
        (&["429 Wait\r\nRetry-After: 3600"], "answered with status 429 (tried once)"),
        (&["", ""], "did not answer in time (tried 2 times)"),
    ] {
        let server = Server::answering(answers);
        let desk =
            desk(&format!("timeout_seconds = 4\nslack = \"http://127.0.0.1:{}/{SECRET}\"", server.port));
        let said = audit(&desk, " -q");
        assert!(
            said.contains("The message to Slack was not sent: the server") && said.contains(words),
            "{said}"
        );
        assert!(said.ends_with("Report and exit code are not affected.\n"), "{said}");
        assert_eq!(server.got().len(), answers.len());
    }
}

#[test]
fn a_test_message_is_sent_to_each_channel() {
    let (server, free) = (Server::answering(&["200 OK"]), TcpListener::bind("127.0.0.1:0").unwrap());
    let closed = free.local_addr().unwrap().port();
    drop(free);
    let desk = desk(&format!("json = \"http://127.0.0.1:{}/{SECRET}\"", server.port));
    let local = [("NO_PROXY", "127.0.0.1")];
    let run = desk.run_where(&local, "notify --config mine.toml");
    assert_eq!((run.code, run.stdout.as_str()), (DONE, "The message as JSON: sent\n"), "{}", run.stderr);
    assert_eq!(server.got()[0].body["title"], "hullmark: test message");
    let hook = format!("[notify]\ntimeout_seconds = 1\ndiscord = \"http://127.0.0.1:{closed}/{SECRET}\"\n");
    desk.write("mine.toml", hook);
    let run = desk.run_where(&local, "notify --config mine.toml");
    assert_eq!(run.code, USAGE);
    assert!(
        run.stderr.contains("The message to Discord was not sent: there is no connection"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains(SECRET), "{}", run.stderr);
}

/// A server that speaks SMTP for these numbers of sessions. Each session of the first kind is refused for now.
fn mail_server(busy: usize) -> (u16, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let got = thread::spawn(move || {
        for _ in 0..busy {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(b"421 try later\r\n").unwrap();
        }
        mail_session(listener.accept().unwrap().0)
    });
    (port, got)
}

/// Answers a session, and returns its lines.
fn mail_session(mut stream: TcpStream) -> Vec<String> {
    let lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let mut say = |words: &str| stream.write_all(format!("{words}\r\n").as_bytes()).unwrap();
    let (mut got, mut in_data) = (Vec::new(), false);
    say("220 here");
    for line in lines.map_while(Result::ok) {
        match line.split(' ').next().unwrap_or_default() {
            "." => {
                in_data = false;
                say("250 taken");
            }
            _ if in_data => {}
            "EHLO" => say("250-here\r\n250 AUTH PLAIN LOGIN"),
            "AUTH" if line.ends_with(&STANDARD.encode(format!("\0ops\0{SECRET}"))) => say("235 welcome"),
            // Servers repeat what they got.
            "AUTH" => say(&format!("535 not {line}")),
            "DATA" => {
                in_data = true;
                say("354 go on");
            }
            "QUIT" => say("221 bye"),
            _ => say("250 fine"),
        }
        got.push(line);
    }
    got
}

#[test]
fn smtp_gets_the_message_after_a_busy_answer() {
    let (port, got) = mail_server(1);
    let account = "user = \"ops\"\npassword = \"env:HOOK_SECRET\"";
    let desk = desk(&format!(
        "[notify.email]\nto = [\"a@example.org\", \"b@example.org\"]\nfrom = \"grid@example.org\"\n\
         smtp = \"smtp-plain://127.0.0.1:{port}\"\n{account}"
    ));
    assert_eq!(audit(&desk, " -q"), "");
    let got = got.join().unwrap();
    let has = |line: &str| got.iter().any(|got| got == line);
    assert!(
        has("MAIL FROM:<grid@example.org>")
            && has("RCPT TO:<a@example.org>")
            && has("RCPT TO:<b@example.org>")
    );
    assert!(got.iter().any(|line| line.starts_with("Subject: hullmark: 1 error")), "{got:?}");
    let body = got.iter().skip_while(|line| !line.is_empty()).take_while(|line| *line != ".");
    let text = STANDARD.decode(body.cloned().collect::<String>()).unwrap();
    assert!(String::from_utf8(text).unwrap().contains("\r\nFix first (28 → 14 is land impact):\r\n1. "));
}

#[test]
fn an_answer_of_a_mail_server_never_shows_the_password() {
    let (port, got) = mail_server(0);
    let desk = desk(&format!(
        "[notify.email]\nto = [\"a@example.org\"]\nfrom = \"grid@example.org\"\n\
         smtp = \"smtp-plain://127.0.0.1:{port}\"\nuser = \"other\"\npassword = \"{SECRET}\""
    ));
    let said = audit(&desk, " -q");
    assert!(said.contains("The e-mail was not sent: the server answered with code 535"), "{said}");
    assert!(!said.contains(&STANDARD.encode(format!("\0other\0{SECRET}"))), "{said}");
    got.join().unwrap();
}

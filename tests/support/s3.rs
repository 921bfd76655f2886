//! A real S3 server on loopback, and a proxy before it that sees every request and can disturb it.
//!
//! The server is s3s-fs, a folder for each bucket: `cargo install s3s-fs --version 0.14.1 --features binary`, with
//! `HULLMARK_S3S_FS` set to the program. If it is not set, tests that need a server say so and are skipped.

// Tests reach the server over a network. In the program only `storage/object_store.rs` opens one.
#![allow(clippy::disallowed_types)]

use std::{
    env, fs,
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};
use tempfile::TempDir;

const KEY: &str = "hullmark";
const SECRET: &str = "not a secret";

/// The fate of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is answered.
    Answered,
    /// The connection breaks after this number of bytes of the answer.
    Cut(usize),
    /// It is answered after this time.
    Late(Duration),
}

type Meddle = dyn FnMut(&str) -> Fate + Send;

/// A server and the proxy.
pub struct Server {
    child: Child,
    root: TempDir,
    port: u16,
    meddle: Arc<Mutex<Box<Meddle>>>,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server with these buckets. Returns `None` if `HULLMARK_S3S_FS` is not set.
    pub fn start(buckets: &[&str]) -> Option<Self> {
        let Some(program) = env::var_os("HULLMARK_S3S_FS") else {
            eprintln!(
                "HULLMARK_S3S_FS names no S3 server, so this was not tested: tests/support/s3.rs says how."
            );
            return None;
        };
        let root = tempfile::tempdir().unwrap();
        buckets.iter().for_each(|bucket| fs::create_dir(root.path().join(bucket)).unwrap());
        let server = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(program)
            .args(["--host", "127.0.0.1", "--port", &server.to_string()])
            .args(["--access-key", KEY, "--secret-key", SECRET])
            .arg(root.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while TcpStream::connect(("127.0.0.1", server)).is_err() {
            thread::sleep(Duration::from_millis(20));
        }
        let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = proxy.local_addr().unwrap().port();
        let meddle: Arc<Mutex<Box<Meddle>>> = Arc::new(Mutex::new(Box::new(|_| Fate::Answered)));
        let seen = Arc::default();
        let (meddling, seeing) = (Arc::clone(&meddle), Arc::clone(&seen));
        thread::spawn(move || {
            for client in proxy.incoming().flatten() {
                let (meddle, seen) = (Arc::clone(&meddling), Arc::clone(&seeing));
                thread::spawn(move || carry(client, server, &meddle, &seen));
            }
        });
        Some(Self { child, root, port, meddle, seen })
    }

    /// Returns the path of a bucket or an object in the server's folder.
    pub fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// Returns the environment of a program that may use the server.
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        vec![
            ("AWS_ACCESS_KEY_ID", KEY.into()),
            ("AWS_SECRET_ACCESS_KEY", SECRET.into()),
            ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{}", self.port)),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_REGION", "us-east-1".into()),
        ]
    }

    /// Sets the function that decides the fate of each later request. Its argument is the first line of the request and
    /// the requested range.
    pub fn meddle(&self, meddle: impl FnMut(&str) -> Fate + Send + 'static) {
        *self.meddle.lock().unwrap() = Box::new(meddle);
    }

    /// Returns the requests since the last call.
    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.seen.lock().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Carries one connection in both directions. A client waits for an answer before its next request, so each answer
/// belongs to the request before it.
fn carry(mut client: TcpStream, port: u16, meddle: &Mutex<Box<Meddle>>, seen: &Mutex<Vec<String>>) {
    let mut server = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let left: Arc<Mutex<Option<usize>>> = Arc::default();
    let (mut answers, mut back, left_back) =
        (server.try_clone().unwrap(), client.try_clone().unwrap(), Arc::clone(&left));
    let answering = thread::spawn(move || {
        let mut buffer = [0; 16 * 1024];
        while let Ok(read @ 1..) = answers.read(&mut buffer) {
            let mut left = left_back.lock().unwrap();
            let passes = left.map_or(read, |left| left.min(read));
            if back.write_all(&buffer[..passes]).is_err() || passes < read {
                break;
            }
            *left = left.map(|left| left - passes);
        }
        let _ = back.shutdown(Shutdown::Both);
        let _ = answers.shutdown(Shutdown::Both);
    });
    let mut buffer = [0; 64 * 1024];
    while let Ok(read @ 1..) = client.read(&mut buffer) {
        let bytes = &buffer[..read];
        if [&b"GET "[..], b"HEAD ", b"PUT ", b"POST ", b"DELETE "].iter().any(|verb| bytes.starts_with(verb))
        {
            let request = request_line(bytes);
            let fate = (meddle.lock().unwrap())(&request);
            seen.lock().unwrap().push(request);
            *left.lock().unwrap() = match fate {
                Fate::Cut(bytes) => Some(bytes),
                Fate::Answered | Fate::Late(_) => None,
            };
            if let Fate::Late(time) = fate {
                thread::sleep(time);
            }
        }
        if server.write_all(bytes).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
    answering.join().unwrap();
}

/// Returns a request as one line: method, path and requested range.
fn request_line(bytes: &[u8]) -> String {
    let head = String::from_utf8_lossy(bytes);
    let range = head.lines().find_map(|line| line.to_lowercase().strip_prefix("range: ").map(str::to_owned));
    let words: Vec<&str> = head.lines().next().unwrap_or_default().split(' ').take(2).collect();
    [words.join(" "), range.unwrap_or_default()].join(" ").trim_end().to_owned()
}

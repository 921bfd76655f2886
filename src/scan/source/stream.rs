//! Inputs that are not files: bytes in memory, a row of a database, a file of a browser.

use super::{
    Input, LooseFile, What,
    sniff::{self, Sniff, sniff},
    walk::{as_asset, known_or_no_export},
};
use crate::util::{advice, lock::lock};
use std::{
    fmt,
    io::{self, Cursor, Read},
    path::Path,
    sync::{Arc, Mutex},
};

/// A reader of the bytes of a [`Stream`].
type Reader = Box<dyn Read + Send>;

/// Bytes without a path.
#[derive(Clone)]
pub struct Stream(From);

#[derive(Clone)]
enum From {
    /// A function that opens the bytes any number of times.
    Again(Arc<dyn Fn() -> io::Result<Reader> + Send + Sync>),
    /// A reader that is read once.
    Once(Arc<Mutex<Option<Reader>>>),
}

impl Stream {
    /// Creates a stream from a function. Each call must return a reader at the first byte.
    pub fn new(open: impl Fn() -> io::Result<Reader> + Send + Sync + 'static) -> Self {
        Self(From::Again(Arc::new(open)))
    }

    /// Creates a stream from bytes that can be read once.
    pub fn once(reader: impl Read + Send + 'static) -> Self {
        Self(From::Once(Arc::new(Mutex::new(Some(Box::new(reader))))))
    }

    /// Opens the stream.
    ///
    /// # Errors
    /// The stream cannot be opened, or cannot be opened a second time.
    pub(super) fn open(&self) -> io::Result<Reader> {
        match &self.0 {
            From::Again(open) => open(),
            From::Once(reader) => take(reader),
        }
    }

    /// Returns the first bytes and keeps them in the stream.
    fn start(&self, bytes: usize) -> io::Result<Vec<u8>> {
        let mut start = Vec::new();
        let mut reader = self.open()?.take(bytes as u64);
        reader.read_to_end(&mut start)?;
        if let From::Once(place) = &self.0 {
            let whole = Cursor::new(start.clone()).chain(reader.into_inner());
            *lock(place) = Some(Box::new(whole));
        }
        Ok(start)
    }
}

fn take(reader: &Mutex<Option<Reader>>) -> io::Result<Reader> {
    let reader = lock(reader).take();
    reader.ok_or_else(|| io::Error::other("it is a stream that can be read once only"))
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (From::Again(one), From::Again(other)) => Arc::ptr_eq(one, other),
            (From::Once(one), From::Once(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            From::Again(_) => "a stream",
            From::Once(_) => "a stream that can be read once",
        })
    }
}

/// Creates an input from a stream of this many bytes. Its first bytes determine the type.
pub(crate) fn input(name: String, bytes: u64, stream: Stream) -> Input {
    let path = Path::new(&name).to_owned();
    let what = match stream.start(sniff::WINDOW).map(|start| sniff(&start)) {
        Ok(Sniff::Archive) => What::Archive,
        Ok(Sniff::Unreadable(why)) => What::Unreadable(why),
        Err(error) => What::Unreadable(advice::to_read(&error)),
        Ok(Sniff::Place(_)) => {
            What::Unreadable("a database of SQLite is read from a file; name its path".into())
        }
        Ok(Sniff::Loose(what)) => {
            let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let what = known_or_no_export(as_asset(&path, what));
            What::Folder(vec![LooseFile { path: path.clone(), name: file, bytes, stamp: None, what }])
        }
    };
    Input { name, path, what, bytes, stamp: None, modified: None, stream: Some(stream) }
}

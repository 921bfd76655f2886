//! Inputs that are not files of a disk: members of containers, bytes in memory, a row of a database, virtual files.

use super::{
    FileSystem, Input, Loose, LooseFile, Stamp, VirtualFiles, What,
    container::{self, Bytes, Inside, Outermost},
    sniff::{self, Sniff},
    walk::{as_asset, known_or_no_export},
};
use hullmark_settings::limits::Limits;
use hullmark_util::{advice, lock::lock};
use serde::{Deserializer, Serializer};
use std::{
    fmt,
    io::{self, Cursor, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

/// A reader of the bytes of a [`Stream`].
type BoxedReader = Box<dyn Read + Send>;

/// Bytes without a path on the disk.
#[derive(Clone)]
pub struct Stream(StreamSource);

#[derive(Clone)]
enum StreamSource {
    /// A function that opens the bytes any number of times.
    Again(Arc<dyn Fn() -> io::Result<BoxedReader> + Send + Sync>),
    /// A reader that is read once.
    Once(Arc<Mutex<Option<BoxedReader>>>),
    /// The members of a container, by their paths.
    Inside(Arc<Inside>),
    /// Virtual files, by their paths.
    Files(Arc<VirtualFiles>),
}

impl Stream {
    /// Creates a stream from a function. Each call must return a reader at the first byte.
    pub fn new(open: impl Fn() -> io::Result<BoxedReader> + Send + Sync + 'static) -> Self {
        Self(StreamSource::Again(Arc::new(open)))
    }

    /// Creates a stream from bytes that can be read once.
    pub fn once(reader: impl Read + Send + 'static) -> Self {
        Self(StreamSource::Once(Arc::new(Mutex::new(Some(Box::new(reader))))))
    }

    /// Creates the stream of all members of a container.
    pub(super) fn inside(members: Arc<Inside>) -> Self {
        Self(StreamSource::Inside(members))
    }

    pub(super) fn of_files(files: Arc<VirtualFiles>) -> Self {
        Self(StreamSource::Files(files))
    }

    /// Opens the stream. The path chooses the member of a container, or a virtual file.
    pub(super) fn open(&self, path: &Path, limits: &Limits) -> io::Result<BoxedReader> {
        match &self.0 {
            StreamSource::Again(open) => open(),
            StreamSource::Once(reader) => take(reader),
            StreamSource::Inside(members) => members.open(path, limits),
            StreamSource::Files(files) => Ok(Box::new(files.open(path)?)),
        }
    }

    pub(super) fn opens_again(&self) -> bool {
        !matches!(self.0, StreamSource::Once(_))
    }

    /// Returns where a database is: a virtual file, or a temporary copy of a member of a container.
    pub(super) fn database(&self, path: &Path, limits: &Limits) -> io::Result<(FileSystem, PathBuf)> {
        match &self.0 {
            StreamSource::Inside(members) => Ok((FileSystem::Disk, members.database(path, limits)?)),
            StreamSource::Files(files) => Ok((files.system(), path.to_owned())),
            StreamSource::Again(_) | StreamSource::Once(_) => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Returns the stamp of a member of a container in its current state. `None` for other streams.
    pub(super) fn stamp_now(&self, path: &Path) -> Option<Stamp> {
        match &self.0 {
            StreamSource::Inside(members) => members.stamp(path),
            StreamSource::Again(_) | StreamSource::Once(_) | StreamSource::Files(_) => None,
        }
    }

    /// The file of the container. `None` for other streams.
    pub(super) fn container(&self) -> Option<&Path> {
        match &self.0 {
            StreamSource::Inside(members) => {
                Some(members.container.as_path()).filter(|path| *path != Path::new(""))
            }
            StreamSource::Again(_) | StreamSource::Once(_) | StreamSource::Files(_) => None,
        }
    }

    /// Returns the first bytes and keeps them in the stream.
    fn start(&self, bytes: usize) -> io::Result<Vec<u8>> {
        let mut start = Vec::new();
        let mut reader = self.open(Path::new(""), &Limits::default())?.take(bytes as u64);
        reader.read_to_end(&mut start)?;
        if let StreamSource::Once(place) = &self.0 {
            let whole = Cursor::new(start.clone()).chain(reader.into_inner());
            *lock(place) = Some(Box::new(whole));
        }
        Ok(start)
    }
}

/// Whether a plan has no way to name these bytes.
pub(super) fn is_unnamed(stream: &Option<Stream>) -> bool {
    stream.as_ref().is_none_or(|stream| stream.container().is_none())
}

/// Writes the file of the container.
pub(super) fn serialize<S: Serializer>(stream: &Option<Stream>, serializer: S) -> Result<S::Ok, S::Error> {
    let container = stream.as_ref().and_then(Stream::container).unwrap_or(Path::new(""));
    super::path_serde::serialize(container, serializer)
}

/// Reads the file of the container, which is opened when a member is needed.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Stream>, D::Error> {
    let container: PathBuf = super::path_serde::deserialize(deserializer)?;
    Ok(Some(Stream::inside(Arc::new(Inside::of_file(container)))))
}

/// Lets inputs of one container share its members, so that its directory is read once.
pub fn share(inputs: &mut [Input]) {
    let mut known: Vec<Stream> = Vec::new();
    for stream in inputs.iter_mut().filter_map(|input| input.stream.as_mut()) {
        match known.iter().rev().find(|other| other == &stream) {
            Some(other) => *stream = other.clone(),
            None => known.push(stream.clone()),
        }
    }
}

fn take(reader: &Mutex<Option<BoxedReader>>) -> io::Result<BoxedReader> {
    let reader = lock(reader).take();
    reader.ok_or_else(|| io::Error::other("it is a stream that can be read once only"))
}

impl PartialEq for Stream {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (StreamSource::Again(one), StreamSource::Again(other)) => Arc::ptr_eq(one, other),
            (StreamSource::Once(one), StreamSource::Once(other)) => Arc::ptr_eq(one, other),
            (StreamSource::Files(one), StreamSource::Files(other)) => Arc::ptr_eq(one, other),
            (StreamSource::Inside(_), StreamSource::Inside(_)) => self.container() == other.container(),
            _ => false,
        }
    }
}

impl Eq for Stream {}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            StreamSource::Again(_) => "a stream",
            StreamSource::Once(_) => "a stream that can be read once",
            StreamSource::Inside(_) => "members of a container",
            StreamSource::Files(_) => "virtual files",
        })
    }
}

/// Creates the inputs of a stream of this many bytes. Its first bytes determine the type.
pub fn inputs(name: String, bytes: u64, stream: &Stream, limits: &Limits) -> Vec<Input> {
    let copy = || {
        let opened = stream.open(Path::new(""), limits)?;
        match Bytes::copy(opened, limits.temporary_bytes)? {
            (copy, None) => Ok(copy),
            (_, Some(error)) => Err(error),
        }
    };
    typed(name, bytes, stream.clone(), &copy, limits)
}

/// Creates the inputs of a temporary file.
pub fn of_copy(name: String, copy: &Bytes, limits: &Limits) -> Vec<Input> {
    let bytes = copy.clone();
    let stream = Stream::new(move || Ok(Box::new(bytes.open()?)));
    typed(name, copy.length(), stream, &|| Ok(copy.clone()), limits)
}

/// Creates the inputs of a stream. A container is read from a copy, because its directory may be at its end.
fn typed(
    name: String,
    bytes: u64,
    stream: Stream,
    copy: &dyn Fn() -> io::Result<Bytes>,
    limits: &Limits,
) -> Vec<Input> {
    let path = Path::new(&name).to_owned();
    let in_container = || {
        let (name, path, bytes) = (name.clone(), path.clone(), copy()?);
        let outermost = Outermost { name, path, bytes, stamp: None, modified: None, is_file: false };
        container::inputs(&outermost, limits)
    };
    let what = match sniff::by(|window| stream.start(window)) {
        Ok(Sniff::Archive) => What::Archive,
        Ok(Sniff::Container) => match in_container() {
            Ok(inputs) if !inputs.is_empty() => return inputs,
            Ok(_) => of_file(&path, bytes, Loose::Unknown(container::EMPTY.into())),
            Err(error) => What::Unreadable(advice::to_read(&error)),
        },
        Ok(Sniff::Place(_)) => {
            What::Unreadable("a database of SQLite is read from a file; name its path".into())
        }
        Ok(Sniff::Unreadable(why)) => What::Unreadable(why),
        Err(error) => What::Unreadable(advice::to_read(&error)),
        Ok(Sniff::Loose(what)) => of_file(&path, bytes, what),
    };
    vec![Input { bytes, stream: Some(stream), ..Input::new(name, path, what) }]
}

fn of_file(path: &Path, bytes: u64, what: Loose) -> What {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let what = known_or_no_export(as_asset(path, what));
    What::Folder(Arc::new(vec![LooseFile { path: path.to_owned(), name, bytes, stamp: None, what }]))
}

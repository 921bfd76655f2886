//! Access to objects. Only this file uses the network or async code.
//!
//! An object is read in pieces, each by its own request, and the next piece is requested while one is processed. A
//! broken connection costs one piece, and none stays open while its reader waits. Only two pieces are in memory. The
//! crate `object_store` decides how often and how long requests are repeated.

use super::stamp::Stamp;
use super::{
    Object,
    object_store_errors::{REPLACED, in_words, while_reading},
};
use futures_util::TryStreamExt;
use hullmark_util::{deadline::Deadline, lock::lock};
use object_store::{
    GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, WriteMultipart,
    aws::AmazonS3Builder, azure::MicrosoftAzureBuilder, gcp::GoogleCloudStorageBuilder, path::Path as Key,
};
use std::{
    collections::HashMap,
    fs::File,
    io::{self, Cursor, ErrorKind, Read},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};
use tokio::{
    runtime::{Builder, Runtime},
    task::JoinHandle,
    time::timeout,
};

/// Bytes that one request reads. A piece is so large that latency does not matter.
const PIECE: u64 = 8 * 1024 * 1024;

/// Bytes that one request writes of a larger object.
const PART: usize = 16 * 1024 * 1024;

/// Maximum number of parts that are sent at the same time.
const PARTS: usize = 4;

/// Interval for checking the deadline while waiting for a piece: a signal wakes no thread.
const LOOK: Duration = Duration::from_millis(200);

/// Threads that transfer bytes. The callers that wait for them have their own threads.
const MOVERS: usize = 2;

/// The runtime of all requests.
static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    // This fails only if a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Builder::new_multi_thread().worker_threads(MOVERS).thread_name("objects").enable_all().build()
});

/// A store for each bucket, with its connections.
static STORES: Mutex<Option<HashMap<String, Arc<dyn ObjectStore>>>> = Mutex::new(None);

fn runtime() -> io::Result<&'static Runtime> {
    RUNTIME.as_ref().map_err(|error| io::Error::new(error.kind(), error.to_string()))
}

/// Waits for a request.
fn wait<T>(request: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    runtime()?.block_on(request)
}

/// Bytes of an object, and the metadata of the object.
type Piece = (Vec<u8>, ObjectMeta);

/// The object that a URL names.
#[derive(Clone)]
struct Named {
    store: Arc<dyn ObjectStore>,
    /// The URL up to the bucket.
    bucket: String,
    key: Key,
}

impl Named {
    /// Splits a URL. The text after the bucket is the key without any decoding, as in the tools of the stores.
    fn by(url: &Path) -> io::Result<Self> {
        let invalid = |why: &str| {
            io::Error::new(ErrorKind::InvalidInput, format!("it is not a URL of an object store: {why}"))
        };
        let words = url.to_str().ok_or_else(|| invalid("it is not UTF-8"))?;
        // Steps that are joined to a path on Windows get its separator.
        let words = &if cfg!(windows) { words.replace('\\', "/") } else { words.into() };
        let (scheme, rest) = words.split_once("://").ok_or_else(|| invalid("it has no scheme"))?;
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(invalid("it names no bucket"));
        }
        let key = Key::parse(key).map_err(|error| invalid(&error.to_string()))?;
        let bucket = format!("{scheme}://{bucket}");
        Ok(Self { store: store(&bucket)?, bucket, key })
    }

    /// Returns the URL of another object in the same bucket.
    fn url_of(&self, key: &Key) -> PathBuf {
        format!("{}/{key}", self.bucket).into()
    }

    fn failed(&self, error: &object_store::Error) -> io::Error {
        in_words(error, self.scheme())
    }

    fn scheme(&self) -> &str {
        scheme_of(&self.bucket)
    }

    fn object(&self, meta: &ObjectMeta) -> Object {
        let path = self.url_of(&meta.location);
        let modified = meta.last_modified.timestamp();
        // Lists of Azure omit the quotes.
        let state = meta.e_tag.as_deref().map(|tag| tag.trim_matches('"').to_owned());
        let state = state.unwrap_or_else(|| modified.to_string());
        let stamp = Stamp::of_object(&path, meta.size, &state);
        Object { path, bytes: meta.size, stamp, modified }
    }

    /// Whether an object is still the one that was listed with this stamp. Some lists have no tags.
    fn is_still(&self, meta: &ObjectMeta, stamp: Stamp) -> bool {
        let by_time = ObjectMeta { e_tag: None, ..meta.clone() };
        [meta, &by_time].into_iter().any(|meta| self.object(meta).stamp == stamp)
    }

    /// Reads a piece of the object; with a tag, only from the state with that tag.
    async fn piece(self, range: Range<u64>, tag: Option<String>) -> io::Result<Piece> {
        let options = GetOptions {
            range: Some(GetRange::Bounded(range)),
            if_match: tag.clone(),
            ..GetOptions::default()
        };
        let result = self
            .store
            .get_opts(&self.key, options)
            .await
            .map_err(|error| while_reading(&error, self.scheme()))?;
        let meta = result.meta.clone();
        // Not every store supports the condition.
        if tag.is_some() && meta.e_tag != tag {
            return Err(io::Error::other(REPLACED));
        }
        let bytes = result.bytes().await.map_err(|error| while_reading(&error, self.scheme()))?;
        Ok((bytes.into(), meta))
    }
}

fn scheme_of(bucket: &str) -> &str {
    bucket.split_once("://").map_or(bucket, |(scheme, _)| scheme)
}

/// Returns the store of a bucket, configured by environment variables.
fn store(bucket: &str) -> io::Result<Arc<dyn ObjectStore>> {
    let mut stores = lock(&STORES);
    let stores = stores.get_or_insert_default();
    if let Some(store) = stores.get(bucket) {
        return Ok(Arc::clone(store));
    }
    // The connections of the store belong to the runtime.
    let _within = runtime()?.enter();
    let built = match scheme_of(bucket) {
        "s3" | "s3a" => AmazonS3Builder::from_env().with_url(bucket).build().map(shared),
        "gs" => GoogleCloudStorageBuilder::from_env().with_url(bucket).build().map(shared),
        _ => MicrosoftAzureBuilder::from_env().with_url(bucket).build().map(shared),
    };
    let store = built.map_err(|error| in_words(&error, scheme_of(bucket)))?;
    stores.insert(bucket.into(), Arc::clone(&store));
    Ok(store)
}

fn shared(store: impl ObjectStore) -> Arc<dyn ObjectStore> {
    Arc::new(store)
}

pub(super) fn list(url: &Path) -> io::Result<Vec<Object>> {
    let named = Named::by(url)?;
    wait(async {
        let below = named.store.list(Some(&named.key)).try_collect::<Vec<_>>().await;
        let mut found = below.map_err(|error| named.failed(&error))?;
        if found.is_empty() && !named.key.as_ref().is_empty() {
            found = match named.store.head(&named.key).await {
                Ok(meta) => vec![meta],
                Err(object_store::Error::NotFound { .. }) => {
                    let words = "the bucket has no object of this name, and none below it";
                    return Err(io::Error::new(ErrorKind::NotFound, words));
                }
                Err(error) => return Err(named.failed(&error)),
            };
        }
        Ok(found.iter().map(|meta| named.object(meta)).collect())
    })
}

pub(super) fn exists(url: &Path) -> io::Result<bool> {
    let named = Named::by(url)?;
    wait(async {
        match named.store.head(&named.key).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(named.failed(&error)),
        }
    })
}

pub(super) fn start(url: &Path, bytes: usize) -> io::Result<Vec<u8>> {
    let named = Named::by(url)?;
    wait(named.piece(0..bytes as u64, None)).map(|(bytes, _)| bytes)
}

pub(super) fn read(url: &Path) -> io::Result<Vec<u8>> {
    let named = Named::by(url)?;
    wait(async {
        let result = named.store.get(&named.key).await.map_err(|error| named.failed(&error))?;
        Ok(result.bytes().await.map_err(|error| named.failed(&error))?.into())
    })
}

pub(super) fn put(url: &Path, bytes: Vec<u8>) -> io::Result<()> {
    let named = Named::by(url)?;
    wait(async {
        let put = named.store.put(&named.key, bytes.into()).await;
        put.map(drop).map_err(|error| named.failed(&error))
    })
}

/// Writes an object, unless there is one.
pub(super) fn put_new(url: &Path, bytes: Vec<u8>) -> io::Result<()> {
    let named = Named::by(url)?;
    wait(async {
        let put = named.store.put_opts(&named.key, bytes.into(), PutMode::Create.into()).await;
        put.map(drop).map_err(|error| match error {
            object_store::Error::AlreadyExists { .. } => io::Error::from(ErrorKind::AlreadyExists),
            error => named.failed(&error),
        })
    })
}

pub(super) fn put_file(url: &Path, path: &Path) -> io::Result<()> {
    let mut file = File::open(path)?;
    let named = Named::by(url)?;
    if file.metadata()?.len() <= PART as u64 {
        return put(url, std::fs::read(path)?);
    }
    let failed = |error: object_store::Error| named.failed(&error);
    wait(async {
        let upload = named.store.put_multipart(&named.key).await.map_err(failed)?;
        let mut upload = WriteMultipart::new_with_chunk_size(upload, PART);
        let mut buffer = vec![0; PART];
        loop {
            upload.wait_for_capacity(PARTS).await.map_err(failed)?;
            match file.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => upload.write(&buffer[..read]),
                Err(error) => {
                    // Otherwise the store keeps the parts that were sent, and charges for them.
                    let _ = upload.abort().await;
                    return Err(error);
                }
            }
        }
        upload.finish().await.map(drop).map_err(failed)
    })
}

pub(super) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    let (named, to) = (Named::by(from)?, Named::by(to)?);
    wait(async { named.store.rename(&named.key, &to.key).await.map_err(|error| named.failed(&error)) })
}

pub(super) fn remove(url: &Path) -> io::Result<()> {
    let named = Named::by(url)?;
    wait(async { named.store.delete(&named.key).await.map_err(|error| named.failed(&error)) })
}

pub(super) fn open(
    url: &Path,
    bytes: u64,
    stamp: Option<Stamp>,
    deadline: Deadline,
) -> io::Result<Box<dyn Read + Send>> {
    // No store returns an empty range.
    if bytes == 0 {
        return Ok(Box::new(io::empty()));
    }
    let named = Named::by(url)?;
    let mut body = Body {
        named,
        size: bytes,
        asked: 0,
        came: 0,
        tag: None,
        next: None,
        piece: Cursor::default(),
        deadline,
    };
    body.ask()?;
    let meta = body.receive()?;
    if stamp.is_some_and(|stamp| !body.named.is_still(&meta, stamp)) {
        return Err(io::Error::other(REPLACED));
    }
    (body.size, body.tag) = (meta.size, meta.e_tag);
    body.ask()?;
    Ok(Box::new(body))
}

/// An object while it is read.
struct Body {
    named: Named,
    size: u64,
    /// End of the pieces requested so far.
    asked: u64,
    /// End of the pieces received so far.
    came: u64,
    /// Tag of the object's state.
    tag: Option<String>,
    /// The piece on its way.
    next: Option<JoinHandle<io::Result<Piece>>>,
    /// The piece that is being read.
    piece: Cursor<Vec<u8>>,
    deadline: Deadline,
}

impl Body {
    /// Requests the next piece, if there is one.
    fn ask(&mut self) -> io::Result<()> {
        let range = self.asked..self.size.min(self.asked + PIECE);
        if !range.is_empty() {
            self.asked = range.end;
            let piece = self.named.clone().piece(range, self.tag.clone());
            self.next = Some(runtime()?.spawn(piece));
        }
        Ok(())
    }

    /// Waits for the requested piece until the deadline.
    fn receive(&mut self) -> io::Result<ObjectMeta> {
        let Some(mut next) = self.next.take() else { return Err(ErrorKind::UnexpectedEof.into()) };
        let received = runtime()?.block_on(async {
            loop {
                let left = self.deadline.left().map_or(LOOK, |left| left.min(LOOK));
                if let Ok(received) = timeout(left, &mut next).await {
                    return Ok::<_, io::Error>(received);
                }
                self.deadline.check().inspect_err(|_| next.abort())?;
            }
        });
        let (piece, meta) = received?.map_err(io::Error::other)??;
        self.came += piece.len() as u64;
        self.piece = Cursor::new(piece);
        Ok(meta)
    }
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.piece.read(buffer)?;
        if read > 0 || buffer.is_empty() || self.came == self.size {
            return Ok(read);
        }
        // If a piece was not received, this returns an error and not the end of the object.
        self.receive()?;
        self.ask()?;
        self.piece.read(buffer)
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        if let Some(next) = &self.next {
            next.abort();
        }
    }
}

//! A path in JSON: as text, or as bytes if it is not valid text.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::path::{Path, PathBuf};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Written<'a> {
    Text(#[serde(borrow)] std::borrow::Cow<'a, str>),
    #[cfg(unix)]
    Bytes(Vec<u8>),
}

pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    match path.to_str() {
        Some(text) => Written::Text(text.into()).serialize(serializer),
        #[cfg(unix)]
        None => Written::Bytes(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec())
            .serialize(serializer),
        #[cfg(not(unix))]
        None => path.serialize(serializer),
    }
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Ok(match Written::deserialize(deserializer)? {
        Written::Text(text) => text.into_owned().into(),
        #[cfg(unix)]
        Written::Bytes(bytes) => {
            <std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into()
        }
    })
}

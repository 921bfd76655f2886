//! Converts errors of a store to messages with advice.

use std::io::{self, ErrorKind};

/// Maximum number of characters of a store's own message: some stores answer with a page.
const TOLD: usize = 300;

/// Converts an error of a store to an I/O error; `scheme` is that of the URL.
pub(super) fn in_words(error: &object_store::Error, scheme: &str) -> io::Error {
    let reported = |words: &str| format!("{words}; {} ({})", advice(scheme), shortened(error));
    let (kind, words) = match kind(error) {
        ErrorKind::NotFound => (ErrorKind::NotFound, "the store has no such bucket or object".to_owned()),
        ErrorKind::PermissionDenied => (ErrorKind::PermissionDenied, reported("the store refuses access")),
        ErrorKind::StaleNetworkFileHandle => (ErrorKind::Other, REPLACED.to_owned()),
        _ => (ErrorKind::Other, reported("the store cannot be used")),
    };
    io::Error::new(kind, words)
}

/// Like [`in_words`], for an object that was listed. Then neither its name nor the environment is the cause.
pub(super) fn while_reading(error: &object_store::Error, scheme: &str) -> io::Error {
    match kind(error) {
        ErrorKind::Other => {
            let words = format!("its store failed while it was read; audit it again ({})", shortened(error));
            io::Error::other(words)
        }
        _ => in_words(error, scheme),
    }
}

/// Maps an error to the kind of a file error.
fn kind(error: &object_store::Error) -> ErrorKind {
    use object_store::Error as Store;
    match error {
        Store::NotFound { .. } => ErrorKind::NotFound,
        Store::PermissionDenied { .. } | Store::Unauthenticated { .. } => ErrorKind::PermissionDenied,
        Store::Precondition { .. } => ErrorKind::StaleNetworkFileHandle,
        // Errors of lists have no kind of their own, so their text decides.
        _ => match error.to_string() {
            words if words.contains("status code: 404") => ErrorKind::NotFound,
            words if words.contains("status code: 403") || words.contains("status code: 401") => {
                ErrorKind::PermissionDenied
            }
            _ => ErrorKind::Other,
        },
    }
}

/// The error of an object that differs from the listed one, or from the one whose first piece was read.
pub(super) const REPLACED: &str = "it was replaced since it was listed; audit it again";

/// Returns the settings to check.
fn advice(scheme: &str) -> &'static str {
    match scheme {
        "s3" | "s3a" => {
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (with AWS_SESSION_TOKEN where they are for a while) to \
             keys that may use the bucket, AWS_REGION to its region, and AWS_ENDPOINT_URL to the address of a store \
             that is not Amazon's, with AWS_ALLOW_HTTP=true where that begins with http"
        }
        "gs" => "set GOOGLE_APPLICATION_CREDENTIALS to a file with credentials that may use the bucket",
        _ => {
            "set AZURE_STORAGE_ACCOUNT_NAME, and AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_TOKEN, to an \
             account that may use the container"
        }
    }
}

/// Returns the store's own message in one line.
fn shortened(error: &object_store::Error) -> String {
    let words = error.to_string();
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TOLD) {
        Some((end, _)) => format!("{} …", &line[..end]),
        None => line,
    }
}

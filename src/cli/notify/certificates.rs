//! Certificates of authorities that the settings name, for servers of one's own.

use super::NotifyError;
use hullmark_settings::notify::Notify;
use hullmark_util::named_file;
use std::path::Path;
use ureq::tls::{Certificate, PemItem, parse_pem};

pub(super) const KEY: &str = "certificates";

/// Reads the authorities that are trusted instead of the built-in ones. Returns `None` if the settings name no file.
pub(super) fn authorities(notify: &Notify) -> Result<Option<Vec<Certificate<'static>>>, NotifyError> {
    let path = &notify.certificates;
    if path.is_empty() {
        return Ok(None);
    }
    let pem = named_file::read(Path::new(path), named_file::SETTINGS)
        .map_err(|error| NotifyError::setting(KEY, format!("the file {path} cannot be read ({error})")))?;
    let certificate = |item| match item {
        Ok(PemItem::Certificate(certificate)) => Some(certificate),
        _ => None,
    };
    let found: Vec<_> = parse_pem(&pem).filter_map(certificate).collect();
    if found.is_empty() {
        let why = format!("the file {path} has no certificate in the format PEM");
        return Err(NotifyError::setting(KEY, why));
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_settings::config::Config;
    use std::fs;

    #[test]
    fn a_file_without_certificates_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ca.pem");
        let mut notify = Config::default().notify;
        assert!(authorities(&notify).unwrap().is_none());
        notify.certificates = path.display().to_string();
        let error = authorities(&notify).unwrap_err().to_string();
        assert!(
            error.contains("`certificates` of [notify] is wrong") && error.contains("cannot be read"),
            "{error}"
        );
        fs::write(&path, "no certificate").unwrap();
        let error = authorities(&notify).unwrap_err().to_string();
        assert!(error.contains("has no certificate in the format PEM"), "{error}");
        let block = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        fs::write(&path, block.repeat(2)).unwrap();
        assert_eq!(authorities(&notify).unwrap().unwrap().len(), 2);
    }
}

//! Finds URLs and hosts in text.

use std::collections::BTreeSet;

/// Maximum number of characters kept of a URL; no browser's address bar shows more.
const MOST_CHARACTERS: usize = 200;

/// Maximum length of a host name (RFC 1035).
const MOST_HOST: usize = 253;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Links {
    /// `scheme://…`, cut after [`MOST_CHARACTERS`].
    pub(super) urls: BTreeSet<String>,
    /// Hosts in lower case: those of URLs, and bare ones with a port, as grids are named (`example.com:8002`). Without
    /// a port, a host looks like a file name.
    pub(super) hosts: BTreeSet<String>,
}

impl Links {
    /// Adds the links in a text.
    pub(super) fn add(&mut self, words: &str) {
        for word in words.split(is_border) {
            match url(word) {
                Some((url, authority)) => {
                    let host = host_of(authority);
                    if !host.is_empty() && host.len() <= MOST_HOST {
                        self.urls.insert(url.chars().take(MOST_CHARACTERS).collect());
                        self.hosts.insert(host.to_ascii_lowercase());
                    }
                }
                None => self.hosts.extend(host_with_port(word).map(str::to_ascii_lowercase)),
            }
        }
    }
}

/// Whether this character ends a URL. A backslash does, because it begins an escape in a script.
fn is_border(c: char) -> bool {
    c.is_whitespace() || c.is_control() || "\"'<>|\\^`{}()[],;".contains(c)
}

fn url(word: &str) -> Option<(&str, &str)> {
    let colon = word.find("://")?;
    let scheme = word[..colon].bytes().rev().take_while(|&byte| byte.is_ascii_alphanumeric()).count();
    let scheme = colon - scheme;
    let begins_well = word[scheme..].starts_with(|c: char| c.is_ascii_alphabetic());
    let url = word[scheme..].trim_end_matches(['.', '!', '?', ':']);
    let authority = word[colon + 3..].split(['/', '?', '#']).next()?;
    begins_well.then_some((url, authority))
}

/// Returns the host of `user@host:port`.
fn host_of(authority: &str) -> &str {
    let host = authority.rsplit('@').next().unwrap_or(authority);
    host.split(':').next().unwrap_or(host)
}

/// Returns the host of `host:port`, with or without text after it, if the host is a name with dots or `localhost`.
fn host_with_port(word: &str) -> Option<&str> {
    let (host, rest) = word.split_once(':')?;
    let port = rest.bytes().take_while(u8::is_ascii_digit).count();
    let ends_there = matches!(rest.as_bytes().get(port), None | Some(b':' | b'/'));
    ((2..=5).contains(&port) && ends_there && is_host(host)).then_some(host)
}

/// Whether this is `localhost`, a name with dots, or an IPv4 address.
fn is_host(host: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let named = |host: &str| {
        host.rsplit_once('.').is_some_and(|(_, top)| top.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::Ipv4Addr>().is_ok()
        || host.len() <= MOST_HOST && named(host) && host.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(words: &str) -> (Vec<String>, Vec<String>) {
        let mut links = Links::default();
        links.add(words);
        (links.urls.into_iter().collect(), links.hosts.into_iter().collect())
    }

    fn both(urls: &[&str], hosts: &[&str]) -> (Vec<String>, Vec<String>) {
        let owned = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect();
        (owned(urls), owned(hosts))
    }

    #[test]
    fn urls_and_their_hosts() {
        assert_eq!(
            links("See http://Example.com:8002/a?b=c#d, (https://u:p@x.org). hop://grid.net:80/Plaza"),
            both(
                &["hop://grid.net:80/Plaza", "http://Example.com:8002/a?b=c#d", "https://u:p@x.org"],
                &["example.com", "grid.net", "x.org"]
            )
        );
        assert_eq!(links("url=http://a.b/c\\nd"), both(&["http://a.b/c"], &["a.b"]));
        assert_eq!(links("http:// ://x 5://y http:///path"), both(&[], &[]));
    }

    #[test]
    fn a_host_alone_needs_a_port() {
        let hosts = links("hg.osgrid.org:80:Lbsa localhost:9000 10.0.0.7:8003/ grid.example.com:8002").1;
        assert_eq!(hosts, ["10.0.0.7", "grid.example.com", "hg.osgrid.org", "localhost"]);
        let none = "texture.png at 12:30 1.5:20 a.b:1 a.b:123456 a..b:80 .b:80 time.ms:20s Name:8002";
        assert_eq!(links(none), both(&[], &[]));
    }

    #[test]
    fn a_long_url_is_cut_and_a_long_host_is_ignored() {
        let (urls, hosts) = links(&format!("http://a.b/{}", "ü".repeat(300)));
        assert_eq!((urls[0].chars().count(), hosts), (200, vec!["a.b".to_owned()]));
        assert_eq!(links(&format!("http://{}/", "a".repeat(254))), both(&[], &[]));
    }
}

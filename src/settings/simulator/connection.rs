//! Connection strings of databases: `Data Source=localhost;Database=opensim;User ID=opensim;Password=…`.

use crate::passwords::Password;
use hullmark_util::escape::percent_encoded;

/// Bytes that stay in a URL, in addition to letters and digits.
const PLAIN: &[u8] = b"-._~";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Product {
    Sqlite,
    MySql,
    PostgreSql,
}

impl Product {
    /// Returns the product of a storage provider, else of a connection string. `None` for one that stores nothing.
    pub fn of(provider: Option<&str>, connection: &str) -> Option<Self> {
        let provider = provider.unwrap_or_default().to_ascii_lowercase();
        if provider.contains("sqlite") {
            Some(Self::Sqlite)
        } else if provider.contains("mysql") {
            Some(Self::MySql)
        } else if provider.contains("pgsql") {
            Some(Self::PostgreSql)
        } else {
            (provider.is_empty() && is_of_file(connection)).then_some(Self::Sqlite)
        }
    }
}

fn is_of_file(connection: &str) -> bool {
    connection.trim_start().get(..9).is_some_and(|start| start.eq_ignore_ascii_case("URI=file:"))
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// A file of SQLite. The path is relative to the working folder.
    File(String),
    Server {
        url: String,
        /// The password, if there is one.
        password: Option<Password>,
    },
}

impl Connection {
    /// Reads a connection string.
    ///
    /// # Errors
    /// It names no database. The message completes a sentence, and shows nothing of the string.
    pub fn parse(product: Product, text: &str) -> Result<Self, String> {
        let pairs = pairs(text);
        let get = |names: &[&str]| {
            let is_it = |pair: &&(String, String)| names.contains(&pair.0.as_str());
            pairs.iter().rev().find(is_it).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
        };
        if product == Product::Sqlite {
            let file = get(&["uri", "datasource", "filename"]).ok_or("it names no file")?;
            let file = file.strip_prefix("file:").unwrap_or(file).split(',').next().unwrap_or_default();
            return if file.is_empty() {
                Err("it names no file".into())
            } else {
                Ok(Self::File(file.into()))
            };
        }
        let scheme = if product == Product::MySql { "mysql" } else { "postgres" };
        let host = get(&["datasource", "server", "host", "address", "addr", "networkaddress"]);
        let host = host.unwrap_or("localhost");
        let database = get(&["database", "initialcatalog"]).ok_or("it names no database")?;
        let user = get(&["userid", "uid", "user", "username"]);
        let user = user.map_or(String::new(), |user| format!("{}@", percent_encoded(user, PLAIN)));
        let port = get(&["port"]).map_or(String::new(), |port| format!(":{}", percent_encoded(port, PLAIN)));
        let host = percent_encoded(host, b"-._~[]:");
        let url = format!("{scheme}://{user}{host}{port}/{}", percent_encoded(database, PLAIN));
        let password = get(&["password", "pwd"]).map(Password::new);
        Ok(Self::Server { url, password })
    }
}

/// Returns the pairs of a connection string. Keys are in lower case and without blanks.
fn pairs(text: &str) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    let mut rest = text;
    while let Some((key, tail)) = rest.split_once('=') {
        let key = key.rsplit(';').next().unwrap_or_default();
        let key = key.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
        let tail = tail.trim_start();
        let quote = tail.chars().next().filter(|c| matches!(c, '"' | '\''));
        let (value, after) = match quote.and_then(|quote| tail[1..].split_once(quote)) {
            Some((value, after)) => (value, after.split_once(';').map_or("", |(_, after)| after)),
            None => tail.split_once(';').unwrap_or((tail, "")),
        };
        pairs.push((key, if quote.is_some() { value } else { value.trim_end() }.to_owned()));
        rest = after;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the URL and the password of a server.
    fn server(product: Product, text: &str) -> (String, Option<String>) {
        match Connection::parse(product, text).unwrap() {
            Connection::Server { url, password } => (url, password.map(|it| it.reveal().to_owned())),
            Connection::File(file) => panic!("{file}"),
        }
    }

    #[test]
    fn servers_have_urls_and_passwords() {
        let text = "Data Source=localhost;Database=opensim;User ID=opensim;Password=p=w d;Old Guids=true;SslMode=None;";
        let of = |text| server(Product::MySql, text);
        assert_eq!(of(text), ("mysql://opensim@localhost/opensim".into(), Some("p=w d".into())));
        let text = "SERVER = db.example ; port=3309; Initial Catalog=\"a b\";Uid=x@y; pwd='a;b' ;";
        assert_eq!(of(text), ("mysql://x%40y@db.example:3309/a%20b".into(), Some("a;b".into())));
        let text = "Server=localhost;Database=opensim;User Id=opensim; password=***;SSL Mode=Disable";
        assert_eq!(
            server(Product::PostgreSql, text),
            ("postgres://opensim@localhost/opensim".into(), Some("***".into()))
        );
        assert_eq!(of("Database=x"), ("mysql://localhost/x".into(), None));
        assert!(Connection::parse(Product::MySql, "Data Source=localhost").is_err());
    }

    #[test]
    fn files_have_names() {
        let file = |text| Connection::parse(Product::Sqlite, text);
        let named = |name: &str| Ok(Connection::File(name.into()));
        assert_eq!(file("URI=file:OpenSim.db;UseUTF16Encoding=True"), named("OpenSim.db"));
        assert_eq!(file("URI=file:OpenSim.db,version=3"), named("OpenSim.db"));
        assert_eq!(file("Data Source=C:/Grid/OpenSim.db;Version=3"), named("C:/Grid/OpenSim.db"));
        assert!(file("URI=file:").is_err() && file("").is_err());
    }

    #[test]
    fn providers_name_products() {
        assert_eq!(Product::of(Some("OpenSim.Data.MySQL.dll"), ""), Some(Product::MySql));
        assert_eq!(Product::of(Some("OpenSim.Data.PGSQL.dll:X"), ""), Some(Product::PostgreSql));
        assert_eq!(Product::of(Some("OpenSim.Data.Null.dll"), "URI=file:x"), None);
        assert_eq!(Product::of(None, "URI=file:x"), Some(Product::Sqlite));
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(text in "[a-dA-D=;\"' é:]{0,80}") {
            for product in [Product::Sqlite, Product::MySql, Product::PostgreSql] {
                let _ = Connection::parse(product, &text);
            }
        }
    }
}

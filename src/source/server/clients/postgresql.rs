//! PostgreSQL.

use super::super::{Failure, Server, Table, url::ServerUrl};
use super::{
    ANSWER, CONNECT, LOCK, SLOW, STATEMENT, TableList, locked, lost, no_database, no_right, refused, too_slow,
};
use futures_util::TryStreamExt;
use hullmark_database::{Columns, Row, Value};
use hullmark_settings::passwords::Password;
use std::{error::Error, future::Future, pin::pin};
use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};
use tokio_postgres::{
    Config, Error as SqlError, NoTls,
    error::SqlState,
    types::{FromSql, Type},
};
use uuid::Uuid;

/// A connection, with the only thread that works on it: the caller's.
pub(super) struct Client {
    client: tokio_postgres::Client,
    runtime: Runtime,
    url: ServerUrl,
    in_transaction: bool,
}

impl Client {
    /// Connects and makes the session read-only.
    pub(super) fn connect(url: &ServerUrl, password: Option<&Password>) -> Result<Self, Failure> {
        let runtime = Builder::new_current_thread().enable_all().build().map_err(lost)?;
        let mut config = Config::new();
        config.user(&url.user).dbname(&url.database).port(url.port).connect_timeout(CONNECT);
        config.application_name("hullmark");
        match &url.socket {
            #[cfg(unix)]
            Some(socket) => config.host_path(socket),
            _ => config.host(&url.host),
        };
        if let Some(password) = password {
            config.password(password.reveal());
        }
        let connected = runtime.block_on(within(config.connect(NoTls)));
        let (client, connection) = connected?.map_err(|error| match error.code() {
            Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => {
                refused(url, password)
            }
            // The client has no password to answer with.
            None if password.is_none() && !is_io(&error) => refused(url, password),
            _ => failure(&error, url),
        })?;
        // Its errors reach the client, too.
        runtime.spawn(connection);
        let client = Self { client, runtime, url: url.clone(), in_transaction: false };
        // Scans of large tables begin where others are, and rows come in another order each time.
        let (lock, statement, slow) = (LOCK * 1000, STATEMENT * 1000, SLOW * 1000);
        client.run(&format!(
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY; SET SESSION lock_timeout = {lock}; \
             SET SESSION statement_timeout = {statement}; SET SESSION synchronize_seqscans = off; \
             SET SESSION idle_in_transaction_session_timeout = {slow}"
        ))?;
        Ok(client)
    }

    fn run(&self, statement: &str) -> Result<(), Failure> {
        let done = self.runtime.block_on(within(self.client.batch_execute(statement)))?;
        done.map_err(|error| failure(&error, &self.url))
    }

    fn rows(&self, query: &str, take: &mut dyn FnMut(&Row<'_>) -> bool) -> Result<(), Failure> {
        let failed = |error: SqlError| failure(&error, &self.url);
        let statement = self.runtime.block_on(within(self.client.prepare(query)))?.map_err(failed)?;
        let columns = Columns::new(statement.columns().iter().map(tokio_postgres::Column::name));
        let parameters: [&str; 0] = [];
        let answer = self.runtime.block_on(within(self.client.query_raw(&statement, parameters)))?;
        let mut answer = pin!(answer.map_err(failed)?);
        while let Some(row) = self.runtime.block_on(within(answer.try_next()))?.map_err(failed)? {
            let values = (0..row.len()).map(|place| row.try_get::<_, Option<Raw<'_>>>(place));
            let values: Result<Vec<_>, _> = values.map(|value| value.map(value_of)).collect();
            if !take(&Row::new(&columns, &values.map_err(failed)?)) {
                break;
            }
        }
        Ok(())
    }
}

impl Server for Client {
    fn tables(&mut self) -> Result<Vec<Table>, Failure> {
        let mut tables = TableList::default();
        // `search_path` decides which schema a name without one means.
        let query = "SELECT c.table_name, c.column_name FROM information_schema.columns c \
                     JOIN information_schema.tables t USING (table_schema, table_name) \
                     WHERE t.table_type = 'BASE TABLE' AND c.table_schema = current_schema() \
                     AND has_table_privilege(quote_ident(c.table_schema) || '.' || quote_ident(c.table_name), 'SELECT') \
                     ORDER BY c.table_name, c.ordinal_position";
        self.rows(query, &mut |row| {
            tables.add(row.text("table_name"), String::new(), row.text("column_name"), false);
            true
        })?;
        Ok(tables.finish())
    }

    fn begin(&mut self) -> Result<(), Failure> {
        self.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
        self.in_transaction = true;
        Ok(())
    }

    fn end(&mut self) -> Result<(), Failure> {
        self.in_transaction = false;
        self.run("ROLLBACK")
    }

    fn select(&mut self, query: &str, take: &mut dyn FnMut(&Row<'_>) -> bool) -> Result<(), Failure> {
        let done = self.rows(query, take);
        if self.in_transaction && done.as_ref().is_err_and(|failure| !failure.is_lost) {
            // A failed statement ends the transaction. The tables that follow are in a new one.
            self.end()?;
            self.begin()?;
        }
        done
    }
}

/// Waits for an answer, but not forever.
async fn within<T>(work: impl Future<Output = T>) -> Result<T, Failure> {
    let words = || lost(format!("no answer came within {} s", ANSWER.as_secs()));
    timeout(ANSWER, work).await.map_err(|_| words())
}

/// The bytes of a value in the binary protocol.
struct Raw<'a> {
    kind: Type,
    bytes: &'a [u8],
}

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(kind: &Type, bytes: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self { kind: kind.clone(), bytes })
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// Returns a value as the readers of dumps and files would.
fn value_of(raw: Option<Raw<'_>>) -> Value<'_> {
    let Some(Raw { kind, bytes }) = raw else { return Value::Null };
    let real = |single: f64| Value::Real(single);
    let value = match kind {
        Type::INT2 => bytes.try_into().ok().map(|bytes| Value::Int(i16::from_be_bytes(bytes).into())),
        Type::INT4 => bytes.try_into().ok().map(|bytes| Value::Int(i32::from_be_bytes(bytes).into())),
        Type::INT8 => bytes.try_into().ok().map(|bytes| Value::Int(i64::from_be_bytes(bytes))),
        Type::FLOAT4 => bytes.try_into().ok().map(|bytes| real(f32::from_be_bytes(bytes).into())),
        Type::FLOAT8 => bytes.try_into().ok().map(|bytes| real(f64::from_be_bytes(bytes))),
        Type::BOOL => bytes.first().map(|&byte| Value::Int(i64::from(byte != 0))),
        Type::UUID => {
            let uuid = Uuid::from_slice(bytes).ok();
            uuid.map(|uuid| Value::Bytes(uuid.to_string().into_bytes().into()))
        }
        _ => None,
    };
    value.unwrap_or(Value::bytes(bytes))
}

/// Whether the network or a socket failed.
fn is_io(error: &SqlError) -> bool {
    error.is_closed() || error.source().is_some_and(<dyn Error>::is::<std::io::Error>)
}

fn failure(error: &SqlError, url: &ServerUrl) -> Failure {
    let Some(sql) = error.as_db_error() else {
        let detail = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        return lost(detail);
    };
    match *sql.code() {
        SqlState::INVALID_CATALOG_NAME => no_database(url),
        SqlState::INSUFFICIENT_PRIVILEGE => no_right(url, sql.message()),
        SqlState::LOCK_NOT_AVAILABLE => locked(),
        SqlState::QUERY_CANCELED => too_slow(),
        SqlState::ADMIN_SHUTDOWN
        | SqlState::CRASH_SHUTDOWN
        | SqlState::CANNOT_CONNECT_NOW
        | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => lost(sql.message()),
        ref code => Failure::lasting(format!("the server reports error {}: {}", code.code(), sql.message())),
    }
}

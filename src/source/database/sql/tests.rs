use super::*;
use hullmark_database::Value;
use hullmark_format::defect::{Defect, DefectKind, InputDefect};
use proptest::prelude::*;
use std::io::{BufReader, Cursor};

/// Rows as `database.table: column=value …`.
#[derive(Default)]
struct Seen {
    rows: Vec<String>,
    columns: Vec<&'static str>,
}

impl Rows for Seen {
    fn wants(&mut self, _: &str, table: &str) -> bool {
        table != "left_out"
    }

    fn row(&mut self, database: &str, table: &str, row: &Row<'_>) -> Option<&'static str> {
        let value = |column: &&'static str| match row.get(column) {
            Value::Null | Value::LeftOut(_) => format!("{column}=-"),
            value => format!("{column}={}", value.text().escape_debug()),
        };
        let cells: Vec<String> = self.columns.iter().filter(|column| row.has(column)).map(value).collect();
        self.rows.push(format!("{database}.{table}: {}", cells.join(" ")));
        None
    }
}

/// Returns small limits.
fn limits() -> Limits {
    Limits { row_bytes: 1000, columns: 10, tables: 5, name_bytes: 100, ..Limits::default() }
}

/// Reads a dump of this product. Returns its rows and how it ends.
fn read(dialect: Dialect, dump: &[u8]) -> (Vec<String>, End) {
    let mut seen = Seen { columns: vec!["id", "a", "b", "data"], ..Seen::default() };
    // A small buffer, so that every token is cut at some time.
    let mut schema = Schema::new(dialect);
    let limits = limits();
    let mut reader = SqlReader::new(BufReader::with_capacity(7, Cursor::new(dump)), &mut schema, &limits);
    let end = reader.read(&mut seen).unwrap();
    assert!(reader.position() <= dump.len() as u64);
    (seen.rows, end)
}

const MARIADB: &[u8] = b"/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump 10.19  Distrib 10.11.19-MariaDB\n\
    --\n-- Host: localhost    Database: opensim\n/*!40101 SET NAMES utf8mb4 */;\nUSE `opensim`;\n\
    DROP TABLE IF EXISTS `t`;\nCREATE TABLE `t` (\n  `ID` char(36) NOT NULL DEFAULT '0,(',\n  `A` int(11) DEFAULT 0,\n\
    `b` float,\n `Data` longblob, PRIMARY KEY (`ID`,`A`),\n KEY `a` (`A`)\n) ENGINE=InnoDB DEFAULT CHARSET=latin1;\n\
    LOCK TABLES `t` WRITE;\nINSERT INTO `t` VALUES\n('x',-5,0.707107,'a\\'b\\\\\\0\\n\\Z\xE9\t'),\n('y''s',NULL,1e-05,0x00fF),\
    \n('z',7,2,_binary 'q');\nINSERT INTO `left_out` VALUES ('a;b');\nUNLOCK TABLES;\n-- Dump completed on 2026-11-24\n";

#[test]
fn a_dump_of_mariadb() {
    let (rows, end) = read(Dialect::MySql, MARIADB);
    let expected = [
        r"opensim.t: id=x a=-5 b=0.707107 data=a\'b\\\0\n\u{1a}é\t",
        r"opensim.t: id=y\'s a=- b=0.00001 data=\0ÿ",
        "opensim.t: id=z a=7 b=2 data=q",
    ];
    assert_eq!((rows, end), (expected.map(String::from).to_vec(), End::Complete));
    assert_eq!(Start::of(MARIADB), Start::Dump(Dialect::MySql));
}

#[test]
fn several_databases_and_lists_of_columns() {
    let dump = b"# phpMyAdmin\nCREATE DATABASE `one`; USE `one`;\ncreate table if not exists t (id int, a text);\n\
        insert ignore into t (a, id) values ('b', 1), ('c', 2);\nUSE two; INSERT INTO `two`.`t` (`id`) VALUES (3) \
        ON DUPLICATE KEY UPDATE a='x;y'; REPLACE t (id, data) VALUES (4, X'41');\n\
        INSERT INTO t VALUES (5, CONCAT('a', ')'), CURRENT_TIMESTAMP);";
    let (rows, end) = read(Dialect::MySql, dump);
    let expected = ["one.t: id=1 a=b", "one.t: id=2 a=c", "two.t: id=3", "two.t: id=4 data=A"];
    assert_eq!((rows, end), (expected.map(String::from).to_vec(), End::Whole));
}

#[test]
fn a_dump_of_postgresql() {
    let dump = b"--\n-- PostgreSQL database dump\n--\n\\restrict abc\nSET standard_conforming_strings = on;\n\
        CREATE TABLE public.t (\n    \"ID\" uuid NOT NULL,\n    a character varying(255) DEFAULT ''::character varying,\n\
        data bytea,\n CONSTRAINT x CHECK ((a > 0))\n);\nCOPY public.t (\"ID\", data, a) FROM stdin;\n\
        1\t\\\\x00ff\ta\\tb\\\\\n2\t\\N\t\n\\.\n\nINSERT INTO public.t VALUES ('3', 'a\\b', NULL);\n\
        \\connect other\nCOPY t (\"ID\") FROM stdin;\n4\n\\.\n--\n-- PostgreSQL database dump complete\n--\n\n";
    let (rows, end) = read(Dialect::PostgreSql, dump);
    let expected =
        [r".t: id=1 a=a\tb\\ data=\0ÿ", ".t: id=2 a= data=-", r".t: id=3 a=a\\b data=-", "other.t: id=4"];
    assert_eq!((rows, end), (expected.map(String::from).to_vec(), End::Complete));
    assert_eq!(Start::of(dump), Start::Dump(Dialect::PostgreSql));
}

#[test]
fn a_cut_dump_has_its_rows_up_to_the_cut() {
    let (whole, _) = read(Dialect::MySql, MARIADB);
    for cut in 0..MARIADB.len() - " on 2026-11-24\n".len() - 1 {
        let (rows, end) = read(Dialect::MySql, &MARIADB[..cut]);
        assert!(whole.starts_with(&rows), "{cut}");
        assert_ne!(end, End::Complete, "{cut}");
    }
}

#[test]
fn values_above_the_limit_are_left_out_and_counted() {
    let dump = format!(
        "CREATE TABLE t (id int, data blob);INSERT INTO t VALUES (1,'{}'),(2,'b');",
        "a".repeat(1001)
    );
    let mut seen = Seen { columns: vec!["id", "data"], ..Seen::default() };
    let mut schema = Schema::new(Dialect::MySql);
    SqlReader::new(dump.as_bytes(), &mut schema, &limits()).read(&mut seen).unwrap();
    assert_eq!(seen.rows, [".t: id=1 data=-", ".t: id=2 data=b"]);
    assert_eq!(over(&schema), ["Values of t: 1 (1001 of 1000)"]);
}

/// Returns each part that is left out: its kind, table and number, with the measured number and the limit.
fn over(schema: &Schema) -> Vec<String> {
    let defects = schema.over.defects(schema.defined, &limits());
    let words = |defect: Defect| {
        let numbers = format!("({} of {})", defect.measured.unwrap(), defect.limit.unwrap());
        match defect.kind {
            DefectKind::Input(InputDefect::LeftOut { what, of, count }) => {
                format!("{what:?} of {of}: {count} {numbers}")
            }
            kind => format!("{kind:?} {numbers}"),
        }
    };
    defects.into_iter().map(words).collect()
}

/// Returns the rows of a dump, and the parts that are left out.
fn read_over(dump: &[u8]) -> (Vec<String>, Vec<String>) {
    let mut seen = Seen { columns: vec!["id", "a"], ..Seen::default() };
    let mut schema = Schema::new(Dialect::MySql);
    let limits = limits();
    SqlReader::new(BufReader::with_capacity(5, dump), &mut schema, &limits).read(&mut seen).unwrap();
    (seen.rows, over(&schema))
}

const TABLE: &str = "CREATE TABLE t (id int, a text);";

/// All values of a row count, and the first ones that fit are kept. Every form of rows and of values has the limit.
#[test]
fn rows_of_every_form_have_a_limit() {
    let text = "b".repeat(600);
    let hex = "62".repeat(600);
    let inserts = [format!("'{text}'"), format!("0x{hex}"), format!("X'{hex}'"), format!("_binary '{text}'")];
    for value in inserts {
        let dump = format!("{TABLE}INSERT INTO t VALUES ({value},{value}),(3,'c');");
        let kept = format!(".t: id={text} a=-");
        let expected = (vec![kept, ".t: id=3 a=c".into()], vec!["Values of t: 1 (1200 of 1000)".into()]);
        assert_eq!(read_over(dump.as_bytes()), expected, "{value}");
    }
    for (kind, value) in [("text", text.clone()), ("bytea", format!("\\\\x{hex}"))] {
        let dump =
            format!("CREATE TABLE t (id {kind}, a {kind});COPY t FROM stdin;\n{value}\t{value}\n3\tc\n\\.\n");
        let kept = format!(".t: id={text} a=-");
        let expected = (vec![kept, ".t: id=3 a=c".into()], vec!["Values of t: 1 (1200 of 1000)".into()]);
        assert_eq!(read_over(dump.as_bytes()), expected, "{kind}");
    }
}

#[test]
fn further_values_are_counted_and_not_kept() {
    for row in ["VALUES (1,2,3)", "VALUES (1)", "(id,a) VALUES (1,'a','b')"] {
        let (rows, _) = read_over(format!("{TABLE}INSERT INTO t {row},(4,'d');").as_bytes());
        assert_eq!(rows, [".t: id=4 a=d"], "{row}");
    }
    let (rows, _) = read_over(format!("{TABLE}COPY t FROM stdin;\n\t\t\n1\n5\te\n\\.\n").as_bytes());
    assert_eq!(rows, [".t: id=5 a=e"]);
    let wide = "1,".repeat(100_000);
    let dump = format!("{TABLE}INSERT INTO t VALUES ({wide}1);");
    let (mut seen, mut schema, limits) = (Seen::default(), Schema::new(Dialect::MySql), limits());
    let mut reader = SqlReader::new(dump.as_bytes(), &mut schema, &limits);
    reader.read(&mut seen).unwrap();
    assert!(reader.row.cells.capacity() < 100, "{}", reader.row.cells.capacity());
    assert_eq!(schema.odd_rows, 1);
}

/// Any number of words may be before a text. Each took a step of the stack.
#[test]
fn words_before_a_text_take_no_stack() {
    for words in ["n ", "_utf8 ", "e ", "_binary _latin1 "] {
        let dump =
            format!("{TABLE}INSERT INTO t VALUES ({}'a',{}'b');", words.repeat(20_000), words.repeat(9));
        let seen = std::thread::Builder::new().stack_size(256 * 1024);
        let seen = seen.spawn(move || read_over(dump.as_bytes())).unwrap().join().unwrap();
        assert_eq!(seen, (vec![".t: id=a a=b".to_owned()], vec![]), "{words}");
    }
}

#[test]
fn lists_of_columns_have_a_limit() {
    let wide: String = (0..20).map(|place| format!("a{place} int,")).collect();
    let names: String = (0..20).map(|place| format!("a{place},")).collect();
    let columns = "Columns of t: 1 (11 of 10)";
    let dump = format!("CREATE TABLE t ({wide}b int);INSERT INTO t VALUES (1);");
    assert_eq!(read_over(dump.as_bytes()), (vec![], vec![columns.into()]));
    let dump = format!("{TABLE}INSERT INTO t ({names}b) VALUES (1);INSERT INTO t VALUES (2,'b');");
    assert_eq!(read_over(dump.as_bytes()), (vec![".t: id=2 a=b".into()], vec![columns.into()]));
    let dump = format!("{TABLE}COPY t ({names}b) FROM stdin;\n1\n\\.\nINSERT INTO t VALUES (2,'b');");
    assert_eq!(read_over(dump.as_bytes()), (vec![".t: id=2 a=b".into()], vec![columns.into()]));
}

#[test]
fn tables_after_too_many_others_are_not_known() {
    let many: String = (0..8).map(|number| format!("CREATE TABLE t{number}(a int);")).collect();
    let dump = format!("{many}{TABLE}INSERT INTO t VALUES (1,'a');INSERT INTO t (id) VALUES (2);");
    let expected = (vec![".t: id=2".to_owned()], vec!["Tables of : 4 (9 of 5)".to_owned()]);
    assert_eq!(read_over(dump.as_bytes()), expected);
}

#[test]
fn names_of_databases_have_a_limit() {
    let (long, cut) = ("d".repeat(150), "d".repeat(100));
    for change in [format!("\\connect {long}\n"), format!("USE `{long}`;"), format!("USE {long};")] {
        let dump = format!("{change}{TABLE}INSERT INTO t VALUES (1,'a');");
        let (rows, over) = read_over(dump.as_bytes());
        assert_eq!(rows, [format!("{cut}.t: id=1 a=a")], "{change}");
        assert!(over.len() == 1 && over[0].contains("BytesInName"), "{over:?}");
    }
    // The name of a column, a setting, or a text in double quotes ends nothing.
    let dump =
        format!("CREATE TABLE u (`{long}` int);SET x = \"{long}\";{TABLE}INSERT INTO t VALUES (1,'a');");
    assert_eq!(read_over(dump.as_bytes()), (vec![".t: id=1 a=a".into()], vec![]));
}

proptest! {
    #[test]
    fn a_comment_ends_at_its_first_star_and_slash(
        inside in "[*/! a]{0,12}",
        size in 1_usize..9,
    ) {
        let sql = format!("/*{inside}*/end");
        let (_, after) = sql[2..].split_once("*/").unwrap();
        let mut lexer = Lexer::new(BufReader::with_capacity(size, sql.as_bytes()));
        // What follows may begin with a comment of its own, whose end is then missing.
        let mut rest = Lexer::new(after.as_bytes());
        prop_assert_eq!(lexer.skip_blanks().ok(), rest.skip_blanks().ok());
        prop_assert_eq!(lexer.position, (sql.len() - after.len()) as u64 + rest.position);
    }

    #[test]
    fn any_bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut dump = b"CREATE TABLE t (data blob);INSERT INTO t VALUES ('".to_vec();
        for &byte in &bytes {
            match byte {
                0 => dump.extend(b"\\0"),
                b'\'' | b'\\' => dump.extend([b'\\', byte]),
                _ => dump.push(byte),
            }
        }
        dump.extend(b"');");
        struct Blob(Vec<u8>);
        impl Rows for Blob {
            fn wants(&mut self, _: &str, _: &str) -> bool {
                true
            }
            fn row(&mut self, _: &str, _: &str, row: &Row<'_>) -> Option<&'static str> {
                self.0 = row.blob("data").to_vec();
                Some("data")
            }
            fn bytes(&mut self, bytes: Vec<u8>) {
                assert_eq!(self.0, bytes, "the bytes that are handed over");
            }
        }
        let mut blob = Blob(vec![1]);
        let mut schema = Schema::new(Dialect::MySql);
        let bytes_of_dump = BufReader::with_capacity(5, Cursor::new(dump));
        SqlReader::new(bytes_of_dump, &mut schema, &limits()).read(&mut blob).unwrap();
        prop_assert_eq!(blob.0, bytes);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(prop::sample::select(
        b"INSERT INTO t VALUES (a,1)'\"`[];\\-/*x0\n\t._ COPY FROM stdin CREATE TABLE USE".to_vec()), 0..300)) {
        for dialect in [Dialect::MySql, Dialect::PostgreSql, Dialect::Sqlite] {
            read(dialect, &bytes);
        }
    }
}

#[test]
fn the_charset_of_a_dump_is_known_and_other_texts_are_counted() {
    let table = b"CREATE TABLE t (id int, a varchar(9), data blob) ENGINE = MyISAM;INSERT INTO t VALUES ";
    for (names, rows, expected, odd) in [
        (
            &b"/*!40101 SET NAMES latin1 */;"[..],
            &b"(1,'\xFC','\xFC'),(2,'\xC3\xBC','\xC3\xBC')"[..],
            "Latin-1",
            1,
        ),
        (
            b"SET NAMES 'utf8mb4';",
            b"(1,'\xC3\xBC','\xFC'),(2,'\xFC',0xFC),(3,'a',_binary '\xFC')",
            "UTF-8",
            1,
        ),
        (b"/*!40101 SET NAMES binary*/;", b"(1,'\xFC','\xFC')", "unknown", 0),
        (b"SET NAMES latin1;/*!40101 SET NAMES **/;", b"(1,'\xFC','\xFC'),(2,'u','u')", "Latin-1", 0),
        (b"SET client_encoding = 'WIN1251';", b"(1,'\xFC','\xFC'),(2,'u','u')", "WIN1251", 1),
    ] {
        let dump = [names, table, rows, b";"].concat();
        let mut schema = Schema::new(Dialect::MySql);
        let mut seen = Seen { columns: vec!["id", "a"], ..Seen::default() };
        SqlReader::new(BufReader::with_capacity(3, &dump[..]), &mut schema, &limits())
            .read(&mut seen)
            .unwrap();
        assert_eq!((schema.charset.name(), schema.odd_texts), (expected, odd), "{seen:?}", seen = seen.rows);
        assert_eq!(schema.my_isam.into_iter().collect::<Vec<_>>(), ["t"]);
    }
}

#[test]
fn only_a_dump_of_one_table_is_a_file_of_workbench() {
    let table = |name: &str| {
        format!("--\n-- Table structure for table `{name}`\n--\nCREATE TABLE `{name}` (a int);\n")
    };
    let head = "-- MySQL dump 10.13\n--\n-- Host: localhost    Database: opensim\n";
    let of = |text: String| table_of_workbench(text.as_bytes());
    assert_eq!(of(format!("{head}{}", table("prims"))), Some("prims".into()));
    assert_eq!(of(format!("{head}{}{}", table("land"), table("prims"))), None);
    assert_eq!(of(table("prims")), None);
    assert_eq!(of(head.into()), None);
}

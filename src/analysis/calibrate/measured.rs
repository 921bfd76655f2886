//! Reads the costs that a script measured, from a CSV file or from a chat log with its lines.

use glam::DVec3;
use hullmark_settings::config::nearest;
use hullmark_util::named_file;
use std::{
    collections::{BTreeSet, HashMap},
    io,
    path::{Path, PathBuf},
};
use thiserror::Error;
use uuid::Uuid;

/// First cell of the scripts' lines. The text of a chat log before it is removed.
const MARK: &str = "hullmark,";
/// Required columns.
const REQUIRED: [&str; 9] =
    ["scope", "uuid", "name", "x", "y", "z", "link", "streaming_cost", "physics_cost"];
const COSTS: [&str; 4] = ["server_cost", "streaming_cost", "physics_cost", "prim_equivalence"];

fn is_column(name: &str) -> bool {
    REQUIRED.contains(&name) || COSTS.contains(&name)
}

/// The scope of the costs in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scope {
    #[default]
    /// One part: OpenSimulator.
    Part,
    /// The whole linkset: Second Life.
    Linkset,
}

/// One part as a script measured it. A cost that was not measured is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Row {
    /// Line in the file, from 1.
    pub line: u64,
    pub scope: Scope,
    pub uuid: Uuid,
    pub name: String,
    /// Centre of the part in the region, in metres.
    pub position: DVec3,
    /// Link number: 0 for a single prim, 1 for a root, 2 and more for children.
    pub link: i32,
    /// Sides in metres; `None` if the row lacks one.
    pub scale: Option<DVec3>,
    /// `OBJECT_PRIM_COUNT`: the number of prims in the linkset. `None` for 0, which a script gets if it may not read
    /// the number.
    pub prims: Option<u32>,
    /// `PRIM_PHYSICS_SHAPE_TYPE`.
    pub physics_shape_type: Option<u8>,
    /// Number of faces whose `PRIM_RENDER_MATERIAL` the script saw. Without permission it sees none.
    pub render_materials: Option<u32>,
    /// `OBJECT_SERVER_COST`, always of the linkset.
    pub server_cost: Option<f64>,
    /// `OBJECT_STREAMING_COST`.
    pub streaming_cost: Option<f64>,
    /// `OBJECT_PHYSICS_COST`.
    pub physics_cost: Option<f64>,
    /// `OBJECT_PRIM_EQUIVALENCE`, always of the linkset.
    pub prim_equivalence: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Rows, one for each UUID: the last one counts.
    pub rows: Vec<Row>,
    /// Number of rows that a later row with the same UUID replaced.
    pub replaced: usize,
    /// Number of cost cells that are not finite: they count as not measured.
    pub not_finite: usize,
}

/// The reason why a file of measurements was refused.
#[derive(Debug, Error)]
#[error("The measurements {} {what}", path.display())]
pub struct MeasuredError {
    path: PathBuf,
    /// The problem, as the end of a sentence.
    what: String,
    source: Option<io::Error>,
}

impl Measured {
    /// Reads a file of measurements.
    ///
    /// # Errors
    /// The file cannot be read, lacks a column or a row, or has an invalid line or cell.
    pub fn read(path: &Path) -> Result<Self, MeasuredError> {
        let refused = |what: String, source| MeasuredError { path: path.into(), what, source };
        let bytes = named_file::read(path, named_file::LIST)
            .map_err(|source| refused("cannot be read".into(), Some(source)))?;
        Self::parse(&String::from_utf8_lossy(&bytes)).map_err(|what| refused(what, None))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let lines = table_lines(text);
        let names = lines.first().map(|(_, head)| cells(head)).unwrap_or_default();
        let width = names.len();
        let columns: HashMap<String, usize> =
            names.into_iter().enumerate().map(|(at, name)| (name.to_lowercase(), at)).collect();
        if let Some(missing) = REQUIRED.into_iter().find(|name| !columns.contains_key(*name)) {
            let all = REQUIRED.join(", ");
            let unknown = columns.keys().map(String::as_str).filter(|name| !is_column(name));
            let near = nearest(missing, unknown.collect::<BTreeSet<_>>().into_iter());
            let near = near.map_or_else(String::new, |near| format!(" (is `{near}` meant?)"));
            return Err(format!(
                "have no column `{missing}`{near}: the first line must name the columns {all}"
            ));
        }
        let mut rows: Vec<Row> = Vec::new();
        let mut places: HashMap<Uuid, usize> = HashMap::new();
        let mut not_finite = 0;
        for &(line, text) in &lines[1..] {
            // A restarted script writes the names of the columns again.
            if text == lines[0].1 {
                continue;
            }
            let cells = Cells { line, columns: &columns, cells: cells(text) };
            // The last line may be truncated.
            let found = cells.cells.len();
            if found != width {
                return Err(format!(
                    "are wrong in line {line}: it has {found} cells and the first line has {width}"
                ));
            }
            let row = cells.row()?;
            not_finite += cells.not_finite();
            match places.get(&row.uuid) {
                Some(&place) => rows[place] = row,
                None => {
                    places.insert(row.uuid, rows.len());
                    rows.push(row);
                }
            }
        }
        if rows.is_empty() {
            return Err("have no row below the names of the columns".into());
        }
        let heads = lines.iter().filter(|(_, text)| *text == lines[0].1).count();
        Ok(Self { replaced: lines.len() - heads - rows.len(), rows, not_finite })
    }
}

/// Returns where the line of a script begins in a line of a chat log. People may write the mark, too.
fn marked_at(text: &str) -> Option<usize> {
    let of_script = |rest: &str| ["scope,", "part,", "linkset,"].iter().any(|it| rest.starts_with(it));
    text.match_indices(MARK).map(|(at, _)| at).find(|at| of_script(&text[at + MARK.len()..]))
}

/// Returns the lines of the table with their numbers; in a chat log only the lines of the script. `#` begins a comment.
fn table_lines(text: &str) -> Vec<(u64, &str)> {
    let lines = || (1..).zip(text.trim_start_matches('\u{feff}').lines()).map(|(line, it)| (line, it.trim()));
    let marked = lines().any(|(_, text)| text.contains(&format!("{MARK}scope,")));
    let cut = |(line, text): (u64, &'_ str)| match (marked, marked_at(text)) {
        (true, Some(at)) => Some((line, at)),
        (true, None) => None,
        (false, _) => Some((line, 0)),
    };
    lines()
        .filter(|(_, text)| !text.is_empty() && !text.starts_with('#'))
        .filter_map(|(line, text)| cut((line, text)).map(|(line, at)| (line, &text[at..])))
        .collect()
}

/// Returns the cells of a line. No cell of a script contains a line break, so each line is parsed alone.
fn cells(line: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line.as_bytes());
    let record = reader.records().next().and_then(Result::ok).unwrap_or_default();
    record.iter().map(|cell| cell.trim().to_owned()).collect()
}

/// The cells of one line, and the positions of the columns.
struct Cells<'a> {
    line: u64,
    columns: &'a HashMap<String, usize>,
    cells: Vec<String>,
}

impl Cells<'_> {
    fn row(&self) -> Result<Row, String> {
        let uuid = "uuid";
        let uuid = Uuid::try_parse(self.cell(uuid)).map_err(|_| self.wrong(uuid, "a UUID"))?;
        let scale = ["sx", "sy", "sz"].map(|side| self.number(side));
        let [sx, sy, sz] = scale;
        let scale = match (sx?, sy?, sz?) {
            (Some(x), Some(y), Some(z)) => Some(DVec3::new(x, y, z)),
            _ => None,
        };
        Ok(Row {
            line: self.line,
            scope: match self.cell("scope") {
                "part" => Scope::Part,
                "linkset" => Scope::Linkset,
                _ => return Err(self.wrong("scope", "`part` or `linkset`")),
            },
            uuid,
            name: self.cell("name").into(),
            position: DVec3::new(self.required("x")?, self.required("y")?, self.required("z")?),
            link: self.cell("link").parse().map_err(|_| self.wrong("link", "a whole number"))?,
            scale,
            prims: self.whole("prims")?.filter(|&prims| prims > 0),
            physics_shape_type: self.whole("physics_shape_type")?,
            render_materials: self.whole("render_materials")?,
            server_cost: self.cost("server_cost")?,
            streaming_cost: self.cost("streaming_cost")?,
            physics_cost: self.cost("physics_cost")?,
            prim_equivalence: self.cost("prim_equivalence")?,
        })
    }

    fn cell(&self, column: &str) -> &str {
        self.columns.get(column).and_then(|&at| self.cells.get(at)).map_or("", String::as_str)
    }

    fn required(&self, column: &str) -> Result<f64, String> {
        self.number(column)?.ok_or_else(|| self.wrong(column, "a number"))
    }

    /// Returns a number; `None` if the cell is empty.
    fn number(&self, column: &str) -> Result<Option<f64>, String> {
        match self.cell(column) {
            "" => Ok(None),
            cell => match cell.parse() {
                Ok(number) if f64::is_finite(number) => Ok(Some(number)),
                _ => Err(self.wrong(column, "a number")),
            },
        }
    }

    /// Returns a whole number of 0 or more; `None` if the cell is empty. Scripts may write the number as 2.000000.
    fn whole<N: TryFrom<u32>>(&self, column: &str) -> Result<Option<N>, String> {
        let wrong = || self.wrong(column, "a whole number");
        let Some(number) = self.number(column).map_err(|_| wrong())? else { return Ok(None) };
        let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
        let whole = is_whole.then_some(number as u32).and_then(|whole| N::try_from(whole).ok());
        whole.map(Some).ok_or_else(wrong)
    }

    fn not_finite(&self) -> usize {
        COSTS.iter().filter(|column| self.is_not_finite(column)).count()
    }

    fn is_not_finite(&self, column: &str) -> bool {
        self.cell(column).parse().is_ok_and(|number: f64| !number.is_finite())
    }

    fn cost(&self, column: &str) -> Result<Option<f64>, String> {
        if self.is_not_finite(column) {
            return Ok(None);
        }
        match self.number(column)? {
            Some(cost) if cost < 0.0 => Err(self.wrong(column, "a cost of 0 or more")),
            cost => Ok(cost),
        }
    }

    fn wrong(&self, column: &str, must: &str) -> String {
        let (line, cell) = (self.line, self.cell(column).chars().take(40).collect::<String>());
        format!("are wrong in line {line}: `{column}` is \"{cell}\", but must be {must}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "scope,uuid,name,x,y,z,link,streaming_cost,physics_cost";
    const UUID: &str = "8b3db706-f89d-4651-8223-801408dc6f0c";

    fn read(text: &str) -> Result<Measured, String> {
        Measured::parse(text)
    }

    #[test]
    fn a_table_is_read() {
        let text = format!("{HEAD},sx,sy,sz\npart,{UUID},\"A, \"\"b\"\"\",1,2,3.5,0,1,,1,2,3\n");
        let measured = read(&text).unwrap();
        let row = &measured.rows[0];
        assert_eq!((row.line, row.scope, row.link, row.name.as_str()), (2, Scope::Part, 0, "A, \"b\""));
        assert_eq!((row.streaming_cost, row.physics_cost, row.server_cost), (Some(1.0), None, None));
        assert_eq!((row.position.z, row.scale), (3.5, Some(DVec3::new(1.0, 2.0, 3.0))));
    }

    #[test]
    fn a_chat_log_is_read_and_the_last_row_counts() {
        let text = format!(
            "[2026/11/22 21:00]  Walker: hullmark,{HEAD}\n[21:01] Ann: hello\n\
             [21:01] Ann: what is hullmark, please?\n\
             [21:01] Walker: hullmark,linkset,{UUID},Box,1,2,3,1,0.06,0.1\n\
             [21:02] Walker: hullmark,{HEAD}\n[21:02] Walker: hullmark,linkset,{UUID},Box,1,2,3,1,0.06,0.2\n"
        );
        let measured = read(&text).unwrap();
        assert_eq!((measured.rows.len(), measured.replaced), (1, 1));
        assert_eq!((measured.rows[0].physics_cost, measured.rows[0].line), (Some(0.2), 6));
    }

    #[test]
    fn a_cost_that_is_no_number_is_not_measured_and_counted() {
        let text = format!("{HEAD}\npart,{UUID},Box,1,2,3,1,NaN,2\n");
        let measured = read(&text).unwrap();
        let row = &measured.rows[0];
        assert_eq!((row.streaming_cost, row.physics_cost, measured.not_finite), (None, Some(2.0), 1));
    }

    #[test]
    fn whole_numbers_may_have_a_fraction_of_0() {
        let text = format!("{HEAD},prims,physics_shape_type\npart,{UUID},Box,1,2,3,1,1,2,0,2.000000\n");
        let row = &read(&text).unwrap().rows[0];
        assert_eq!((row.prims, row.physics_shape_type), (None, Some(2)), "0 prims are not known");
        for wrong in ["convex", "2.5", "-1", "256", "nan"] {
            let error = read(&text.replace("2.000000", wrong)).unwrap_err();
            assert!(error.contains("`physics_shape_type` is") && error.contains("a whole number"), "{error}");
        }
    }

    #[test]
    fn mistakes_are_sentences() {
        let row = |cells: &str| format!("{HEAD}\n\n# a comment\n{cells}\n");
        for (text, words) in [
            (String::new(), "have no column `scope`"),
            (HEAD.replace(",link", ""), "have no column `link`:"),
            (HEAD.replace("physics_cost", "physic_cost"), "`physics_cost` (is `physic_cost` meant?)"),
            (HEAD.into(), "have no row"),
            (row("part,no,Box,1,2,3,1,1,1"), "line 4: `uuid` is \"no\", but must be a UUID"),
            (row(&format!("whole,{UUID},Box,1,2,3,1,1,1")), "`scope` is \"whole\""),
            (row(&format!("part,{UUID},Box,1,,3,1,1,1")), "`y` is \"\", but must be a number"),
            (row(&format!("part,{UUID},Box,1,2,3,1,1,much")), "`physics_cost` is \"much\""),
            (row(&format!("part,{UUID},Box,1,2,nan,1,1,1")), "`z` is \"nan\""),
            (
                row(&format!("part,{UUID},Box,1,2,3,1,1,1,")),
                "line 4: it has 10 cells and the first line has 9",
            ),
            (row(&format!("part,{UUID},Box,1,2")), "line 4: it has 5 cells and the first line has 9"),
            (row(&format!("part,{UUID},Box,1,2,3,1,-1,1")), "must be a cost of 0 or more"),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}

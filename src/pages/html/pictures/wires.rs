//! Many lines as one short path.
//!
//! The edges of a physics mesh may be thousands, and a small picture has few pixels. Lines are therefore rounded to a
//! grid, as fine as a path of limited length allows. Lines that are equal on the grid are drawn once.

use std::fmt::Write;

/// A point of a drawing.
pub(super) type Pixel = [i16; 2];

/// Factor between the cells of a grid and those of the next coarser one, and the largest cell. No drawing is larger.
const COARSER: f64 = 1.1;
const LARGEST: f64 = 512.0;

/// Minimum length of a line in a path, in bytes.
const SHORTEST: usize = 4;

/// Draws lines as a path of at most this many bytes. With `dots` a line within a cell is a dot, unless another line
/// covers it. Otherwise such a line is left out.
pub(super) fn path(lines: Vec<[Pixel; 2]>, most: usize, dots: bool) -> String {
    let lines = distinct(lines.into_iter());
    // Of many lines, some show that a grid is too fine, in less time than all of them.
    let step = lines.len().div_ceil(most.max(1));
    let some: Option<Vec<[Pixel; 2]>> = (step > 1).then(|| lines.iter().step_by(step).copied().collect());
    let mut cell = 1.0;
    while cell < LARGEST {
        let may_fit = some.as_ref().is_none_or(|some| on_grid(some, cell, most).is_some());
        if may_fit && let Some(lines) = on_grid(&lines, cell, most) {
            let path = draw(&lines, cell, dots);
            if path.len() <= most {
                return path;
            }
        }
        cell *= COARSER;
    }
    String::new()
}

/// Returns the lines that are distinct on a grid. `None` if they alone are too long, without the ways between strokes.
fn on_grid(lines: &[[Pixel; 2]], cell: f64, most: usize) -> Option<Vec<[Pixel; 2]>> {
    let lines = distinct(lines.iter().map(|line| line.map(|point| snapped(point, cell))));
    let length = || lines.iter().map(|line| length(*line, cell)).sum::<usize>();
    // Here a dot counts as a line, hidden or not.
    (lines.len() <= most / SHORTEST && length() <= most).then_some(lines)
}

/// Returns the length of a line in a path, in bytes. It is the same in both directions. A dot may be hidden.
fn length([from, to]: [Pixel; 2], cell: f64) -> usize {
    if from == to {
        return 0;
    }
    let digits = |number: i32| 1 + number.unsigned_abs().checked_ilog10().unwrap_or(0) as usize;
    let [from, to] = [from, to].map(|point| in_pixels(point, cell));
    // Each number has a sign or a blank.
    [to[0] - from[0], to[1] - from[1]].map(|way| 1 + digits(way)).iter().sum()
}

/// Returns the place of a point of the grid.
fn in_pixels(point: Pixel, cell: f64) -> [i32; 2] {
    point.map(|part| (f64::from(part) * cell).round() as i32)
}

fn snapped(point: Pixel, cell: f64) -> Pixel {
    point.map(|part| (f64::from(part) / cell).round() as i16)
}

/// Returns each line once, in order, and with its lower end first.
fn distinct(lines: impl Iterator<Item = [Pixel; 2]>) -> Vec<[Pixel; 2]> {
    let mut numbers: Vec<u64> = lines.map(number_of).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers.into_iter().map(line_of).collect()
}

/// Sign of a coordinate in two's complement. Without it, coordinates have the order of unsigned numbers.
const SIGN: u16 = 1 << 15;

/// Returns the number of a line in the order of lines, from its lower end on. Numbers are sorted faster than lines.
fn number_of(line: [Pixel; 2]) -> u64 {
    let [one, other] = line.map(|point| {
        let [x, y] = point.map(|part| u64::from(part.cast_unsigned() ^ SIGN));
        x << 16 | y
    });
    one.min(other) << 32 | one.max(other)
}

fn line_of(number: u64) -> [Pixel; 2] {
    let part = |shift: u32| ((number >> shift) as u16 ^ SIGN).cast_signed();
    [[part(48), part(32)], [part(16), part(0)]]
}

/// Draws lines that touch in one stroke, because a further point takes fewer bytes than a new start.
fn draw(lines: &[[Pixel; 2]], cell: f64, dots: bool) -> String {
    // Each line from both ends, so that the lines of a point are together.
    let mut ways: Vec<[Pixel; 2]> = lines.iter().flat_map(|&[from, to]| [[from, to], [to, from]]).collect();
    ways.sort_unstable();
    ways.dedup();
    // A dot is hidden by the other lines of its point.
    let of_points = ways.chunk_by(|a, b| a[0] == b[0]);
    let shown = of_points.flat_map(|ways| {
        let is_shown = move |&&[from, to]: &&[Pixel; 2]| from != to || dots && ways.len() == 1;
        ways.iter().filter(is_shown).copied()
    });
    let ways: Vec<[Pixel; 2]> = shown.collect();
    let mut drawn = vec![false; ways.len()];
    let mut pen = Pen { path: String::new(), at: [0; 2], cell };
    for first in 0..ways.len() {
        if drawn[first] {
            continue;
        }
        let mut at = ways[first][0];
        pen.go('m', at);
        loop {
            let from = ways.partition_point(|way| way[0] < at);
            let mut of_point = (from..ways.len()).take_while(|&number| ways[number][0] == at);
            let Some(next) = of_point.find(|&number| !drawn[number]) else { break };
            let to = ways[next][1];
            drawn[next] = true;
            if let Ok(back) = ways.binary_search(&[to, at]) {
                drawn[back] = true;
            }
            pen.go(' ', to);
            at = to;
        }
    }
    pen.path
}

/// Writes a path with the way to each point, which is shorter than its place.
struct Pen {
    path: String,
    at: [i32; 2],
    cell: f64,
}

impl Pen {
    /// Goes to a point of the grid: to a new start after `m`, else with a line.
    fn go(&mut self, before: char, to: Pixel) {
        let to = in_pixels(to, self.cell);
        let [x, y] = [to[0] - self.at[0], to[1] - self.at[1]];
        // A minus separates two numbers.
        if before == 'm' || x >= 0 {
            self.path.push(before);
        }
        let between = if y < 0 { "" } else { " " };
        let _ = write!(self.path, "{x}{between}{y}");
        self.at = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(lines: &[[Pixel; 2]], most: usize, dots: bool) -> String {
        path(lines.to_vec(), most, dots)
    }

    #[test]
    fn a_square_is_one_stroke_and_each_line_is_drawn_once() {
        let [a, b, c, d] = [[10, 20], [40, 20], [40, 60], [10, 60]];
        let square = [[a, b], [b, c], [c, d], [d, a], [b, a]];
        assert_eq!(drawn(&square, 99, false), "m10 20 0 40 30 0 0-40-30 0");
        assert_eq!(drawn(&[[a, b], [c, d]], 99, false), "m10 20 30 0m-30 40 30 0");
    }

    #[test]
    fn the_length_of_a_line_is_that_of_its_path_without_the_start() {
        for (from, to) in [([0, 0], [3, 4]), ([-7, 20], [-7, 120]), ([-90, 10], [9, 9])] {
            for cell in [1.0, 1.1, 40.0] {
                let start =
                    in_pixels(from, cell).map(|part| 1 + part.to_string().trim_start_matches('-').len());
                let start: usize = start.iter().sum::<usize>() + usize::from(from[0] < 0);
                let path = draw(&[[from, to]], cell, false);
                assert_eq!(length([from, to], cell), path.len() - start, "{path}");
                assert_eq!(length([to, from], cell), length([from, to], cell));
            }
        }
        assert_eq!(length([[1, 1]; 2], 1.0), 0);
    }

    #[test]
    fn numbers_have_the_order_of_their_lines() {
        let parts = [i16::MIN, -300, -1, 0, 1, 7, i16::MAX];
        let points: Vec<Pixel> = parts.iter().flat_map(|&x| parts.map(|y| [x, y])).collect();
        let lines: Vec<[Pixel; 2]> =
            points.iter().flat_map(|&from| points.iter().map(move |&to| [from, to])).collect();
        let lower_first = |mut line: [Pixel; 2]| {
            line.sort_unstable();
            line
        };
        for &line in &lines {
            assert_eq!(line_of(number_of(line)), lower_first(line));
        }
        for pair in lines.windows(2) {
            let [a, b] = [lower_first(pair[0]), lower_first(pair[1])];
            assert_eq!(number_of(a).cmp(&number_of(b)), a.cmp(&b));
        }
    }

    #[test]
    fn a_point_is_a_dot_unless_a_line_covers_it() {
        let (point, line) = ([[7, 9], [7, 9]], [[7, 9], [8, 9]]);
        assert_eq!(drawn(&[point], 99, true), "m7 9 0 0");
        assert_eq!(drawn(&[point], 99, false), "");
        assert_eq!(drawn(&[point, line], 99, true), "m7 9 1 0");
    }

    #[test]
    fn many_lines_are_on_a_coarse_grid_and_their_order_does_not_matter() {
        let mut lines: Vec<[Pixel; 2]> =
            (0..10_000).map(|at| [[at % 439, at % 353], [at % 401, at % 311]]).collect();
        let forth = drawn(&lines, 2_000, false);
        lines.reverse();
        assert!((1_000..=2_000).contains(&forth.len()), "{}", forth.len());
        assert_eq!(forth, drawn(&lines, 2_000, false));
    }
}

//! Numbers for human readers.

use std::ops::RangeInclusive;

/// Formats a number for people: no exponent, at most six decimals, no trailing zeros.
pub fn plain(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.to_owned() }
}

/// Formats 1234567 as `1,234,567`.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats 18107.5 as `18,107.5`.
pub fn grouped(value: f64) -> String {
    let text = plain(value);
    let whole = text.trim_start_matches('-').split('.').next().unwrap_or_default();
    whole.parse().map_or_else(|_| text.clone(), |number| text.replacen(whole, &thousands(number), 1))
}

/// Formats a share of a limit in percent, `27 %`, with as many decimals as distinguish it from the limit.
pub fn percent_of(value: f64, limit: f64) -> String {
    let percent = 100.0 * value / limit;
    let is_over = value > limit;
    for decimals in 0..=6 {
        let text = format!("{percent:.decimals$}");
        let shown = text.parse().unwrap_or(percent);
        if value == limit || (shown > 100.0) == is_over && shown != 100.0 {
            return format!("{text} %");
        }
    }
    format!("{} 100 %", if is_over { "over" } else { "under" })
}

/// Formats a number of a region or an object as a whole one, with as many decimals as distinguish it from a limit.
pub fn whole_beside(value: f64, limit: f64) -> String {
    let side = |number: f64| number.partial_cmp(&limit);
    (0..=6)
        .map(|decimals| format!("{value:.decimals$}"))
        .find(|text| text.parse().is_ok_and(|shown| side(shown) == side(value)))
        .map_or_else(|| grouped(value), |text| grouped(text.parse().unwrap_or(value)))
}

/// Formats a difference as a whole number with its sign: `+1,312`.
pub fn signed(difference: f64) -> String {
    let sign = if difference < 0.0 { '−' } else { '+' };
    format!("{sign}{}", thousands(difference.abs().round() as u64))
}

/// Formats a count with its noun: `1 hull`, `2 hulls`.
pub fn counted(count: u64, what: &str) -> String {
    // The plural of `piece of clothing` is `pieces of clothing`.
    let (noun, rest) = what.find(" of ").map_or((what, ""), |at| what.split_at(at));
    let plural = match count {
        1 => "",
        _ if noun.ends_with("sh") => "es",
        _ => "s",
    };
    format!("{} {noun}{plural}{rest}", thousands(count))
}

/// Formats bytes with a binary prefix and two decimals: `853.79 KiB`.
pub fn bytes(number: u64) -> String {
    const PREFIXES: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = number as f64;
    let mut prefix = None;
    for next in PREFIXES {
        if value < 1024.0 {
            break;
        }
        value /= 1024.0;
        prefix = Some(next);
    }
    prefix.map_or_else(|| format!("{value:.0} B"), |prefix| format!("{value:.2} {prefix}"))
}

/// Returns the ranges of consecutive numbers, in order: first and last of each.
pub fn runs(mut numbers: Vec<i32>) -> Vec<(i32, i32)> {
    numbers.sort_unstable();
    let mut runs: Vec<(i32, i32)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(number) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    runs
}

/// Formats link numbers with ranges: `1–4, 7`.
pub fn ranges(links: &[i32]) -> String {
    let run = |(first, last): (i32, i32)| match last.wrapping_sub(first) {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first}–{last}"),
    };
    runs(links.to_vec()).into_iter().map(run).collect::<Vec<_>>().join(", ")
}

/// Reads link numbers as [`ranges`] writes them. `None` if they are not.
pub fn parse_ranges(text: &str) -> Option<Vec<RangeInclusive<i32>>> {
    let run = |run: &str| {
        let (first, last) = run.split_once('–').unwrap_or((run, run));
        Some(first.parse().ok()?..=last.parse().ok()?)
    };
    text.split(", ").filter(|run| !run.is_empty()).map(run).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_never_rounded_onto_or_over_its_limit() {
        for (value, limit, percent, number) in [
            (4188.0, 15_000.0, "28 %", "4,188"),
            (14_999.9, 15_000.0, "99.999 %", "14,999.9"),
            (15_000.0, 15_000.0, "100 %", "15,000"),
            (15_000.04, 15_000.0, "100.0003 %", "15,000.04"),
            (15_000.000_000_1, 15_000.0, "over 100 %", "15,000"),
            (30_000.0, 15_000.0, "200 %", "30,000"),
        ] {
            assert_eq!((&*percent_of(value, limit), &*whole_beside(value, limit)), (percent, number));
        }
    }

    #[test]
    fn link_numbers_are_ranges() {
        assert_eq!(ranges(&[4, 1, 2, 3, 7, 9, 8, 12]), "1–4, 7–9, 12");
        assert_eq!(ranges(&[0]), "0");
        assert_eq!(ranges(&[i32::MAX, 5, 6]), format!("5, 6, {}", i32::MAX));
    }

    #[test]
    fn numbers_are_plain() {
        assert_eq!(plain(32.0), "32");
        assert_eq!(plain(0.1 + 0.2), "0.3");
        assert_eq!(plain(1e20), "100000000000000000000");
        assert_eq!(plain(-0.000_000_01), "0");
        assert_eq!([-1234.5, 1e6, 0.25].map(grouped), ["-1,234.5", "1,000,000", "0.25"]);
        assert_eq!(grouped(f64::NAN), "NaN");
    }
}

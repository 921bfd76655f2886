//! Numbers for human readers.

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

/// Formats a count with its noun: `1 hull`, `2 hulls`.
pub fn counted(count: u64, what: &str) -> String {
    let plural = match count {
        1 => "",
        _ if what.ends_with("sh") => "es",
        _ => "s",
    };
    format!("{} {what}{plural}", thousands(count))
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

#[cfg(test)]
mod tests {
    use super::*;

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

//! Links to places, which viewers open.

use hullmark_util::escape::percent_encoded;

/// Bytes of a name that stay in a link, in addition to letters and digits.
const PLAIN: &[u8] = b"-._~";

/// Returns the link to a position in a region, in metres. `address` is that of the grid; empty for Second Life.
pub fn place_link(address: &str, region: &str, position_m: [f64; 3]) -> String {
    let address = match address.trim_end_matches('/') {
        "" => "secondlife://".into(),
        address if address.contains("://") => format!("{address}/"),
        address => format!("hop://{address}/"),
    };
    let [x, y, z] = position_m.map(|metres| metres.round() as i64);
    format!("{address}{}/{x}/{y}/{z}", percent_encoded(region, PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_has_the_grid_and_an_encoded_region() {
        let link = |address: &str| place_link(address, "Two Hills/é", [1.4, 2.5, 0.0]);
        assert_eq!(link(""), "secondlife://Two%20Hills%2F%C3%A9/1/3/0");
        assert_eq!(link("hop://grid:8002/"), "hop://grid:8002/Two%20Hills%2F%C3%A9/1/3/0");
        assert_eq!(link("grid:8002"), "hop://grid:8002/Two%20Hills%2F%C3%A9/1/3/0");
    }
}

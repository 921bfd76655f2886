//! Headings for people, from the names of columns.

use std::borrow::Cow;

/// Headings that the words of the name do not give.
const HEADINGS: [(&str, &str); 10] = [
    ("action", "What to do"),
    ("advice", "What to do"),
    ("cure", "What to do"),
    ("effect", "What people notice"),
    ("land_impact_sum_after", "Land impact of region after"),
    ("link_numbers", "Links"),
    ("object_name", "Object"),
    ("parts_per_m2", "Prims per m²"),
    ("percent_of_capacity_after", "Capacity used after"),
    ("percent_used", "Capacity used"),
];

/// Words of viewers and of this program's reports, in place of those of formulas.
const TERMS: [(&str, &str); 3] =
    [("physics_cost", "physics_weight"), ("streaming_cost", "download_weight"), ("parts", "prims")];

/// Returns the heading of a column: `Link margin (m)` for `link_margin_m`.
pub fn heading(name: &str) -> Cow<'static, str> {
    if let Some((_, words)) = HEADINGS.iter().find(|(column, _)| *column == name) {
        return (*words).into();
    }
    let name = TERMS.iter().fold(name.to_owned(), |name, (term, word)| name.replace(term, word));
    let words: Vec<&str> = name.split('_').collect();
    let last = words.len() - 1;
    let words = words.iter().enumerate().map(|(place, word)| match *word {
        "m" if place == last => "(m)".into(),
        "m2" if place == last => "(m²)".into(),
        "deg" if place == last => "(°)".into(),
        "1m" => "at 1 m".into(),
        "10m" => "at 10 m".into(),
        word @ ("uuid" | "url" | "x" | "y" | "z") => word.to_uppercase(),
        word if place == 0 => capitalized(word),
        word => word.to_owned(),
    });
    words.collect::<Vec<_>>().join(" ").into()
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_report::tables::heads;
    use std::collections::BTreeSet;

    #[test]
    fn headings_are_words_with_units() {
        for (name, words) in [
            ("land_impact", "Land impact"),
            ("physics_cost", "Physics weight"),
            ("streaming_cost_1m_basis", "Download weight at 1 m basis"),
            ("position_x_m", "Position X (m)"),
            ("mean_face_area_m2", "Mean face area (m²)"),
            ("owner_uuid", "Owner UUID"),
            ("land_impact_opensim-ubode", "Land impact opensim-ubode"),
        ] {
            assert_eq!(heading(name), words);
        }
    }

    #[test]
    fn no_table_has_two_equal_headings() {
        for head in heads(&["opensim-ubode".into()]) {
            let headings: BTreeSet<_> = head.columns.iter().map(|column| heading(&column.name)).collect();
            assert_eq!(headings.len(), head.columns.len(), "{}", head.name);
        }
    }

    #[test]
    fn every_special_heading_is_of_a_column() {
        let heads = heads(&[]);
        for (name, _) in HEADINGS {
            assert!(heads.iter().flat_map(|head| &head.columns).any(|column| column.name == name), "{name}");
        }
    }
}

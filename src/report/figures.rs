//! Costs with their names in views.

use hullmark_analysis::cost::{Basis, Cost};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// A cost with its names.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// Field in JSON.
    pub name: &'static str,
    /// Label in text.
    pub label: &'static str,
    /// The cost.
    pub cost: Cost,
}

/// Costs in order. Each has two fields: the number, null if unknown, and `…_basis`.
#[derive(Debug, Clone)]
pub struct Figures(pub Vec<Figure>);

impl Figures {
    /// Creates costs with their names and labels.
    pub fn new<const N: usize>(figures: [(&'static str, &'static str, Cost); N]) -> Self {
        Self(figures.map(|(name, label, cost)| Figure { name, label, cost }).into())
    }

    /// Returns the cost with this name. `None` if there is no such cost.
    pub fn cost(&self, name: &str) -> Option<Cost> {
        self.0.iter().find(|figure| figure.name == name).map(|figure| figure.cost)
    }
}

impl Serialize for Figures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(2 * self.0.len()))?;
        for Figure { name, cost, .. } in &self.0 {
            map.serialize_entry(name, &cost.value())?;
            map.serialize_entry(&format!("{name}_basis"), &cost.basis().to_string())?;
        }
        map.end()
    }
}

/// Formats a cost; a dash if it is unknown.
pub fn number(cost: Cost) -> String {
    let bound = if matches!(cost.basis(), Basis::LowerBound(_)) { "≥ " } else { "" };
    match cost.value() {
        None => "–".into(),
        Some(value) if value > 0.0 && value < 0.01 => format!("{bound}{value:.4}"),
        Some(value) => format!("{bound}{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_analysis::cost::NotEvaluated;

    #[test]
    fn costs_are_readable() {
        assert_eq!(number(Cost::not_evaluated(NotEvaluated::MeshMissing)), "–");
        let bound = Cost::sum([Cost::spec(1.0), Cost::not_evaluated(NotEvaluated::MeshMissing)]);
        assert_eq!(number(bound), "≥ 1.000");
    }
}

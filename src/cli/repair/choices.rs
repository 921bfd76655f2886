//! What somebody chose to change.

use anyhow::{Context, bail, ensure};
use std::{collections::HashMap, path::Path};
use uuid::Uuid;

/// Reads pairs of UUIDs. A first row of other words is a head.
pub(super) fn people(path: &Path) -> anyhow::Result<HashMap<Uuid, Uuid>> {
    let shown = path.display();
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).flexible(true).trim(csv::Trim::All).from_path(path);
    let mut people = HashMap::new();
    for (number, row) in reader.with_context(|| format!("{shown} cannot be read"))?.into_records().enumerate()
    {
        let row = row.with_context(|| format!("{shown} cannot be read"))?;
        let pair: Option<Vec<Uuid>> = row.iter().take(2).map(|cell| Uuid::try_parse(cell).ok()).collect();
        match pair.as_deref() {
            Some([person, instead]) => {
                let earlier = people.insert(*person, *instead);
                ensure!(
                    earlier.is_none_or(|earlier| earlier == *instead),
                    "{shown} names {person} twice, with other people in their place"
                );
            }
            _ if number == 0 => {}
            _ => bail!("Row {} of {shown} is not two UUIDs: a person, and who takes their place", number + 1),
        }
    }
    Ok(people)
}

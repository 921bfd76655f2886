//! `savings`: one row for each piece of advice on simulator cost.

use super::columns;
use crate::table::{Cell, Column, Table};
use hullmark_analysis::{
    Measured,
    cost::Cost,
    regroup::{Advice, Note},
};
use hullmark_format::object::Part;
use hullmark_ledger::facts::RegionFacts;

/// Number of different names that are listed.
const NAMES: usize = 10;

/// The table.
#[derive(Debug)]
pub struct Savings;

impl Table for Savings {
    /// A piece of advice with its region.
    type Row<'a> = (&'a Measured<'a>, &'a RegionFacts, &'a Advice<'a>);
    const NAME: &'static str = "savings";
    const ABOUT: &'static str = "One row for each piece of advice that lowers the simulator resource cost of a region: \
        the greatest savings of each kind, at most `top` of the settings. No linkset occurs twice. Attachments, \
        temporary and animated objects, plants, and objects without owner are left out. All advice obeys the linking \
        rule of 2010 (if the target has none, that of Second Life). Linking never raises land impact or region \
        resource cost; splitting may raise land impact, and `note` says so. Modify permissions are not checked.";
    const COLUMNS: &'static [Column<Self>] = Self::LIST;
}

columns! {
    Savings:
    "archive", (measured, ..) => &measured.ledger.input, "Path of the input.";
    REGION = "region", (_, region, _) => &region.name, "Name of the region.";
    "advice", (.., advice) => advice.kind.name(), "`link`: link these linksets into one. They have one owner, no scripts, are at rest and agree in being phantom. `split`: unlink the child prims without scripts from a scripted or physical linkset, and link them to a linkset that is neither.";
    "rank", (.., advice) => advice.rank, "1 for the greatest saving of its kind in the region.";
    OWNER_UUID = "owner_uuid", (.., advice) => root(advice).map(|root| root.owner), "Owner of all these linksets.";
    "object_uuid", (.., advice) => root(advice).map(|root| root.uuid), "UUID of the root prim that remains; to link: the root of the linkset with the most prims.";
    "name", (.., advice) => root(advice).map(|root| root.name.as_str()), "Name of that root prim.";
    "position_x_m", (.., advice) => root(advice).map(|root| root.group_position.x), "Position from the west border of the region, metres.";
    "position_y_m", (.., advice) => root(advice).map(|root| root.group_position.y), "Position from the south border, metres.";
    "position_z_m", (.., advice) => root(advice).map(|root| root.group_position.z), "Height, metres.";
    "linksets", (.., advice) => advice.linksets, "Number of linksets to link; 1 for a split.";
    "parts", (.., advice) => advice.prims, "Number of their prims.";
    "uuids", (.., advice) => uuids(&advice.parts), "To link: the roots of all linksets, the remaining root first. To split: the prims to unlink, the new root first. At most 255.";
    "names", (.., advice) => names(&advice.parts), "Names of these, each once with its number; at most 10.";
    "diameter_m", (.., advice) => advice.diameter_m, "Diameter of the smallest sphere around the prim centers of the new linkset, metres.";
    "saving", (.., advice) => advice.saving().value(), "Reduction of the simulator resource cost.";
    "cost_before", (.., advice) => advice.before.simulator.value(), "Simulator resource cost now (SRC of the specification), with the profile's tuning values.";
    "cost_after", (.., advice) => advice.after.simulator.value(), "Simulator resource cost afterwards.";
    "basis", (.., advice) => Cell::show(advice.saving().basis()), "Always `estimated`: the tuning values were never published.";
    "land_impact_before", (.., advice) => advice.before.land_impact.value(), "Land impact now.";
    "land_impact_after", (.., advice) => advice.after.land_impact.value(), "Land impact afterwards; linking never raises it.";
    "land_impact_basis", (.., advice) => Cell::show(land_impact_basis(advice)), "Basis of both land impacts.";
    "note", (.., advice) => Cell::words(&notes(advice)), "What to check first.";
}

fn root<'a>(advice: &Advice<'a>) -> Option<&'a Part> {
    advice.object.linkset.parts.first()
}

fn land_impact_basis(advice: &Advice<'_>) -> hullmark_analysis::cost::Basis {
    Cost::sum([advice.before.land_impact, advice.after.land_impact]).basis()
}

fn notes(advice: &Advice<'_>) -> Vec<String> {
    advice.notes.iter().map(|note: &Note| note.sentence().to_owned()).collect()
}

fn uuids(parts: &[&Part]) -> Cell<'static> {
    Cell::words(&parts.iter().map(|part| part.uuid.to_string()).collect::<Vec<_>>())
}

/// Formats names as `Brick (12), Lamp and 3 more`, in order of first occurrence.
fn names(parts: &[&Part]) -> Cell<'static> {
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for part in parts {
        match counted.iter_mut().find(|(name, _)| *name == part.name) {
            Some((_, count)) => *count += 1,
            None => counted.push((&part.name, 1)),
        }
    }
    let more = counted.len().saturating_sub(NAMES);
    let with_count = |&(name, count): &(&str, usize)| match count {
        1 => name.to_owned(),
        count => format!("{name} ({count})"),
    };
    let listed: Vec<String> = counted.iter().take(NAMES).map(with_count).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Cell::show(format!("{}{more}", listed.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_counted_and_cut() {
        let part = |name: String| Part { name, ..Part::default() };
        let few = ["Brick", "Lamp", "Brick"].map(|name| part(name.into()));
        assert_eq!(names(&few.each_ref()), Cell::show("Brick (2), Lamp"));
        let many: Vec<Part> = (0..13).map(|number| part(number.to_string())).collect();
        let many: Vec<&Part> = many.iter().collect();
        assert_eq!(names(&many), Cell::show("0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more"));
    }
}

//! Edits of objects, with their words.

use super::ListedAction;
use hullmark_analysis::{
    Measured,
    actions::{Action, BaseHullFault, Kind, LevelTarget, PhysicsTarget, Upload},
};
use hullmark_ledger::facts::ObjectFacts;
use hullmark_util::{
    escape::shortened,
    number_text::{counted, plain, ranges, thousands},
};
use uuid::Uuid;

/// Maximum length of the name of a prim.
const NAME: usize = 40;
/// Maximum number of listed positions.
const PLACES: usize = 8;
/// Names of the levels that have targets, from lowest to medium.
const LEVELS: [&str; 3] = ["lowest", "low", "medium"];

/// Returns an action as a row without rank, parcel and sums. `None` if it has no object.
pub(super) fn listed<'a>(
    measured: &'a Measured<'a>,
    action: &Action,
    address: &str,
) -> Option<ListedAction<'a>> {
    let first = *action.objects.first()?;
    let object = &measured.ledger.objects[first];
    let words = Words { action, object };
    Some(ListedAction {
        kind: action.kind.name(),
        urgency: super::Urgency::default(),
        is_new: false,
        order: 0,
        rank: 0,
        region: super::region_of(measured, object),
        parcel: "",
        first: Some(first),
        object: Some(object),
        // The words of a link are for its root.
        objects: if action.kind == Kind::Link { vec![first] } else { action.objects.clone() },
        name: object.linkset.parts.first()?.name.clone(),
        count: if action.kind == Kind::Link { 1 } else { action.objects.len() },
        edits: action.edits,
        link_numbers: words.link_numbers(),
        land_impact: Some([action.before, action.after]),
        simulator: None,
        sum_after: None,
        capacity: None,
        finding: None,
        asset: action.uploads.first().map(Upload::mesh),
        weight: 0.0,
        urls: super::urls(measured, object, address),
        words: words.steps(measured),
        problem: String::new(),
        advice: "",
        effect: words.effect(measured),
    })
}

/// The words for an action on its first object.
struct Words<'a> {
    action: &'a Action,
    object: &'a ObjectFacts,
}

impl Words<'_> {
    fn link_numbers(&self) -> String {
        let parts = &self.object.linkset.parts;
        if self.action.parts.is_empty() || parts.len() < 2 {
            return String::new();
        }
        let numbers: Vec<i32> = self.action.parts.iter().map(|&part| parts[part].link_number).collect();
        ranges(&numbers)
    }

    /// Returns the steps in a viewer.
    fn steps(&self, measured: &Measured<'_>) -> String {
        let links = self.link_numbers();
        let edit = match links.as_str() {
            "" => "Edit the object".into(),
            links if self.action.parts.len() == 1 => {
                format!("Edit linked, select link {links}{}", self.name_of_part(self.action.parts[0]))
            }
            links => format!("Edit linked, select links {links}"),
        };
        match self.action.kind {
            Kind::ConvexHull => format!("{edit}: Features > Physics Shape Type > Convex Hull."),
            Kind::ShapeNone => format!("{edit}: Features > Physics Shape Type > None."),
            Kind::ReplacePhysics | Kind::CoarserLevels => {
                let uploads: Vec<String> =
                    self.action.uploads.iter().map(|upload| self.upload_words(upload)).collect();
                uploads.join(" ")
            }
            Kind::SplitOff => {
                format!("{edit}: Build > Unlink. Then link these prims: Build > Object > Link.")
            }
            Kind::RemoveCopy => {
                "Delete it, if the other object at this position is the same: Build > Edit, then Delete."
                    .into()
            }
            Kind::Link => {
                let count = counted(self.action.edits as u64, "object");
                let places = self.places(measured);
                format!("Select these {count}{places}, this one last, and link them: Build > Object > Link.")
            }
        }
    }

    /// Returns the positions of the objects, whole metres. Empty if one is unknown.
    fn places(&self, measured: &Measured<'_>) -> String {
        let roots =
            self.action.objects.iter().map(|&object| measured.ledger.objects[object].linkset.parts.first());
        let at = roots.map(|root| {
            let at = root?.group_position;
            let [x, y, z] = at.to_array().map(|metres| metres.round() as i64);
            at.is_finite().then(|| format!("{x}, {y}, {z}"))
        });
        let at: Option<Vec<String>> = at.take(PLACES).collect();
        let more = self.action.objects.len().saturating_sub(PLACES);
        let more = if more > 0 { format!("; {more} more") } else { String::new() };
        at.map_or_else(String::new, |at| format!(" (at {}{more})", at.join("; ")))
    }

    /// Returns the name of a prim in quotation marks, if the root has another name.
    fn name_of_part(&self, part: usize) -> String {
        let parts = &self.object.linkset.parts;
        match parts[part].name.trim() {
            name if name.is_empty() || name == parts[0].name.trim() => String::new(),
            name => format!(" (\"{}\")", shortened(name, NAME)),
        }
    }

    /// Returns the change that people notice.
    fn effect(&self, measured: &Measured<'_>) -> String {
        let is_bounding = |upload: &Upload| matches!(upload, Upload::Physics(PhysicsTarget { boxes: 1, .. }));
        let common = match self.action.uploads.iter().any(is_bounding) {
            true => {
                "Collides as its bounding box: doorways and gaps close. Needs the original model: ask its creator."
            }
            false => effect(self.action.kind),
        };
        let faults = match self.action.kind {
            Kind::ConvexHull => self.base_hull_faults(measured),
            _ => String::new(),
        };
        format!("{common}{faults}")
    }

    /// Returns sentences about base hulls that do not enclose their meshes.
    fn base_hull_faults(&self, measured: &Measured<'_>) -> String {
        let parts = &self.object.linkset.parts;
        let (mut beyond, mut gap) = (Vec::new(), 0.0_f64);
        for part in self.action.parts.iter().map(|&part| &parts[part]) {
            let mesh = part.mesh().and_then(|mesh| measured.assets.mesh(mesh));
            if let Some(BaseHullFault::Gap(metres)) =
                mesh.and_then(|mesh| BaseHullFault::find(mesh, part.scale))
            {
                beyond.push(part.link_number);
                gap = gap.max(metres);
            }
        }
        if beyond.is_empty() {
            return String::new();
        }
        let links = of_links(&beyond, parts.len());
        let metres = plain((gap * 100.0).round() / 100.0);
        format!(" The mesh{links} extends up to {metres} m beyond its base hull, and does not collide there.")
    }

    fn upload_words(&self, upload: &Upload) -> String {
        match upload {
            Upload::Levels(target) => self.level_words(target),
            Upload::Physics(target) => self.physics_words(target),
        }
    }

    /// Returns the links that show a mesh, as words that follow its name. Empty for an object of one prim.
    fn shown_by(&self, mesh: Uuid) -> String {
        let parts = &self.object.linkset.parts;
        let users = parts.iter().filter(|part| part.mesh() == Some(mesh));
        of_links(&users.map(|part| part.link_number).collect::<Vec<_>>(), parts.len())
    }

    fn physics_words(&self, target: &PhysicsTarget) -> String {
        let place = self.shown_by(target.mesh);
        match target.boxes {
            1 => format!("Upload the mesh{place} again with its bounding box as physics model."),
            boxes => format!(
                "Upload the mesh{place} again with a physics model of at most {boxes} boxes, and press Analyze."
            ),
        }
    }

    fn level_words(&self, level: &LevelTarget) -> String {
        let place = self.shown_by(level.mesh);
        let changed = (0..3).filter(|&index| level.triangles[index] < level.present[index]);
        let words: Vec<String> = changed
            .map(|index| {
                let [most, now] = [level.triangles, level.present].map(|counts| thousands(counts[index]));
                format!("{} {most} (now {now})", LEVELS[index])
            })
            .collect();
        format!("Upload the mesh{place} again with fewer triangles: {}.", words.join(", "))
    }
}

/// Returns links as words that follow a noun; empty for an object of one prim.
fn of_links(links: &[i32], prims: usize) -> String {
    match links {
        _ if prims < 2 => String::new(),
        [one] => format!(" of link {one}"),
        _ => format!(" of links {}", ranges(links)),
    }
}

/// Returns the change of all actions of a kind that people notice.
fn effect(kind: Kind) -> &'static str {
    match kind {
        Kind::ConvexHull => "Collides as a convex hull: hollows, doorways and gaps of these prims close.",
        Kind::ShapeNone => "No longer collides: avatars and objects pass through these prims.",
        Kind::ReplacePhysics => {
            "Collides as these boxes: doorways and gaps stay open. Needs the original model: ask its creator."
        }
        Kind::CoarserLevels => "Looks simpler from a distance. Needs the original model: ask its creator.",
        Kind::RemoveCopy => "One of the objects at this position stays.",
        Kind::Link => "Becomes one object: scripts and link numbers change.",
        Kind::SplitOff => "Becomes two objects.",
    }
}

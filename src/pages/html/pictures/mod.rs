//! The pictures of the heaviest meshes.

mod mesh_picture;
mod wires;

use super::top_rows::{Kept, Place, rank};
use glam::DVec3;
use hullmark_analysis::assets::physics_mesh;
use hullmark_ledger::facts::MeshFacts;
use hullmark_report::{
    reported::Reported,
    table::Cell,
    tables::{meshes, objects},
};
use hullmark_settings::profile::PhysicsModel;
use hullmark_util::{
    escape::{html as escape, shortened},
    number_text::{counted, grouped, thousands},
    timings::{Stage, within},
};
use mesh_picture::{Drawing, SIZE, can_be_drawn, draw};
use rayon::prelude::*;
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
    sync::Arc,
};
use uuid::Uuid;

/// Maximum number of pictures.
pub(super) const PICTURES: usize = 50;

/// Maximum number of characters of a name.
const NAME: usize = 80;

/// Explains the marks of all pictures.
const LEGEND: &str = "<ul class=\"legend\">\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"wire\" d=\"M1 17L10 3L19 17z\"/></svg>triangles of the physics \
    mesh</li>\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"thin\" d=\"M1 17L19 3\"/></svg>thin triangles, narrower than \
    1 mm: they raise the physics cost</li>\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><g class=\"hulls\"><path fill=\"#56b4e9\" d=\"M1 4H9V16H1z\"/><path \
    fill=\"#e69f00\" d=\"M11 4H19V16H11z\"/></g></svg>hulls of the decomposition</li>\
    <li><svg viewBox=\"0 0 20 20\" aria-hidden=\"true\"><path class=\"base\" d=\"M2 4H18V16H2z\"/></svg>base hull; grey if it is the \
    only shape</li></ul>\n";

/// Order of meshes: by the role of the object, physics cost and download weight of the heaviest use.
type Rank = [i64; 3];

/// The heaviest meshes that have a picture, and the uses of the present input.
#[derive(Debug, Default)]
pub(super) struct Pictures {
    /// The heaviest use of each mesh of the present input.
    uses: HashMap<Uuid, Use>,
    kept: BTreeMap<(Rank, u64), Picture>,
    /// Number of distinct meshes in use, as far as they can be drawn.
    seen: u64,
    /// Number of meshes in use that cannot be drawn.
    blank: u64,
}

/// An object whose prims use meshes. They share it, because an object may have many.
#[derive(Debug)]
struct Object {
    /// Its place among the kept rows.
    place: Place,
    name: String,
}

/// A prim that uses a mesh.
#[derive(Debug)]
struct Use {
    rank: Rank,
    object: Arc<Object>,
    link_number: u64,
    scale: DVec3,
    /// What collides at rest.
    shape: &'static str,
    physics_cost: Option<f64>,
}

#[derive(Debug)]
struct Picture {
    uuid: Uuid,
    mesh: Place,
    heaviest: Use,
    /// Number of hulls of the decomposition.
    hulls: usize,
    /// `None` until the meshes of its input are known, because most pictures of an input give way to heavier ones.
    drawing: Option<Drawing>,
}

impl Pictures {
    /// Begins the next input. Its prims do not use meshes of other inputs.
    pub(super) fn next_input(&mut self) {
        self.uses.clear();
    }

    /// Takes an object and its place among the kept rows. Of equal uses of a mesh the first counts.
    pub(super) fn object(&mut self, place: &Place, row: &objects::Row<'_>) {
        let role = rank(&Cell::from(row.object.role.name()));
        let root = row.object.linkset.parts.first();
        let mut object = None;
        for (part, measures) in row.object.linkset.parts.iter().zip(&row.measures.parts) {
            let Some(uuid) = part.mesh() else { continue };
            let physics_cost = measures.collision.physics_cost.value();
            let streaming_cost = measures.streaming_cost.value();
            let rank = [role, rank(&physics_cost.into()), rank(&streaming_cost.into())];
            if self.uses.get(&uuid).is_some_and(|heaviest| heaviest.rank <= rank) {
                continue;
            }
            let object = object.get_or_insert_with(|| {
                let name = match root.map_or("", |root| &root.name) {
                    "" => "(no name)".into(),
                    name => shortened(name, NAME).into_owned(),
                };
                Arc::new(Object { place: place.clone(), name })
            });
            let heaviest = Use {
                rank,
                object: object.clone(),
                link_number: part.link_number.try_into().unwrap_or(0),
                scale: part.scale,
                shape: measures.collision.representation.name(),
                physics_cost,
            };
            self.uses.insert(uuid, heaviest);
        }
    }

    /// Keeps a mesh for a picture, if it is among the heaviest. Of two meshes with one UUID the first is used.
    pub(super) fn mesh(&mut self, place: &Place, row: &meshes::Row<'_>) {
        let facts = row.mesh;
        let Some((uuid, heaviest)) = facts.uuid.and_then(|uuid| self.uses.remove_entry(&uuid)) else {
            return;
        };
        let key = (heaviest.rank, self.seen + self.blank);
        let convex = facts.convex.as_ref();
        let physics = physics_mesh(facts, row.measured.profile.physics.model);
        let has_triangles =
            physics.is_some_and(|mesh| mesh.submeshes.iter().any(|face| !face.triangles.is_empty()));
        if !has_triangles && convex.is_none_or(|convex| convex.points.is_none()) {
            self.blank += 1;
            return;
        }
        // Regions often share a mesh, and one picture is enough.
        let known = self.kept.iter().find(|(_, picture)| picture.uuid == uuid).map(|(key, _)| *key);
        if known.is_some_and(|known| known < key) {
            return;
        }
        let is_last = self.kept.last_key_value().is_some_and(|(last, _)| key > *last);
        if known.is_none() && self.kept.len() == PICTURES && is_last {
            self.seen += 1;
            return;
        }
        if !can_be_drawn(convex, physics, heaviest.scale) {
            self.blank += 1;
            return;
        }
        match known {
            Some(known) => drop(self.kept.remove(&known)),
            None => self.seen += 1,
        }
        let hulls = convex.map_or(0, |convex| convex.hulls.len());
        self.kept.insert(key, Picture { uuid, mesh: place.clone(), heaviest, hulls, drawing: None });
        if self.kept.len() > PICTURES {
            self.kept.pop_last();
        }
    }

    /// Draws the meshes that were kept of an input, after its last one.
    pub(super) fn draw(&mut self, input: &Reported<'_>) {
        let waiting = self.kept.values_mut().filter(|picture| picture.drawing.is_none());
        let mut waiting: HashMap<Uuid, &mut Picture> =
            waiting.map(|picture| (picture.uuid, picture)).collect();
        if waiting.is_empty() {
            return;
        }
        let meshes = input.all_meshes().map(|row| row.mesh);
        let found: Vec<(&mut Picture, &MeshFacts)> =
            meshes.filter_map(|mesh| Some((waiting.remove(&mesh.uuid?)?, mesh))).collect();
        let model = input.measured.profile.physics.model;
        within(Stage::Waiting, || {
            found.into_par_iter().for_each(|(picture, mesh)| {
                within(Stage::Write, || picture.draw(mesh, model));
            });
        });
    }

    /// Whether there is no picture.
    pub(super) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Returns the pictures as HTML, with links to the rows of these tables.
    pub(super) fn html(&self, objects: Option<&Kept>, meshes: Option<&Kept>) -> String {
        let drawn = self.kept.len() as u64;
        let more = match self.seen - drawn {
            0 => String::new(),
            more => format!(" Left out: {} lighter.", thousands(more)),
        };
        let blank = match self.blank {
            0 => String::new(),
            blank => format!(
                " Nothing to draw: {}, without a physics mesh and with few hull points.",
                thousands(blank)
            ),
        };
        let drawn = if drawn == 1 { "one mesh".into() } else { format!("{} meshes", thousands(drawn)) };
        let mut html = format!(
            "<section id=\"pictures\"><h2>Mesh pictures</h2>\n<p>The {drawn} with the highest physics cost, then \
             download weight. Objects in regions come first. Size and cost are those of the heaviest \
             prim.{more}{blank}</p>\n{LEGEND}<div class=\"pictures\">\n"
        );
        for picture in self.kept.values() {
            let row = |kept: Option<&Kept>, place| kept?.places().position(|other| other == place);
            picture.write(
                &mut html,
                row(objects, &picture.heaviest.object.place),
                row(meshes, &picture.mesh),
            );
        }
        html + "</div></section>\n"
    }
}

impl Picture {
    fn draw(&mut self, mesh: &MeshFacts, model: PhysicsModel) {
        self.drawing = draw(mesh.convex.as_ref(), physics_mesh(mesh, model), self.heaviest.scale);
    }

    fn write(&self, html: &mut String, object: Option<usize>, mesh: Option<usize>) {
        let Some(drawing) = &self.drawing else { return };
        let name = escape(&self.heaviest.object.name);
        let link = match self.heaviest.link_number {
            0 => String::new(),
            number => format!(", link\u{a0}{number}"),
        };
        let cost = self.heaviest.physics_cost.map_or("unknown".into(), short);
        let shape = match self.heaviest.shape {
            "none" => ", no collision".into(),
            shape => format!(" as {}", escape(&shape.replace('_', " "))),
        };
        let [width, height] = SIZE;
        let _ = writeln!(
            html,
            "<figure class=\"mesh\"><svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{name}{link}\">\
             {}</svg>\n<figcaption>{}{link}<p><b>physics cost {cost}</b>{shape}</p>{}{}</figcaption></figure>",
            drawing.svg,
            object.map_or(name.clone(), |row| format!("<a href=\"#objects/{row}\">{name}</a>")),
            self.numbers(drawing),
            mesh.map_or(String::new(), |row| {
                let uuid = self.uuid.to_string();
                format!("<p><a href=\"#meshes/{row}\">Mesh {}…</a></p>", &uuid[..8])
            }),
        );
    }

    /// Returns the size of the prim, and the numbers of triangles and hulls.
    fn numbers(&self, drawing: &Drawing) -> String {
        let [x, y, z] = self.heaviest.scale.to_array().map(short);
        let mut html = format!("<p>{x} × {y} × {z} m</p>");
        if let Some(count) = drawing.triangles {
            let _ = write!(html, "<p>{}", counted(count, "triangle"));
            if drawing.thin > 0 {
                let _ = write!(html, ", <b class=\"error\">{} thin</b>", thousands(drawing.thin));
            }
            html += "</p>";
        }
        if self.hulls > 0 {
            let _ = write!(html, "<p>{}", counted(self.hulls as u64, "hull"));
            if drawing.hulls < self.hulls {
                let _ = write!(html, ", {} drawn", thousands(drawing.hulls as u64));
            }
            html += "</p>";
        }
        html
    }
}

/// Formats a measure: whole if it is large, else with two or three decimals.
fn short(number: f64) -> String {
    let step = match number.abs() {
        number if number >= 100.0 => 1.0,
        number if number >= 0.1 => 100.0,
        _ => 1000.0,
    };
    grouped((number * step).round() / step)
}

//! Collects the scene of a report while its inputs are evaluated.

use super::{ColourBy, Levels, Scene, SceneObject};
use glam::DVec3;
use hullmark_ledger::facts::Role;
use hullmark_report::{
    Summary,
    page::{Page, Writer},
    reported::{Piece, Reported},
};
use hullmark_util::lock::lock;
use std::{
    collections::HashMap,
    io,
    ops::Range,
    sync::{Arc, Mutex},
};

/// The scene of a report. It is complete when the report is.
#[derive(Debug, Clone)]
pub struct CollectedScene(Arc<Mutex<Scene>>);

impl CollectedScene {
    /// Takes the scene, and leaves an empty one.
    pub fn take(&self) -> Scene {
        std::mem::replace(&mut lock(&self.0), Scene::new(ColourBy::default(), Levels::BySize))
    }
}

/// Creates a scene, and the format of a report that fills it.
pub fn collect(by: ColourBy) -> (Writer, CollectedScene) {
    let scene = CollectedScene(Arc::new(Mutex::new(Scene::new(by, Levels::BySize))));
    let collector = Collector { scene: scene.clone(), places: HashMap::new() };
    (Writer::new(|_| Ok(()), collector), scene)
}

/// A format of a report without a file.
struct Collector {
    scene: CollectedScene,
    /// Numbers of places in the scene, by the number of a region in this input. `None` for no region.
    places: HashMap<Option<u32>, usize>,
}

impl Page for Collector {
    type Part = ();

    fn append(&mut self, piece: &Piece<'_>, (): ()) -> io::Result<()> {
        let mut scene = lock(&self.scene.0);
        match piece {
            Piece::Head(input) => {
                self.places.clear();
                scene.next_input();
                for (number, facts, _) in input.regions() {
                    let place = scene.region(facts, &input.measured.ledger.input);
                    self.places.insert(u32::try_from(number).ok(), place);
                }
            }
            Piece::Objects(input, numbers) => add_objects(&mut scene, &mut self.places, input, numbers),
            Piece::Parts(..)
            | Piece::Meshes(..)
            | Piece::Assets(..)
            | Piece::Findings(..)
            | Piece::End(_)
            | Piece::Run(_)
            | Piece::Changes(_) => {}
        }
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        Ok(())
    }
}

fn add_objects(
    scene: &mut Scene,
    places: &mut HashMap<Option<u32>, usize>,
    input: &Reported<'_>,
    numbers: &Range<usize>,
) {
    for row in input.objects(numbers.clone()) {
        if row.object.role == Role::Nested {
            scene.nested();
            continue;
        }
        let place = places.entry(row.object.region);
        let place = *place.or_insert_with(|| scene.elsewhere(&input.measured.ledger.input));
        let object = SceneObject {
            object: row.object,
            measures: row.measures,
            findings: row.about.findings,
            worst: row.about.severity(),
        };
        scene.object(&object, input.measured, place, DVec3::ZERO);
    }
}

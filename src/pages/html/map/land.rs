//! The ground of a region on its map: heights in bands, water, and borders of parcels.

use super::{
    borders,
    contour::{Heights, UNITS},
};
use hullmark_format::height_grid::HeightGrid;
use hullmark_ledger::facts::RegionFacts;
use hullmark_util::number_text::{counted, plain};
use std::fmt::Write;

/// Maximum number of bands above the water.
const BANDS: usize = 6;
/// Depth of shallow water, in metres.
const SHALLOW: f64 = 4.0;
/// Heights of a band that people can count with, in metres.
const STEPS: [f64; 14] = [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 10e3];
/// Maximum length of the paths of the ground. Rough ground is drawn with fewer samples.
const MOST: usize = 18_000;

/// The facts of a region that its map shows.
#[derive(Debug)]
pub(in crate::html) struct Land {
    terrain: Result<HeightGrid, &'static str>,
    /// Height of the water, in metres.
    water: Option<f64>,
    parcels: usize,
    /// Path of the borders; `None` if there are too many.
    borders: Option<String>,
}

impl Land {
    /// Takes what a map shows from the facts of a region.
    pub(in crate::html) fn new(region: &RegionFacts) -> Self {
        let heights: u64 = region.size.map(u64::from).iter().product();
        let terrain = match &region.terrain {
            None => Err("no terrain in the archive"),
            Some(terrain) => match &terrain.grid {
                Some(grid) if terrain.bytes / 4 == heights => Ok(grid.clone()),
                Some(_) => Err("terrain of another size is not drawn"),
                None => Err("terrain could not be drawn"),
            },
        };
        let cells = region.size.map(|side| side.div_ceil(4) as usize);
        Self {
            terrain,
            water: region.settings.as_ref().and_then(|settings| settings.water_height).map(f64::from),
            parcels: region.parcels.len(),
            borders: borders::path(&region.parcels, cells),
        }
    }

    /// Returns the heights that the map shows, and the height of the water in metres.
    pub(super) fn ground(&self) -> (Option<&HeightGrid>, Option<f64>) {
        (self.terrain.as_ref().ok(), self.water.filter(|water| water.is_finite()))
    }

    /// Returns the caption of the ground.
    pub(in crate::html) fn words(&self) -> String {
        let terrain = match &self.terrain {
            Err(why) => (*why).to_owned(),
            Ok(grid) => {
                let [low, high] = [grid.lowest, grid.highest].map(|height| plain(f64::from(height).round()));
                let water = match self.water {
                    Some(water) => format!("water at {} m", plain(water)),
                    None => "height of the water unknown".into(),
                };
                let ground =
                    if low == high { format!("at {low} m") } else { format!("from {low} m to {high} m") };
                let shades = match f64::from(grid.highest) - self.base(grid) {
                    height if height <= self.step(grid) => String::new(),
                    _ => format!(", a shade for each {} m", plain(self.step(grid))),
                };
                format!("ground {ground}, {water}{shades}")
            }
        };
        let borders = if self.borders.is_none() { ", too many borders to draw" } else { "" };
        format!("{terrain}; {}{borders}", counted(self.parcels as u64, "parcel"))
    }

    /// Draws the ground of a region of this size.
    pub(in crate::html) fn draw(&self, html: &mut String, [width, height]: [f64; 2]) {
        if let Ok(grid) = &self.terrain {
            let [x, y] = [width / UNITS, height / UNITS];
            let _ = write!(html, "<g transform=\"translate(0 {height}) scale({x} -{y})\">");
            self.draw_terrain(html, grid);
            *html += "</g>\n";
        }
        if let Some(path) = self.borders.as_ref().filter(|path| !path.is_empty()) {
            let _ = writeln!(
                html,
                "<path class=\"border\" transform=\"translate(0 {height}) scale(4 -4)\" d=\"{path}\"/>"
            );
        }
    }

    fn draw_terrain(&self, html: &mut String, grid: &HeightGrid) {
        let heights = grid.heights().map(|height| height.unwrap_or(f64::NEG_INFINITY));
        let mut heights = Heights { side: grid.side(), heights: heights.collect() };
        let bands = self.bands(grid);
        let mut paths: Vec<String>;
        loop {
            paths = bands.iter().map(|(_, from)| heights.outline(*from)).collect();
            if paths.iter().map(String::len).sum::<usize>() <= MOST || heights.side <= 1 {
                break;
            }
            heights = heights.halved();
        }
        // Each band covers those below it.
        for ((class, _), path) in bands.iter().zip(paths).filter(|(_, path)| !path.is_empty()) {
            let _ = write!(html, "<path class=\"{class}\" d=\"{path}\"/>");
        }
    }

    /// Returns the height of a band above the water.
    fn step(&self, grid: &HeightGrid) -> f64 {
        let range = f64::from(grid.highest) - self.base(grid);
        let fits = |step: &&f64| range / **step <= BANDS as f64;
        STEPS.iter().find(fits).copied().unwrap_or(STEPS[STEPS.len() - 1])
    }

    /// Returns the height from which bands are counted: the water, if it is known.
    fn base(&self, grid: &HeightGrid) -> f64 {
        self.water.unwrap_or_else(|| f64::from(grid.lowest).floor())
    }

    /// Returns the class and the lower end of each band, the lowest first.
    fn bands(&self, grid: &HeightGrid) -> Vec<(String, f64)> {
        let lowest = f64::from(grid.lowest);
        let (base, step) = (self.base(grid), self.step(grid));
        let water = self.water.map(|water| {
            [("deep".to_owned(), lowest.min(water - SHALLOW)), ("shallow".to_owned(), water - SHALLOW)]
        });
        let land = (0..BANDS).map(|band| (format!("land{band}"), base + step * band as f64));
        water.into_iter().flatten().chain(land).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hullmark_format::region::Settings;
    use hullmark_ledger::facts::TerrainFacts;
    use hullmark_util::json_number::Number;

    /// Returns a region whose ground rises eastward from 0 to 100 m.
    fn region(size: [u32; 2], samples: u64) -> RegionFacts {
        let cells = (0..64 * 64).map(|at| 1 + at % 64 * 1032).collect();
        let grid = HeightGrid { lowest: Number(0.0), highest: Number(100.0), cells };
        let terrain = TerrainFacts {
            entry: "terrains/a.r32".into(),
            bytes: 4 * samples,
            heights: None,
            broken_image: false,
            grid: Some(grid),
        };
        let settings = Settings { water_height: Some(Number(20.0)), ..Settings::default() };
        RegionFacts { size, terrain: Some(terrain), settings: Some(settings), ..RegionFacts::of_folder("") }
    }

    fn drawn(region: &RegionFacts) -> String {
        let mut html = String::new();
        Land::new(region).draw(&mut html, region.size.map(f64::from));
        html
    }

    #[test]
    fn ground_is_drawn_in_bands_from_the_water_up() {
        let region = region([256, 256], 65_536);
        let words = "ground from 0 m to 100 m, water at 20 m, a shade for each 20 m; 0 parcels";
        assert_eq!(Land::new(&region).words(), words);
        let html = drawn(&region);
        let bands: Vec<&str> =
            html.split("<path class=\"").skip(1).map(|path| &path[..path.find('"').unwrap()]).collect();
        assert_eq!(bands, ["deep", "shallow", "land0", "land1", "land2", "land3"]);
        // The ground is 20 m high a fifth of the way east.
        assert!(html.contains("land0\" d=\"M256 0l 0 256-203 0 0-256z"), "{html}");
    }

    #[test]
    fn a_larger_region_has_the_same_paths_at_another_scale() {
        let html = drawn(&region([1024, 1024], 1024 * 1024));
        assert!(
            html.starts_with("<g transform=\"translate(0 1024) scale(4 -4)\"><path class=\"deep\""),
            "{html}"
        );
    }

    #[test]
    fn ground_that_is_not_drawn_says_why() {
        let other = region([512, 512], 65_536);
        assert_eq!(Land::new(&other).words(), "terrain of another size is not drawn; 0 parcels");
        assert_eq!(drawn(&other), "");
        let none = RegionFacts::of_folder("");
        assert_eq!(Land::new(&none).words(), "no terrain in the archive; 0 parcels");
        let mut unknown = region([256, 256], 65_536);
        unknown.settings = None;
        let words = "ground from 0 m to 100 m, height of the water unknown, a shade for each 20 m; 0 parcels";
        assert_eq!(Land::new(&unknown).words(), words);
        let mut flat = region([256, 256], 65_536);
        let grid = HeightGrid { lowest: Number(21.2), highest: Number(21.2), cells: vec![1; 4096] };
        flat.terrain.as_mut().unwrap().grid = Some(grid);
        assert_eq!(
            Land::new(&flat).words(),
            "ground at 21 m, water at 20 m, a shade for each 0.5 m; 0 parcels"
        );
        assert!(!drawn(&unknown).contains("shallow"));
    }

    #[test]
    fn rough_ground_stays_small() {
        let mut region = region([256, 256], 65_536);
        let noise = (0..64 * 64_u32).map(|at| 1 + (at.wrapping_mul(2_654_435_761) >> 16).min(65_534) as u16);
        region.terrain.as_mut().unwrap().grid.as_mut().unwrap().cells = noise.collect();
        let html = drawn(&region);
        assert!((1_000..20_000).contains(&html.len()), "{}", html.len());
    }
}

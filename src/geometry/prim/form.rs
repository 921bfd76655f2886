//! The parameters of a prim.

use glam::DVec2;

/// Minimum cut. Files have steps of twice this.
const LEAST_CUT: f64 = 1e-5;
/// Minimum length of path or profile that a cut leaves.
const LEAST_LENGTH: f64 = 0.02;
/// Maximum hollow part of a profile.
const MOST_HOLLOW: f64 = 0.95;
/// Maximum hollow part with a square hole, which would break through a round or triangular wall.
const MOST_SQUARE_HOLLOW: f64 = 0.7;
/// A smaller hollow counts as none; the steps of files are 2e-5.
const LEAST_HOLLOW: f64 = 1e-6;
/// Ranges of width and height of a ring's section, as parts of the whole.
const HOLE: [(f64, f64); 2] = [(0.05, 1.0), (0.05, 0.5)];
/// Range of the scale of a line and a sphere. Above 1, the beginning is reduced.
const RATIO: (f64, f64) = (0.0, 2.0);
const MOST_SHEAR: f64 = 0.5;
const MOST_REVOLUTIONS: f64 = 4.0;
const MOST_SKEW: f64 = 0.95;
/// Revolutions that differ from 1 by less than this count as 1.
const ONE_REVOLUTION: f64 = 0.001;

/// The outline that is swept along the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Profile {
    Circle,
    Square,
    /// A triangle. The next two differ only in name.
    Isosceles,
    /// The triangle of prisms and rings.
    Equilateral,
    Right,
    HalfCircle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hole {
    Same,
    Circle,
    Square,
    Triangle,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathKind {
    /// Up the z axis; also for flexible prims at rest.
    Line,
    /// Around the x axis.
    Circle,
    /// Around the x axis, with steps that alternate between both sides.
    ZigZag,
    /// The viewer's test path: a bent line.
    Bent,
}

/// The decoded parameters of a prim. [`VolumeParams::clamped`] brings any numbers into range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeParams {
    /// The outline that is swept along the path.
    pub profile: Profile,
    pub hole: Hole,
    pub path: PathKind,
    /// Beginning of the profile, 0 to 1.
    pub profile_begin: f64,
    /// End of the profile, 0 to 1.
    pub profile_end: f64,
    /// Hollow part, 0 to 0.95.
    pub hollow: f64,
    /// Beginning of the path, 0 to 1.
    pub path_begin: f64,
    /// End of the path, 0 to 1.
    pub path_end: f64,
    /// For a line, the size of the end; above 1, two minus the size of the beginning. For a circle, the size of the
    /// section.
    pub scale: DVec2,
    /// Shift of the end of a line.
    pub shear: DVec2,
    /// Rotation of the profile at the beginning, −1 to 1: half turns on a line, whole turns on a circle.
    pub twist_begin: f64,
    /// Rotation of the profile at the end, in the same unit.
    pub twist_end: f64,
    /// Growth or shrinkage of a ring's section, −1 to 1.
    pub taper: DVec2,
    /// Shrinkage of a ring's radius towards its end, or below 0 towards its beginning.
    pub radius_offset: f64,
    /// Number of turns of a ring, 1 to 4.
    pub revolutions: f64,
    /// Stretch of a ring along its axis, −0.95 to 0.95.
    pub skew: f64,
}

impl VolumeParams {
    #[cfg(any(test, feature = "testing"))]
    pub const BOX: Self = Self {
        profile: Profile::Square,
        hole: Hole::Same,
        path: PathKind::Line,
        profile_begin: 0.0,
        profile_end: 1.0,
        hollow: 0.0,
        path_begin: 0.0,
        path_end: 1.0,
        scale: DVec2::ONE,
        shear: DVec2::ZERO,
        twist_begin: 0.0,
        twist_end: 0.0,
        taper: DVec2::ZERO,
        radius_offset: 0.0,
        revolutions: 1.0,
        skew: 0.0,
    };

    /// Returns the parameters with every number in the range that the viewer allows. NaN becomes the value of a plain
    /// prim.
    pub fn clamped(self) -> Self {
        let (profile_begin, profile_end) = cut(self.profile_begin, self.profile_end);
        let (path_begin, path_end) = cut(self.path_begin, self.path_end);
        let both = |pair: DVec2, most: f64| DVec2::from_array(pair.to_array().map(|part| around(part, most)));
        let clamped = Self {
            profile_begin,
            profile_end,
            path_begin,
            path_end,
            hollow: self.allowed_hollow(),
            scale: self.allowed_scale(),
            shear: both(self.shear, MOST_SHEAR),
            twist_begin: around(self.twist_begin, 1.0),
            twist_end: around(self.twist_end, 1.0),
            taper: both(self.taper, 1.0),
            revolutions: within(self.revolutions, (1.0, MOST_REVOLUTIONS), 1.0),
            ..self
        };
        // The ranges of these two depend on the others.
        Self { radius_offset: clamped.allowed_offset(), skew: clamped.allowed_skew(), ..clamped }
    }

    /// Whether the profile moves around a circle at a distance, so that the scale is that of its section.
    fn is_ring(&self) -> bool {
        self.path == PathKind::Circle && self.profile != Profile::HalfCircle
    }

    fn allowed_hollow(&self) -> f64 {
        let narrow = matches!(self.profile, Profile::Circle | Profile::HalfCircle | Profile::Equilateral);
        let most = if self.hole == Hole::Square && narrow { MOST_SQUARE_HOLLOW } else { MOST_HOLLOW };
        let hollow = within(self.hollow, (0.0, most), 0.0);
        if hollow < LEAST_HOLLOW { 0.0 } else { hollow }
    }

    fn allowed_scale(&self) -> DVec2 {
        let [x, y] = if self.is_ring() { HOLE } else { [RATIO; 2] };
        DVec2::new(within(self.scale.x, x, 1.0), within(self.scale.y, y, 1.0))
    }

    /// The section must not cross the axis. A taper leaves more room on the side where the radius shrinks.
    fn allowed_offset(&self) -> f64 {
        if !self.is_ring() {
            return 0.0;
        }
        let offset = around(self.radius_offset, 1.0);
        let helps = offset * self.taper.y > 0.0;
        let taper = if helps { self.taper.y.abs() } else { 0.0 };
        let section = self.scale.y;
        around(offset, 1.0 - section * (1.0 - taper) / (1.0 - section))
    }

    /// With more than one revolution, the turns must not overlap.
    fn allowed_skew(&self) -> f64 {
        let skew = around(self.skew, MOST_SKEW);
        if (self.revolutions - 1.0).abs() < ONE_REVOLUTION {
            return skew;
        }
        let least = 1.0 - 1.0 / (self.revolutions * self.scale.x + 1.0);
        if skew.abs() >= least {
            skew
        } else if skew < 0.0 {
            -least
        } else {
            least
        }
    }
}

/// Clamps a number to a range; `otherwise` for NaN.
fn within(number: f64, (least, most): (f64, f64), otherwise: f64) -> f64 {
    if number.is_nan() { otherwise } else { number.clamp(least, most) }
}

/// Clamps a number to ±`most`; 0 for NaN.
fn around(number: f64, most: f64) -> f64 {
    within(number, (-most, most), 0.0)
}

/// Returns a beginning and an end with some length between them; the beginning is moved if necessary. A cut below half
/// a step of the file counts as none: it would be neither closed nor open.
fn cut(begin: f64, end: f64) -> (f64, f64) {
    let end = within(end, (LEAST_LENGTH, 1.0), 1.0);
    let begin = within(begin, (0.0, end - LEAST_LENGTH), 0.0);
    (if begin < LEAST_CUT { 0.0 } else { begin }, if end > 1.0 - LEAST_CUT { 1.0 } else { end })
}

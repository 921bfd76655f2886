//! Why a figure is unknown. Bodies and costs have these reasons in common.

use hullmark_format::object::Part;
use hullmark_util::named;
use serde::{Deserialize, Serialize};
use std::fmt;

named! {
    /// Why a figure is not known, or does not exist.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum NotEvaluated {
        /// The part is a placeholder of a mesh, or of a part that may not be exported. Its own form is not in the export.
        Placeholder = "placeholder of another part",
        /// Rows of the database were not read that may have the shape or the contents of the part.
        RowsUnread = "rows of the database not read",
        /// The mesh asset is not in the export.
        MeshMissing = "mesh asset missing",
        /// The block is not in the cache of the viewer, which did not need it.
        NotFetched = "block not in the viewer's cache",
        /// The convex block is there and cannot be read.
        ConvexUnreadable = "convex block unreadable",
        /// The mesh has no base hull.
        BaseHullMissing = "base hull missing",
        /// `HullList` announces another number of points than `Positions` holds.
        HullListDisagrees = "hull list and positions disagree",
        /// The physics mesh is there and cannot be read.
        PhysicsMeshUnreadable = "physics mesh unreadable",
        /// The physics mesh has no triangle that could collide.
        PhysicsMeshEmpty = "physics mesh without triangles",
        /// The sculpt map is not in the export.
        SculptMissing = "sculpt map missing",
        /// The sculpt map is there and cannot be decoded.
        SculptBroken = "sculpt map broken",
        /// The part takes its form from something of a kind that is not known.
        SculptKindUnknown = "sculpt of unknown kind",
        /// The surface of the prim or sculpt has no triangle, or a number of it is not finite.
        SurfaceEmpty = "surface without triangles",
        /// The engine charges the indices of a hull that it builds. Building it takes too much work, or a number is not
        /// finite.
        IndexCountUnknown = "index count of the engine unknown",
        /// The mesh states no size of its highest level of detail.
        HighLodMissing = "high_lod missing",
        /// A number of the export is not finite.
        NotFinite = "number not finite",
        /// The linkset is under legacy accounting: one for each prim.
        LegacyAccounting = "legacy accounting",
        /// Trees and grass have no physics shape and no streaming cost.
        Plant = "tree or grass",
        /// The mesh has no such block.
        Absent = "block absent",
        /// So many pieces would have to be tried with each other that it would take too long.
        TooManyPieces = "too many pieces to try",
        /// The meshes of the export would have to be measured at so many scales that it would take too long.
        TooManyTriangles = "too many triangles to measure",
        /// The target grid has no such rule.
        NoSuchRule = "no such rule on this grid",
    }
}

impl NotEvaluated {
    /// Returns why nothing is known about a part. `None` if its form and its contents were read.
    pub fn of_unknown(part: &Part) -> Option<Self> {
        match part {
            part if part.is_unread() => Some(Self::RowsUnread),
            part => part.placeholder.then_some(Self::Placeholder),
        }
    }
}

impl fmt::Display for NotEvaluated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

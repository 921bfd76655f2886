//! PHY: the rows of the table.

family! {
    "PHY" "Physics"

    PHY001 Error "" "Physical object is over the cap" {
        message: "The object is physical and its physics cost is {measured}; the cap is {limit}{detail}",
        why: "",
        engines: "",
        fix: "It cannot be made physical again: simplify its physics shape or set it to Convex Hull; `hullmark slim` says of which parts.",
        source: "",
    }

    PHY002 Info "" "Too costly to become physical" {
        message: "The physics cost is {measured}, so the object may not be made physical (cap {limit}){detail}",
        why: "",
        engines: "",
        fix: "Nothing to do unless it is meant to move.",
        source: "",
    }

    PHY007 Info "" "Shape type Prim on a mesh without physics shape" {
        message: "The part is set to Prim but its mesh has neither decomposition nor physics mesh: {detail}",
        why: "",
        engines: "",
        fix: "It collides as its base hull.",
        source: "",
    }

    PHY008 Warning "parts" "Collision shape changes between grids" {
        message: "{measured} parts collide as something else by profile {within}: {detail}",
        why: "",
        engines: "",
        fix: "Doorways may close up or open: try the object on that grid, or upload its meshes again with a physics shape that both engines read alike.",
        source: "",
    }
}

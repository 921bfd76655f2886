//! LNK: the rows of the table.

family! {
    "LNK" "Linkability"

    LNK001 Error "m" "Parts are too far apart to link" {
        message: "The prim centres span {measured} m; a linkset must stay under {limit} m{detail}",
        why: "",
        engines: "",
        fix: "Unlink the prims that are farthest out before the move, or the grid will refuse to relink them; `hullmark link --split` says which.",
        source: "",
    }

    LNK002 Error "prims" "Too many prims to link" {
        message: "The linkset has {measured} prims; at most {limit} can be linked{detail}",
        why: "",
        engines: "",
        fix: "Split the object into several linksets; `hullmark link --split` says how.",
        source: "",
    }
}

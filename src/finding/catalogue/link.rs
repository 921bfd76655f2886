//! LNK: what may be linked.

family! {
    "LNK" "Linkability"

    LNK001 Error "m" "Parts are too far apart to link" {
        message: "The prim centres span {measured} m; a linkset must stay under {limit} m{detail}",
        why: "Since December 2010 a linkset must lie within a sphere of less than 54 m around its prim \
              centres; sizes and rotations do not count. A linkset beyond it cannot be linked again once it \
              was taken apart, and may come apart when it is rezzed.",
        engines: "Second Life enforces the rule. OpenSim has no rule of distance, so content that was built \
                  there may break it.",
        fix: "Unlink the prims that are farthest out before the move, or the grid will refuse to relink \
              them.",
        source: "Second Life wiki, Linkability Rules: LINKABLE = D < 54 AND N < 256",
    }

    LNK002 Error "prims" "Too many prims to link" {
        message: "The linkset has {measured} prims; at most {limit} can be linked{detail}",
        why: "The rule of 2010 has N < 256. A linkset with more prims cannot be linked again once it was \
              taken apart.",
        engines: "Viewers let a root take 255 children, which makes 256, and refuse only more. OpenSim \
                  limits nothing unless the operator sets LinksetPrims, and does not look when it loads.",
        fix: "Split the object into several linksets.",
        source: "Second Life wiki, Linkability Rules; viewer, llselectmgr.cpp, MAX_CHILDREN_PER_TASK",
    }
}

//! LNK: what may be linked.

rules! {
    LNK001 "m" "Parts are too far apart to link" {
        about: Object,
        effect: Changes,
        message: "The prim centres span {measured} m; a linkset must stay under {limit} m{detail}",
        why: "Since December 2010 a linkset must lie within a sphere of less than 54 m around its prim \
              centres; sizes and rotations do not count. A linkset beyond it cannot be linked again once it \
              was taken apart, and may come apart when it is rezzed.",
        engines: [
            "Second Life" => "Second Life enforces the rule.",
            "OpenSimulator" => "OpenSim has no rule of distance, so content that was built there may break it.",
        ],
        fix: "Unlink the prims that are farthest out before the move, or the grid will refuse to relink them; \
              `hullmark link --split` says which.",
        source: "Second Life wiki, Linkability Rules: LINKABLE = D < 54 AND N < 256",
    }

    LNK002 "prims" "Too many prims to link" {
        about: Object,
        effect: Changes,
        message: "The linkset has {measured} prims; at most {limit} can be linked{detail}",
        why: "The rule of 2010 has N < 256. A linkset with more prims cannot be linked again once it was \
              taken apart.",
        engines: [
            "Viewers" => "Viewers let a root take 255 children, which makes 256, and refuse only more.",
            "OpenSimulator" => "OpenSim limits nothing unless the operator sets LinksetPrims, and does not look \
                when it loads.",
        ],
        fix: "Split the object into several linksets; `hullmark link --split` says how.",
        source: "Second Life wiki, Linkability Rules; viewer, llselectmgr.cpp, MAX_CHILDREN_PER_TASK",
    }

    LNK003 "m" "The rule of before 2010 does not link all" {
        about: Object,
        effect: Note,
        message: "By the rule of Havok4 {within} pieces remain; the second one needs a span of {measured} m and \
                  {limit} m are allowed{detail}",
        why: "Before December 2010 two pieces could be linked if the span over both spheres was at most three times \
              their radii and 2 m, and at most 54 m. Small prims far apart failed it, which pass today.",
        engines: [
            "Second Life" => "Second Life and OpenSim no longer judge so. Content that goes back to those days \
                was built under it, and a fork that kept the rule takes such a linkset apart.",
        ],
        fix: "Nothing to do, unless the target still has the old rule: then `hullmark link --rule havok4` shows the \
              pieces.",
        source: "Second Life wiki, Linkability Rules: Old Linkability Rules, formulas 1 and 7",
    }

    LNK005 "prims" "What links depends on the order" {
        about: Object,
        effect: Note,
        message: "By the rule of Havok4 another order of the same prims links otherwise; in link order {measured} of \
                  {limit} are linked to the root{detail}",
        why: "The old rule tries one prim after the other. A piece that grows moves its centre, and near 54 m the last \
              prim finds no room, so what is linked depends on what was tried first. The page says that this cannot \
              be so for a set that can be linked whole; it can.",
        fix: "Select the prims in another order, the nearest to the root first, or split the object.",
        source: "Second Life wiki, Linkability Rules: Linkability algorithm, Failure modes",
    }
}

//! LNK: linkability.

rules! {
    LNK001 "m" "Prims are too far apart to link" {
        about: Object,
        effect: Changes,
        message: "The prim centers span {measured} m; the span must be less than {limit} m{detail}",
        why: "Since December 2010 the prim centers of a linkset must fit into a sphere less than 54 m across. Sizes \
              and rotations do not count. A larger linkset cannot be linked again once taken apart, and may come \
              apart when rezzed.",
        engines: [
            "Second Life" => "Enforces the rule.",
            "OpenSimulator" => "Has no distance rule, so content built there may break it.",
        ],
        fix: "Before the move, unlink the prims that are farthest out: the grid will refuse to relink them. \
              `hullmark link --split` suggests a split.",
        fix_owner: "Before the move, unlink the prims that are farthest out. In the viewer: Edit > Edit linked, \
              select the prims, then Build > Unlink.",
        source: "Second Life wiki, Linkability Rules: LINKABLE = D < 54 AND N < 256",
    }

    LNK002 "prims" "Linkset has too many prims" {
        about: Object,
        effect: Changes,
        message: "The linkset has {measured} prims; at most {limit} can be linked{detail}",
        why: "The linkability rule of 2010 allows fewer than 256 prims. A linkset with more prims cannot be linked \
              again once taken apart.",
        engines: [
            "Viewers" => "Let a root prim have 255 child prims, which makes 256, and refuse only more.",
            "OpenSimulator" => "Sets no limit unless the operator sets LinksetPrims, and does not check it on \
                loading.",
        ],
        fix: "Split the object into several linksets; `hullmark link --split` suggests how.",
        fix_owner: "Split the object into several linksets. In the viewer: Edit > Edit linked, select the prims, \
              then Build > Unlink and Build > Link.",
        source: "Second Life wiki, Linkability Rules; viewer, llselectmgr.cpp, MAX_CHILDREN_PER_TASK",
    }

    LNK003 "m" "Havok4 rule splits the linkset" {
        about: Object,
        effect: Note,
        message: "The Havok4 rule leaves {within} pieces: the second needs a span of {measured} m, and {limit} m is \
              allowed{detail}",
        why: "Before December 2010 two pieces linked only up to a certain span over both their spheres. The limit \
              was three times both radii plus 2 m, and at most 54 m. Small prims far apart failed this rule and pass \
              today's.",
        engines: [
            "Second Life" => "No longer applies this rule.",
            "OpenSimulator" => "Does not apply this rule; a fork that does takes such a linkset apart.",
        ],
        fix: "Do nothing, unless the target still applies the old rule. In that case, list the pieces with `hullmark \
              link --rule havok4`.",
        fix_owner: "Do nothing, unless your new grid still applies the rule from before 2010.",
        source: "Second Life wiki, Linkability Rules: Old Linkability Rules, formulas 1 and 7",
    }

    LNK005 "prims" "Link order decides what links" {
        about: Object,
        effect: Note,
        message: "With the Havok4 rule the order of the prims matters: in link order, {measured} of {limit} prims \
              can link to the root prim{detail}",
        why: "The old rule tries one prim after the other. A growing piece moves its center, and near 54 m the last \
              prim finds no room. The specification says that a set that can be linked whole never depends on the \
              order; it can.",
        fix: "Select the prims in another order, nearest to the root prim first, or split the object.",
        source: "Second Life wiki, Linkability Rules: Linkability algorithm, Failure modes",
    }
}

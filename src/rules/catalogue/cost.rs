//! CST: what objects cost, against what land holds.

rules! {
    CST001 "" "Over capacity" {
        about: Land,
        effect: Overfills,
        message: "{detail}: land impact {measured}, and at most {limit} is allowed",
        why: "A region holds so much land impact, and a parcel its share of that by area, times the object \
              bonus. When a parcel is over its capacity nothing more can be rezzed, and objects are returned \
              to their owners.",
        engines: [
            "OpenSimulator" => "OpenSim holds 15,000 in a region unless MaxPrims says otherwise.",
            "Second Life" => "Second Life holds 22,500 in a full region, fewer in smaller products.",
        ],
        fix: "Objects are returned or refused; remove some, bring their physics cost down with \
              `hullmark slim --budget`, or ask for a larger capacity.",
        source: "OpenSim, LandObject.cs; Second Life knowledge base, Calculating land impact",
    }

    CST002 "" "One edit would overfill its land" {
        about: Land,
        effect: Overfills,
        message: "An edit that opts it into new accounting would raise the linkset's land impact by {measured}, with \
                  {limit} left on {detail}",
        why: "A linkset of plain prims is charged 1 for each. Setting a shape type or a material, or linking a mesh to \
              it, opts all of it into new accounting, and twisted or hollow prims are dear there: linksets of 10 prims \
              became 300 by one edit, and the objects of neighbours were returned. Told where that would overfill the \
              land, once for each land; nearly every linkset of prims gets dearer, and by how much stands in the \
              column land_impact_if_new.",
        engines: [
            "Second Life" => "Second Life returns objects.",
            "OpenSimulator" => "OpenSim counts prims, whatever their accounting.",
        ],
        fix: "Before such an edit set its prims to Convex Hull on a land with room, or leave the linkset as it is.",
        source: "Second Life wiki, Mesh/Mesh physics, Opt-In; beqsother, July 2016; cityofnewbabbage",
    }

    CST003 "" "Cost differs between grids" {
        about: Object,
        effect: Note,
        message: "Land impact is {limit}, and {measured} by profile {within}{detail}",
        why: "The same object takes another share of a parcel on another grid. By how much a difference must \
              be to be told stands in the settings, as cost_difference_percent.",
        engines: [
            "Second Life" => "Second Life takes the greatest of the three sums over the linkset and rounds it.",
            "OpenSimulator" => "OpenSim counts 1 for each part.",
        ],
        fix: "Plan the parcel for the grid that it will stand on.",
        source: "Second Life knowledge base, Calculating land impact; OpenSim 0.9.2.2, as measured",
    }

    CST004 "" "Size makes a physical linkset dearer" {
        about: Object,
        effect: Note,
        message: "Being large raises the physical linkset's physics cost from {limit} to {measured}, and with it its \
                  land impact{detail}",
        why: "A physical linkset costs (1 + 0.04 A) times as much, A being the mean face area of the box around it in \
              square metres. The penalty does not count for the cap: it is land impact that it raises.",
        engines: [
            "Second Life" => "Second Life takes the box around the linkset.",
            "OpenSimulator" => "OpenSim takes 0.01333 times the squared diagonal of each part, which is the \
                same for a cube only.",
        ],
        fix: "Make the linkset smaller over all, or cheaper: `hullmark slim --budget` says of which parts.",
        source: "Second Life wiki, Mesh/Mesh physics: \"penalized_cost = base_physics_cost * ( 1 + 0.04 * A )\"; \
                 OpenSim, SceneObjectPart.cs, PhysicsCost",
    }

    CST005 "parts" "Cost is not fully evaluated" {
        about: Object,
        effect: Unknown,
        message: "{measured} of {limit} parts have no physics cost: {detail}",
        why: "A part whose mesh or sculpt map is missing or broken has a cost that nobody can know from the \
              export. It is left out and said so, and never taken as 0: sums with it are lower bounds.",
        fix: "The object's costs are lower bounds; find the missing assets to know them.",
        source: "hullmark, README.md, What it judges",
    }
}

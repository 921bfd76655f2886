//! CST: the rows of the table.

family! {
    "CST" "Costs and capacity"

    CST001 Error "" "Over capacity" {
        message: "{detail}: land impact {measured}, capacity {limit}",
        why: "",
        engines: "",
        fix: "Objects are returned or refused; remove or simplify some, or ask for a larger capacity.",
        source: "",
    }

    CST003 Info "" "Cost differs between grids" {
        message: "Land impact is {limit}, and {measured} by profile {within}{detail}",
        why: "",
        engines: "",
        fix: "Plan the parcel for the grid that it will stand on.",
        source: "",
    }

    CST005 Info "parts" "Cost is not fully evaluated" {
        message: "{measured} of {limit} parts have no physics cost: {detail}",
        why: "",
        engines: "",
        fix: "The object's costs are lower bounds.",
        source: "",
    }
}

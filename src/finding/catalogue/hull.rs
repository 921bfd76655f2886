//! HUL: the rows of the table.

family! {
    "HUL" "Convex hulls"

    HUL001 Error "vertices" "Hull has too many vertices" {
        message: "{detail} has {measured} vertices; the limit is {limit}",
        why: "",
        engines: "",
        fix: "Upload the mesh again with a simpler physics shape.",
        source: "",
    }

    HUL002 Error "hulls" "Decomposition has too many hulls" {
        message: "The decomposition has {measured} hulls; the limit is {limit}",
        why: "",
        engines: "",
        fix: "Upload the mesh again with a coarser decomposition.",
        source: "",
    }

    HUL003 Error "points" "Hull list and positions disagree" {
        message: "HullList announces {limit} points and Positions holds {measured}: {detail}",
        why: "",
        engines: "",
        fix: "Engines read this differently: viewers over-read, ubODE uses the base hull; upload the mesh again.",
        source: "",
    }

    HUL004 Error "bytes" "Point list is not whole points" {
        message: "{detail} of {within} holds {measured} bytes, which is not a multiple of 6",
        why: "",
        engines: "",
        fix: "The tail is read as garbage; upload the mesh again.",
        source: "",
    }

    HUL005 Warning "points" "Hull is degenerate" {
        message: "A hull has no inside, with {measured} different points where a solid has at least {limit}: {detail}",
        why: "",
        engines: "",
        fix: "What collides then depends on the engine; upload the mesh again with a solid physics shape.",
        source: "",
    }

    HUL006 Info "hulls" "Hull of 256 points written as 0" {
        message: "HullList holds a 0, which means 256 points: {detail}",
        why: "",
        engines: "",
        fix: "Legal, but some programs read it as an empty hull.",
        source: "",
    }

    HUL007 Error "" "Domain cannot be decoded" {
        message: "The coordinate domain of {within} is unusable: {detail}",
        why: "",
        engines: "",
        fix: "Points collapse or lie in the wrong place; upload the mesh again.",
        source: "",
    }

    HUL008 Error "points" "Base hull is missing" {
        message: "The base hull is missing or too small: {detail}",
        why: "",
        engines: "",
        fix: "The specification requires it; without one the object may not collide at all. Upload the mesh again.",
        source: "",
    }

    HUL009 Warning "unit cube" "Base hull does not wrap what it should" {
        message: "{detail} sticks out of the base hull by {measured} of the unit cube",
        why: "",
        engines: "",
        fix: "The base hull is stale or forged: things collide elsewhere once the object moves. Upload the mesh again.",
        source: "",
    }

    HUL010 Error "" "Half a decomposition" {
        message: "The decomposition is incomplete: {detail}",
        why: "",
        engines: "",
        fix: "It is ignored and the base hull is used; upload the mesh again.",
        source: "",
    }
}

//! MSH: the rows of the table.

family! {
    "MSH" "Mesh assets"

    MSH001 Error "" "Mesh header cannot be read" {
        message: "The mesh header cannot be read: {detail}",
        why: "",
        engines: "",
        fix: "The mesh is invisible everywhere; replace the asset.",
        source: "",
    }

    MSH002 Error "bytes" "Block lies outside the file" {
        message: "Block {within} lies outside the file or over another: {detail}",
        why: "",
        engines: "",
        fix: "The asset is cut short or forged; replace it.",
        source: "",
    }

    MSH003 Error "" "Block cannot be inflated" {
        message: "Block {within} cannot be inflated: {detail}",
        why: "",
        engines: "",
        fix: "The asset is damaged; replace it.",
        source: "",
    }

    MSH004 Error "" "Highest level of detail is missing" {
        message: "high_lod is missing: {detail}",
        why: "",
        engines: "",
        fix: "Nothing is drawn; upload the mesh again.",
        source: "",
    }

    MSH005 Info "triangles" "Level of detail is not simpler" {
        message: "{within} has {measured} triangles, more than the {limit} of the level above it",
        why: "",
        engines: "",
        fix: "It costs more than it needs to.",
        source: "",
    }

    MSH006 Error "indices" "Indices point outside" {
        message: "{measured} triangle indices of {within}, submesh {index}, point past its {limit} vertices{detail}",
        why: "",
        engines: "",
        fix: "The mesh is damaged; upload it again.",
        source: "",
    }

    MSH010 Warning "triangles" "Physics mesh has triangles without width" {
        message: "{measured} of {limit} triangles of the physics mesh have no width",
        why: "",
        engines: "",
        fix: "They make the physics cost explode; clean the physics model and upload it again.",
        source: "",
    }

    MSH011 Info "" "Old or doubled block names" {
        message: "The mesh uses names of blocks that not every engine knows: {detail}",
        why: "",
        engines: "",
        fix: "Check the physics of the object in-world after the move.",
        source: "",
    }

    MSH014 Error "bytes" "Asset is empty" {
        message: "The asset holds nothing: {detail}",
        why: "",
        engines: "",
        fix: "It counts as failed when loaded; replace it.",
        source: "",
    }

    MSH015 Error "" "Block's content cannot be understood" {
        message: "Block {within} holds something else than it should: {detail}",
        why: "",
        engines: "",
        fix: "The asset is damaged or from a program that does not follow the format; replace it.",
        source: "",
    }

    MSH016 Warning "" "Mesh has an oddity" {
        message: "The mesh is unusual: {detail}",
        why: "",
        engines: "",
        fix: "Viewers and engines may read it differently; check it in-world.",
        source: "",
    }
}

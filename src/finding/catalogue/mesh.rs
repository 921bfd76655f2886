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

    MSH007 Warning "bytes" "Meshes are too large" {
        message: "{detail} {measured} bytes; the limit is {limit}",
        why: "A mesh asset of Second Life may have 8 MB, compressed, and the different meshes of a region 128 MB \
              together, attachments left out. No page of Linden Lab says so: \
              guides for builders do.",
        engines: "OpenSim has no such limit.",
        fix: "Simplify the mesh, or split it into several; for a region, use fewer different meshes.",
        source: "Beq Janus's advice for builders, blog.inf.ed.ac.uk/atate, 2021-02-06",
    }

    MSH008 Warning "indices" "Physics mesh is very large" {
        message: "The physics mesh has {measured} indices; ubODE warns above {limit}",
        why: "Every triangle of a physics mesh has three indices. ubODE writes \"large mesh data\" into the log of \
              each start where there are more than 64,000, and then builds a collision tree of them all: the region \
              starts later and everything that touches the object costs more.",
        engines: "ubODE logs it and goes on. BulletSim and Second Life know no such number.",
        fix: "Upload the mesh again with a coarser physics model, or set the parts that use it to Convex Hull.",
        source: "OpenSim, ODEPrim.cs, GetMeshGeom",
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

    MSH012 Info "" "Simulator's figures differ from these" {
        message: "hullmark reckons {measured} where the simulator left {limit} in the asset: {detail}",
        why: "A simulator that has priced a mesh leaves its own figures in the header. They show how far the \
              estimates of this audit can be trusted: the rule by which the simulator counts vertices was never \
              published. By how many percent they may differ stands in the profile, as self_check_percent.",
        engines: "Only Second Life writes these figures, and OpenSim does not read them.",
        fix: "Nothing to do: where the profile trusts the simulator, its figure is the one that counts.",
        source: "Mesh assets of Second Life, header entry physics_cost_data; node-metaverse, LLMesh.ts",
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

//! MSH: mesh assets, their header, their blocks and their levels of detail.

rules! {
    MSH001 "" "Mesh header cannot be read" {
        about: Mesh,
        effect: Loses,
        message: "The mesh header cannot be read: {detail}",
        why: "The header says where each block lies. Where it is no LLSD map, has a version above 999, or is \
              a viewer's note that there is no such asset, nothing of the mesh can be shown. WhiteCore's \
              users know it as \"Unknown type marker\" and an invisible mesh.",
        fix: "The mesh is invisible everywhere; replace the asset.",
        source: "Second Life wiki, Mesh/Mesh Asset Format; viewer, llmeshrepository.cpp, headerReceived; \
                 WhiteCore, issue 298",
    }

    MSH002 "bytes" "Block lies outside the file" {
        about: Mesh,
        effect: Loses,
        message: "Block {within} lies outside the file or over another: {detail}",
        why: "A block has an offset and a size. Where they reach past the end of the file the asset was cut \
              short; where two blocks share bytes the header is forged or was written wrongly.",
        fix: "The asset is cut short or forged; replace it.",
        source: "Second Life wiki, Mesh/Mesh Asset Format; viewer, llmodel.cpp, loadModel",
    }

    MSH003 "" "Block cannot be inflated" {
        about: Mesh,
        effect: Loses,
        message: "Block {within} cannot be inflated: {detail}",
        why: "Each block is a zlib stream. One that is damaged or cut gives nothing: the level of detail is \
              not drawn, or the physics shape is not there.",
        engines: [
            "All" => "A wrong checksum alone is another matter: viewers refuse such a block, OpenSim reads it \
                (MSH016).",
        ],
        fix: "The asset is damaged; replace it.",
        source: "RFC 1950; viewer, llsdserialize.cpp, unzip_llsd; WhiteCore, issue 36",
    }

    MSH004 "" "Highest level of detail is missing" {
        about: Mesh,
        effect: Loses,
        message: "high_lod is missing: {detail}",
        why: "high_lod is the one level that every mesh must have: the lower ones stand in for it from afar. \
              Without it an upload is refused, and up close nothing is drawn.",
        fix: "Nothing is drawn; upload the mesh again.",
        source: "Second Life wiki, Mesh/Mesh Asset Format",
    }

    MSH005 "triangles" "Level of detail is not simpler" {
        about: Mesh,
        effect: Note,
        message: "{within} has {measured} triangles, more than the {limit} of the level above it",
        why: "Each lower level must have fewer triangles than any higher one. A level that has more makes \
              the mesh dearer to draw from afar than from near, and raises its streaming cost.",
        fix: "It costs more than it needs to; upload the mesh again with simpler lower levels.",
        source: "Second Life wiki, Mesh/Mesh Asset Format",
    }

    MSH006 "indices" "Indices point outside" {
        about: Mesh,
        effect: Loses,
        message: "{measured} triangle indices of {within}, submesh {index}, point past its {limit} \
                  vertices{detail}",
        why: "A triangle names its corners by their number. A number beyond the last vertex names a corner \
              that is not there.",
        engines: [
            "Viewers" => "Viewers check it only at upload, not when they load the mesh.",
        ],
        fix: "The mesh is damaged; upload it again.",
        source: "Viewer, llmodelpreview.cpp, validate_face; llvolume.cpp, unpackVolumeFacesInternal",
    }

    MSH007 "bytes" "Meshes are too large" {
        about: Asset,
        effect: Overfills,
        message: "{detail} {measured} bytes; the limit is {limit}",
        why: "A mesh asset of Second Life may have 8 MB, compressed, and the different meshes of a region 128 MB \
              together, attachments left out. No page of Linden Lab says so: \
              guides for builders do.",
        engines: [
            "OpenSimulator" => "OpenSim has no such limit.",
        ],
        fix: "Simplify the mesh, or split it into several; for a region, use fewer different meshes.",
        source: "Beq Janus's advice for builders, blog.inf.ed.ac.uk/atate, 2021-02-06",
    }

    MSH008 "indices" "Physics mesh is very large" {
        about: Mesh,
        effect: Changes,
        message: "The physics mesh has {measured} indices; ubODE warns above {limit}",
        why: "Every triangle of a physics mesh has three indices. ubODE writes \"large mesh data\" into the log of \
              each start where there are more than 64,000, and then builds a collision tree of them all: the region \
              starts later and everything that touches the object costs more.",
        engines: [
            "ubODE" => "ubODE logs it and goes on.",
            "BulletSim" => "BulletSim and Second Life know no such number.",
        ],
        fix: "Upload the mesh again with a coarser physics model, or set the parts that use it to Convex Hull.",
        source: "OpenSim, ODEPrim.cs, GetMeshGeom",
    }

    MSH010 "triangles" "Physics mesh has degenerate triangles" {
        about: Mesh,
        effect: Note,
        message: "{measured} of {limit} triangles of the physics mesh are degenerate{detail}",
        why: "A triangle is degenerate where it is nearly a line. The cost of a physics mesh is its triangles \
              divided by their average width, and the average favours the narrow ones. One triangle without width \
              makes it 0, which is taken as 0.001 m: each triangle then costs 50, whatever the size. Vertices moved \
              by two tenths of a millionth of a metre changed the land impact of one model from 7,671 to 0.5.",
        engines: [
            "All" => "The uploader of current viewers refuses a physics mesh with degenerate triangles.",
            "OpenSimulator" => "OpenSim does not look at widths: ubODE charges by the number of triangles and \
                by size.",
        ],
        fix: "They make the physics cost explode; clean the physics model and upload it again.",
        source: "Second Life wiki, Mesh/Mesh physics, Triangle Mesh Overview; viewer, llmodel.cpp, \
                 ll_is_degenerate; nalates, 2013-01-15",
    }

    MSH011 "" "Old or doubled block names" {
        about: Mesh,
        effect: Note,
        message: "The mesh uses names of blocks that not every engine knows: {detail}",
        why: "Before the release the blocks had other names: decomposition for physics_convex, physics_shape \
              for physics_mesh, Hull for BoundingVerts and Position for Positions. The page of the \
              specification still has them.",
        engines: [
            "Viewers" => "Viewers and Second Life know the released names only.",
            "OpenSimulator" => "OpenSim reads physics_shape too, and prefers it where both are there. The old \
                names of the convex block are read by nobody.",
        ],
        fix: "Check the physics of the object in-world after the move.",
        source: "Second Life wiki, Mesh/Mesh physics, Mesh Asset Header Identifiers; OpenSim, Meshmerizer.cs",
    }

    MSH012 "" "Simulator's figures differ from these" {
        about: Mesh,
        effect: Note,
        message: "hullmark reckons {measured} where the simulator left {limit} in the asset: {detail}",
        why: "A simulator that has priced a mesh leaves its own figures in the header. They show how far the \
              estimates of this audit can be trusted: the rule by which the simulator counts vertices was never \
              published. By how many percent they may differ stands in the profile, as self_check_percent.",
        engines: [
            "All" => "Only Second Life writes these figures, and OpenSim does not read them.",
        ],
        fix: "Nothing to do: where the profile trusts the simulator, its figure is the one that counts.",
        source: "Mesh assets of Second Life, header entry physics_cost_data; node-metaverse, LLMesh.ts",
    }

    MSH013 "" "One UUID, two meshes" {
        about: Asset,
        effect: Breaks,
        message: "The mesh has other bytes under its UUID in {within}",
        why: "An asset is known by its UUID alone, and a grid stores the first that comes: when it loads the \
              second archive it finds the UUID taken and skips the asset. Whatever uses the mesh then shows \
              the wrong one.",
        fix: "Find out which of the two is right before either is loaded, and give the other a UUID of its \
              own.",
        source: "OpenSim, ArchiveReadRequest.cs:358, loadNeededAssets",
    }

    MSH014 "bytes" "Asset is empty" {
        about: Mesh,
        effect: Loses,
        message: "The asset holds nothing: {detail}",
        why: "An asset of no bytes, or of zeros, is what a failed write leaves behind. One grid's asset \
              server lost writes for a month, and caches hid it. OpenSim counts an asset of no bytes as \
              failed when it saves an archive, and stores one like any other when it loads it.",
        fix: "Nothing can be shown of it; find the asset in an older export, or replace it.",
        source: "OpenSim, UuidGatherer.cs, GetAssetUuids; ArchiveReadRequest.cs, TryUploadAsset; \
              hypergridbusiness.com, April 2015",
    }

    MSH015 "" "Block's content cannot be understood" {
        about: Mesh,
        effect: Loses,
        message: "Block {within} holds something else than it should: {detail}",
        why: "The block can be inflated, but what is in it is no LLSD, or has another form than the format \
              lays down: a number where a list should be, a face without points. That part of the mesh is \
              left out.",
        engines: [
            "OpenSimulator" => "OpenSim skips a face without points or triangles; an upload with one is \
                refused.",
            "Viewers" => "Viewers refuse a level of detail without faces, and drop the rest of a triangle list \
                that does not come out even, which ubODE reads past.",
        ],
        fix: "The asset is damaged or from a program that does not follow the format; replace it.",
        source: "Second Life wiki, Mesh/Mesh Asset Format; viewer, llvolume.cpp; OpenSim, MeshCost.cs",
    }

    MSH016 "" "Mesh has an oddity" {
        about: Mesh,
        effect: Note,
        message: "The mesh is unusual: {detail}",
        why: "The mesh can be read, and departs from the format where readers are known to differ: a header \
              beyond the first 4,096 bytes, a missing or wrong checksum, keys that stand twice, levels of \
              detail with different numbers of faces.",
        engines: [
            "Viewers" => "Viewers look for the header in the first 4,096 bytes only, refuse a block whose \
                checksum is wrong, and take the first of two equal keys.",
            "OpenSimulator" => "OpenSim does not look at checksums. For a convex block without Min and Max all \
                of them take -0.5 to 0.5: viewers, ubODE, OpenSim's Meshmerizer, LibreMetaverse, \
                node-metaverse, Halcyon, WhiteCore and SilverSim.",
        ],
        fix: "Viewers and engines may read it differently; check it in-world.",
        source: "Viewer, llmeshrepository.cpp, llsdserialize.cpp, llmodel.cpp; OpenSim, Meshmerizer.cs; \
              SilverSim, PhysicsConvexShape.cs, Load",
    }
}

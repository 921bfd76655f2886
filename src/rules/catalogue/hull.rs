//! HUL: the convex hulls of mesh assets.

rules! {
    HUL001 "vertices" "Hull has too many vertices" {
        about: Mesh,
        effect: Changes,
        message: "{detail} has {measured} vertices; the limit is {limit}",
        why: "A valid asset holds a single convex hull with no more than 256 vertices, and as many in each \
              hull of a decomposition. The list of hulls cannot even say more than 256, so a larger one is \
              always a base hull.",
        fix: "Upload the mesh again with a simpler physics shape.",
        source: "Second Life wiki, Mesh/Mesh physics; viewer, llmodelpreview.cpp, TOOMANYVERTSINHULL",
    }

    HUL002 "hulls" "Decomposition has too many hulls" {
        about: Mesh,
        effect: Changes,
        message: "The decomposition has {measured} hulls; the limit is {limit}",
        why: "A decomposition holds up to 256 hulls of up to 256 vertices each.",
        engines: [
            "Viewers" => "The viewer has an error for it that nothing sets, so its uploader does not warn.",
        ],
        fix: "Upload the mesh again with a coarser decomposition.",
        source: "Second Life wiki, Mesh/Mesh physics; viewer, llmodelpreview.cpp, TOOMANYHULLS",
    }

    HUL003 "points" "Hull list and positions disagree" {
        about: Mesh,
        effect: Changes,
        message: "HullList announces {limit} points and Positions holds {measured}: {detail}",
        why: "HullList says how many points each hull takes from Positions. Where the sum is another than \
              the points that are there, what collides is another thing in each program.",
        engines: [
            "All" => "Points missing: viewers read past the end of the list; ubODE ignores the decomposition \
                and uses the base hull.",
            "OpenSimulator" => "OpenSim's Meshmerizer, LibreMetaverse and WhiteCore add points at Min.",
            "Halcyon" => "Halcyon keeps the points that are there; node-metaverse fails; SilverSim fails, and \
                makes hulls of the high level of detail. Points left over: ubODE ignores the whole \
                decomposition, node-metaverse fails, all others ignore the rest.",
            "BulletSim" => "BulletSim collides by Meshmerizer where meshing names it, and else by ubODE's \
                mesher, which is the default.",
        ],
        fix: "Engines read this differently: viewers over-read, ubODE uses the base hull; upload the mesh \
              again.",
        source: "Viewer, llmodel.cpp:1879, Decomposition::fromLLSD; OpenSim, \
              ubOdeMeshing/Meshmerizer.cs:526, Meshing/Meshmerizer/Meshmerizer.cs; LibreMetaverse, \
              MeshFoundry.cs, MeshSubMeshAsConvexHulls; node-metaverse, LLMesh.ts; Halcyon and WhiteCore, \
              Meshmerizer.cs; SilverSim, PhysicsConvexShape.cs, PhysicsShapeManager.cs",
    }

    HUL004 "bytes" "Point list is not whole points" {
        about: Mesh,
        effect: Changes,
        message: "{detail} of {within} holds {measured} bytes, which is not a multiple of 6",
        why: "A point is three numbers of two bytes. A list whose length is no multiple of 6 was cut, or \
              written by a program that does not follow the format.",
        engines: [
            "Viewers" => "Viewers leave the tail out, and so do ubODE in a decomposition, and SilverSim. In a \
                base hull ubODE reads points in steps of 6 bytes without a look at the length, and so past the \
                end.",
            "OpenSimulator" => "OpenSim's Meshmerizer, LibreMetaverse, Halcyon and WhiteCore make a last point \
                of it in a base hull, with 0 for what is missing. node-metaverse fails.",
        ],
        fix: "The tail is read as garbage; upload the mesh again.",
        source: "Second Life wiki, Mesh/Mesh Asset Format; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              GenerateCoordsAndFacesFromPrimMeshData; viewer, llmodel.cpp, Decomposition::fromLLSD; \
              libopenmetaverse, UtilsConversions.cs, BytesToUInt16; node-metaverse, LLMesh.ts, \
              decodeByteDomain3",
    }

    HUL005 "m" "Hull is degenerate" {
        about: Mesh,
        effect: Changes,
        message: "A hull has no inside, because it is {measured} m thick at any scale: {detail}",
        why: "A hull of fewer than four different points, or of points in one plane, has no inside. It \
              happens in practice: among real exports a few dozen meshes have a base hull of three points.",
        engines: [
            "Viewers" => "Viewers keep such a hull: the check is commented out. ubODE makes one triangle of \
                three points, skips a hull of fewer, and drops one whose hull cannot be computed.",
            "OpenSimulator" => "OpenSim's Meshmerizer, LibreMetaverse, node-metaverse, Halcyon, WhiteCore and \
                SilverSim look at no number of points: they keep it.",
            "BulletSim" => "BulletSim collides by Meshmerizer where meshing names it, and else by ubODE's \
                mesher, which is the default.",
        ],
        fix: "What collides then depends on the engine; upload the mesh again with a solid physics shape.",
        source: "Viewer, llmodel.cpp, Decomposition::fromLLSD; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              Meshing/Meshmerizer/Meshmerizer.cs; SilverSim, PhysicsConvexShape.cs, Load",
    }

    HUL006 "hulls" "Hull of 256 points written as 0" {
        about: Mesh,
        effect: Note,
        message: "HullList holds a 0, which means 256 points: {detail}",
        why: "A byte cannot say 256, so the format writes 0 for it. That is legal, and some programs do not \
              know it.",
        engines: [
            "Viewers" => "Viewers, ubODE, OpenSim's Meshmerizer, LibreMetaverse, WhiteCore and SilverSim read \
                256. node-metaverse reads 0 and fails because the sum is wrong.",
            "Halcyon" => "Halcyon reads 0: the points of the hull are missing, and those of the hulls after it \
                are taken from the wrong place.",
            "BulletSim" => "BulletSim collides by Meshmerizer where meshing names it, and else by ubODE's \
                mesher, which is the default.",
        ],
        fix: "Legal, but some programs read it as an empty hull; nothing to do unless one of them must read \
              it.",
        source: "Second Life wiki, Mesh/Mesh physics: \"'0' is special cased to indicate 256 points\"; \
              Halcyon, Meshmerizer.cs, TryExtractConvexSet; node-metaverse, LLMesh.ts",
    }

    HUL007 "" "Domain cannot be decoded" {
        about: Mesh,
        effect: Changes,
        message: "The coordinate domain of {within} is unusable: {detail}",
        why: "Points are stored as fractions of a box, from Min to Max. Where the box is upside down, or its \
              corners are no finite numbers, the points fall together or lie in the wrong place.",
        fix: "Points collapse or lie in the wrong place; upload the mesh again.",
        source: "Second Life wiki, Mesh/Mesh physics: Min and Max; viewer, llmodel.cpp",
    }

    HUL008 "points" "Base hull is missing" {
        about: Mesh,
        effect: Changes,
        message: "The base hull is missing or too small: {detail}",
        why: "Every asset must hold one convex hull around everything. It collides when the shape type is \
              Convex Hull, and when there is no decomposition and the object moves or has a side below 0.5 \
              m. An upload without it is refused, so the asset was made by other means.",
        engines: [
            "ubODE" => "ubODE makes no collision shape of fewer than 3 points, and nothing collides; it needs \
                the base hull for the shape type Convex Hull, and where the mesh has no physics mesh and no \
                decomposition that holds.",
            "OpenSimulator" => "OpenSim's Meshmerizer and WhiteCore never make a shape of it: they take the \
                physics mesh, then the medium and the high level of detail.",
            "Viewers" => "Viewers, LibreMetaverse, node-metaverse and Halcyon keep what is there. SilverSim \
                keeps it too; where there is none it makes hulls of the high level of detail.",
            "BulletSim" => "BulletSim collides by Meshmerizer where meshing names it, and else by ubODE's \
                mesher, which is the default.",
        ],
        fix: "The specification requires it; without one the object may not collide at all. Upload the mesh \
              again.",
        source: "Second Life wiki, Mesh/Mesh physics; OpenSim, BunchOfCaps/MeshCost.cs, \
              ubOdeMeshing/Meshmerizer.cs, ubOde/ODEPrim.cs, CreateGeom; Halcyon, Meshmerizer.cs, \
              TryExtractSingleConvex; SilverSim, PhysicsShapeManager.cs",
    }

    HUL009 "unit cube" "Base hull does not wrap what it should" {
        about: Mesh,
        effect: Changes,
        message: "{detail} sticks out of the base hull by {measured} of the unit cube",
        why: "The base hull wraps the whole of the physical mesh. Where the decomposition or the physics \
              mesh sticks out, the blocks do not belong together, and things collide in one place at rest \
              and in another in motion. A level of detail that is only drawn may stick out: nine in ten base \
              hulls of real exports were made from a coarser source.",
        fix: "The base hull is stale or forged: things collide elsewhere once the object moves. Upload the \
              mesh again.",
        source: "Second Life wiki, Mesh/Mesh physics: Hull \"wraps entire physical mesh\"",
    }

    HUL010 "" "Half a decomposition" {
        about: Mesh,
        effect: Changes,
        message: "The decomposition is incomplete: {detail}",
        why: "A decomposition is two lists, HullList and Positions. A program that asks for both does \
              without it where one is missing, and uses the base hull.",
        engines: [
            "Viewers" => "Viewers and ubODE use the base hull.",
            "OpenSimulator" => "OpenSim's Meshmerizer, LibreMetaverse and WhiteCore ask for HullList only, and \
                put all points of its hulls at Min where Positions is missing. node-metaverse fails there, and \
                ignores Positions without HullList. SilverSim makes hulls of the high level of detail.",
            "BulletSim" => "BulletSim collides by Meshmerizer where meshing names it, and else by ubODE's \
                mesher, which is the default.",
        ],
        fix: "What collides depends on the engine; upload the mesh again.",
        source: "Viewer, llmodel.cpp, Decomposition::fromLLSD; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              Meshing/Meshmerizer/Meshmerizer.cs; node-metaverse, LLMesh.ts; SilverSim, \
              PhysicsConvexShape.cs, Load",
    }
}

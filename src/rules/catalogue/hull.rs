//! HUL: the convex hulls of mesh assets.

rules! {
    HUL001 "vertices" "Hull has too many vertices" {
        about: Mesh,
        effect: Changes,
        message: "{detail} has {measured} vertices; the limit is {limit}",
        why: "In a valid mesh asset the base hull and each hull of the decomposition have at most 256 vertices. A \
              list of hulls cannot state more than 256, so a larger hull is always the base hull.",
        fix: "Upload the mesh again with a simpler physics shape.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model > Physics.",
        source: "Second Life wiki, Mesh/Mesh physics; viewer, llmodelpreview.cpp, TOOMANYVERTSINHULL",
    }

    HUL002 "hulls" "Decomposition has too many hulls" {
        about: Mesh,
        effect: Changes,
        message: "The decomposition has {measured} hulls; the limit is {limit}",
        why: "A decomposition has at most 256 hulls of at most 256 vertices each.",
        engines: [
            "Viewers" => "Have an error message for this that nothing triggers, so the uploader does not warn.",
        ],
        fix: "Upload the mesh again with a coarser decomposition.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model > Physics.",
        source: "Second Life wiki, Mesh/Mesh physics; viewer, llmodelpreview.cpp, TOOMANYHULLS",
    }

    HUL003 "points" "HullList and Positions disagree" {
        about: Mesh,
        effect: Changes,
        message: "HullList announces {limit} points but Positions holds {measured}: {detail}",
        why: "HullList states how many points of Positions each hull takes. If the sum differs from the number of \
              points, each program collides with something else.",
        engines: [
            "Viewers" => "Read past the end of the list if points are missing, and ignore surplus points.",
            "ubODE" => "Ignores the whole decomposition and uses the base hull.",
            "OpenSimulator" => "Meshmerizer adds missing points at Min and ignores surplus points.",
            "Others" => "LibreMetaverse and WhiteCore add missing points at Min and ignore surplus points.",
            "Halcyon" => "Uses the points that are there and ignores surplus points.",
            "node-metaverse" => "Fails.",
            "SilverSim" => "Fails if points are missing, and makes hulls of the high level of detail. Ignores \
                surplus points.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Upload the mesh again.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Viewer, llmodel.cpp:1879, Decomposition::fromLLSD; OpenSim, \
              ubOdeMeshing/Meshmerizer.cs:526, Meshing/Meshmerizer/Meshmerizer.cs; LibreMetaverse, \
              MeshFoundry.cs, MeshSubMeshAsConvexHulls; node-metaverse, LLMesh.ts; Halcyon and WhiteCore, \
              Meshmerizer.cs; SilverSim, PhysicsConvexShape.cs, PhysicsShapeManager.cs",
    }

    HUL004 "bytes" "Point list has partial points" {
        about: Mesh,
        effect: Changes,
        message: "{detail} of {within} holds {measured} bytes, which is not a multiple of 6",
        why: "A point is three numbers of two bytes each. A list of another length was cut, or a program wrote it \
              that does not follow the format.",
        engines: [
            "Viewers" => "Drop the partial point.",
            "ubODE" => "Drops the partial point of a decomposition. Reads a base hull in steps of 6 bytes without \
                checking its length, and so past its end.",
            "OpenSimulator" => "Meshmerizer fills the last point of a base hull with 0.",
            "Others" => "LibreMetaverse, Halcyon and WhiteCore fill the last point of a base hull with 0.",
            "node-metaverse" => "Fails.",
            "SilverSim" => "Drops the partial point.",
        ],
        fix: "Upload the mesh again.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh Asset Format; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              GenerateCoordsAndFacesFromPrimMeshData; viewer, llmodel.cpp, Decomposition::fromLLSD; \
              libopenmetaverse, UtilsConversions.cs, BytesToUInt16; node-metaverse, LLMesh.ts, \
              decodeByteDomain3",
    }

    HUL005 "m" "Hull has no volume" {
        about: Mesh,
        effect: Changes,
        message: "A hull has no volume at any scale: {detail}",
        why: "A hull needs four different points that are not in one plane. What collides otherwise depends on the \
              engine. A few dozen meshes in real exports have a base hull of three points.",
        engines: [
            "Viewers" => "Use such a hull as it is: the check is commented out.",
            "ubODE" => "Skips a hull of fewer than 3 points, and makes one triangle of 3 points. Computes a hull of \
                4 or more points, and drops it if that fails.",
            "OpenSimulator" => "Meshmerizer uses the hull as it is and does not count its points.",
            "Others" => "LibreMetaverse, node-metaverse, Halcyon, WhiteCore and SilverSim use the hull as it is and \
                do not count its points.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Upload the mesh again with a solid physics shape.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model > Physics.",
        source: "Viewer, llmodel.cpp, Decomposition::fromLLSD; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              Meshing/Meshmerizer/Meshmerizer.cs; SilverSim, PhysicsConvexShape.cs, Load",
    }

    HUL006 "hulls" "HullList states 256 points as 0" {
        about: Mesh,
        effect: Note,
        message: "HullList holds a 0, which means 256 points, for {detail}",
        why: "A byte cannot hold 256, so the format writes 0. That is legal, but some programs do not know it.",
        engines: [
            "Viewers" => "Read 256.",
            "ubODE" => "Reads 256.",
            "OpenSimulator" => "Meshmerizer reads 256.",
            "Others" => "LibreMetaverse, WhiteCore and SilverSim read 256.",
            "node-metaverse" => "Reads 0 and fails, because the sum is wrong.",
            "Halcyon" => "Reads 0: it loses the points of this hull, and takes those of later hulls from the wrong \
                place.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Do nothing, unless a program that reads 0 as an empty hull must read the mesh.",
        source: "Second Life wiki, Mesh/Mesh physics: \"'0' is special cased to indicate 256 points\"; \
              Halcyon, Meshmerizer.cs, TryExtractConvexSet; node-metaverse, LLMesh.ts",
    }

    HUL007 "" "Coordinate domain is unusable" {
        about: Mesh,
        effect: Changes,
        message: "The coordinate domain of {within} is unusable: {detail}",
        why: "Points are stored as fractions of a box from Min to Max. If the box is inverted, or a corner is not \
              finite, points collapse or lie in the wrong place.",
        fix: "Upload the mesh again.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh physics: Min and Max; viewer, llmodel.cpp",
    }

    HUL008 "points" "Base hull is missing" {
        about: Mesh,
        effect: Changes,
        message: "The base hull is missing or too small: {detail}",
        why: "Every mesh asset must have one convex hull around everything. The base hull collides for the shape \
              type Convex Hull. Without a decomposition it also collides if the object moves or has a side below 0.5 \
              m. The uploader refuses a mesh without base hull, so another program made this asset.",
        engines: [
            "ubODE" => "Makes no collision shape of fewer than 3 points, and avatars fall through. Uses the base \
                hull for Convex Hull, and for a mesh without physics mesh and usable decomposition.",
            "OpenSimulator" => "Meshmerizer never uses the base hull. It takes the physics mesh, then the medium and \
                the high level of detail.",
            "WhiteCore" => "Never uses the base hull. It takes the physics mesh, then the medium and the high level \
                of detail.",
            "Viewers" => "Use what is there.",
            "Others" => "LibreMetaverse, node-metaverse and Halcyon use what is there.",
            "SilverSim" => "Uses what is there. Without a base hull it makes hulls of the high level of detail.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Upload the mesh again: without a base hull the object may not collide at all.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh physics; OpenSim, BunchOfCaps/MeshCost.cs, \
              ubOdeMeshing/Meshmerizer.cs, ubOde/ODEPrim.cs, CreateGeom; Halcyon, Meshmerizer.cs, \
              TryExtractSingleConvex; SilverSim, PhysicsShapeManager.cs",
    }

    HUL009 "m" "Base hull does not enclose the rest" {
        about: Mesh,
        effect: Changes,
        message: "{detail}",
        why: "The base hull must enclose the decomposition and the physics mesh. If it does not, the blocks do not \
              belong together. The object then collides in one place at rest and in another in motion. Levels of \
              detail may extend beyond it: nine in ten real base hulls came from a coarser source. The distance is \
              that at the largest scale in use. Below 1 cm it is information.",
        fix: "Upload the mesh again: its base hull was not made from this mesh.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Second Life wiki, Mesh/Mesh physics: Hull \"wraps entire physical mesh\"",
    }

    HUL010 "" "Decomposition is incomplete" {
        about: Mesh,
        effect: Changes,
        message: "The decomposition is incomplete: {detail}",
        why: "A decomposition has two lists, HullList and Positions. Programs that need both use the base hull if \
              one is missing. What collides depends on the engine.",
        engines: [
            "Viewers" => "Use the base hull.",
            "ubODE" => "Uses the base hull.",
            "OpenSimulator" => "Meshmerizer needs only HullList. Without Positions it puts all points at Min.",
            "Others" => "LibreMetaverse and WhiteCore need only HullList. Without Positions they put all points at \
                Min.",
            "node-metaverse" => "Fails without Positions, and ignores Positions without HullList.",
            "SilverSim" => "Makes hulls of the high level of detail.",
            "BulletSim" => "Collides by Meshmerizer if the setting `meshing` names it, otherwise by ubODE's mesher, \
                the default.",
        ],
        fix: "Upload the mesh again.",
        fix_owner: "Upload the mesh again if you made it, or ask its creator to. In the viewer: Build > Upload > \
              Model.",
        source: "Viewer, llmodel.cpp, Decomposition::fromLLSD; OpenSim, ubOdeMeshing/Meshmerizer.cs, \
              Meshing/Meshmerizer/Meshmerizer.cs; node-metaverse, LLMesh.ts; SilverSim, \
              PhysicsConvexShape.cs, Load",
    }
}

//! MDL: models before their upload. `decoding::model` reports them.

rules! {
    MDL001 "" "Model cannot be uploaded" {
        about: Entry,
        effect: Note,
        message: "The model cannot be read: {detail}",
        why: "The uploader stops at such a file, or leaves the part out without its name. Its costs are not evaluated.",
        engines: [
            "Second Life viewer" => "Reads glTF 2.0 and COLLADA. Refuses a file that requires an extension other than \
                                     KHR_materials_unlit and KHR_texture_transform.",
        ],
        fix: "Export the model again: triangles only, without compression (Draco, meshopt), with all its files in one \
              folder.",
        source: "Second Life viewer 7.2, llgltfloader.cpp, OpenFile; gltf/asset.cpp, prep",
    }

    MDL002 "" "Level of detail does not fit the model" {
        about: Entry,
        effect: Note,
        message: "{within} does not fit its part: {detail}",
        why: "The uploader joins levels to parts by the names of nodes. A level may use only materials of the highest \
              level. Otherwise it shows an error without the part, and the upload stays disabled.",
        fix: "Name the node like its part with the suffix of the level, and use the materials of the highest level.",
        source: "Second Life viewer 7.2, llmodelpreview.cpp, rebuildUploadData; llmodel.cpp, matchMaterialOrder",
    }

    MDL003 "levels" "Levels of detail are in one file" {
        about: Entry,
        effect: Note,
        message: "The uploader takes {measured} levels or physics models for parts: they are in the file of the model",
        why: "The uploader reads each level from a file of its own. Next to chair.glb it looks for chair_LOD2.glb, \
              chair_LOD1.glb, chair_LOD0.glb and chair_PHYS.glb. In one file, each node becomes a \
              visible part of the linkset. The costs here are those of the levels that the names mean.",
        fix: "Export each level into a file of its own, with its suffix before the extension.",
        source: "Second Life viewer 7.2, llmodelpreview.cpp, lookupLODModelFiles; llgltfloader.cpp, parseMeshes",
    }

    MDL004 "times" "Level of detail is stretched" {
        about: Entry,
        effect: Note,
        message: "The uploader stretches {within} {measured} times along one side, into the box of the highest level",
        why: "The uploader scales each level and the physics model to the box of the highest level. A physics model of \
              a table without its legs is stretched to the floor, and a level without an antenna grows.",
        fix: "Give each level and the physics model the same box as the highest level. A tiny triangle at a far corner \
              is enough.",
        source: "Second Life viewer 7.2, llmodel.cpp, normalizeVolumeFacesAndWeights",
    }

    MDL005 "" "Model becomes several meshes or faces" {
        about: Entry,
        effect: Note,
        message: "The upload splits the part: {detail}",
        why: "A mesh has at most 8 faces, and a face at most 65,535 vertices. The uploader makes further meshes or \
              faces. Each further mesh is one more prim of the linkset, and has the physics shape None.",
        fix: "Join materials, or split the part yourself along a better line.",
        source: "Second Life viewer 7.2, llgltfloader.cpp, addModelToScene, populateModelFromMesh",
    }

    MDL006 "joints" "Joints are dropped" {
        about: Entry,
        effect: Note,
        message: "{measured} of {limit} joints are no joints of an avatar and are dropped: {detail}",
        why: "Viewers know the joints of the avatar alone. The uploader drops the weights of all others. A vertex that \
              follows only such joints does not move.",
        fix: "Rig the model to the joints of the avatar, with their exact names (mPelvis, mTorso …).",
        source: "Second Life viewer 7.2, llgltfloader.cpp, populateJointsFromSkin; avatar_skeleton.xml",
    }

    MDL007 "" "Physics model cannot become hulls" {
        about: Entry,
        effect: Note,
        message: "The physics model stays a triangle mesh: {detail}",
        why: "Analyze makes a hull of each piece. A piece must be closed, and a hull has at most 256 vertices. A \
              triangle mesh costs more the smaller the part is, and does not collide as such in motion.",
        fix: "Build the physics model of closed convex pieces with few vertices, for example boxes.",
        source: "*Mesh/Mesh physics*; Second Life viewer 7.2, llconvexdecompositionvhacd.cpp",
    }

    MDL008 "" "Upload changes the model" {
        about: Entry,
        effect: Note,
        message: "The upload changes the model: {detail}",
        why: "A mesh asset holds triangles, normals, one set of texture coordinates and weights. Everything else is \
              lost without notice.",
        fix: "Apply the change in your program before the export, and look at the result.",
        source: "Second Life viewer 7.2, llgltfloader.cpp; llmodel.cpp, writeModel",
    }
}

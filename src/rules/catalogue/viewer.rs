//! VWR: content that viewers' files lack.

rules! {
    VWR001 "prims" "Placeholders of meshes" {
        about: Object,
        effect: Loses,
        message: "The export has boxes in the place of other parts: {detail}",
        why: "Firestorm exports no mesh. In Second Life it writes a plain box for each mesh, and for each prim that may \
              not be exported. The box has the place and the size of the part, but neither its form nor its name. So \
              its costs, and the sums with them, are not evaluated.",
        engines: [
            "Firestorm" => "Imports the boxes. In OpenSimulator it does not export an object with a mesh at all.",
        ],
        fix: "Take the object from an archive (OAR, IAR) or from a database, which have the mesh.",
        fix_owner: "Export again with the creator of these parts, or keep the object in the inventory as its backup.",
        source: "Firestorm, fsfloaterexport.cpp, addPrim; fsexportperms.cpp",
    }

    VWR002 "meshes" "Meshes in a viewer's cache have holes" {
        about: Archive,
        effect: Note,
        message: "Meshes in the viewer's cache lack blocks: {detail}",
        why: "A viewer fetches the blocks of a mesh when it needs them: levels of detail by distance, and hulls for its \
              display of physics. The physics mesh is mostly never kept. Costs that need these blocks are not \
              evaluated. The blocks are neither missing in the mesh nor damaged.",
        fix: "Use the mesh of an archive, a database or a store of assets for its costs.",
        source: "Second Life viewer, llmeshrepository.cpp, write_preamble",
    }
}

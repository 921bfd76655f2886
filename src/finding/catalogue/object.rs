//! OBJ: the XML of objects. What a loader makes of it, or does not.

family! {
    "OBJ" "Objects"

    OBJ001 Blocker "" "Object cannot be read" {
        message: "The object's XML cannot be read: {detail}",
        why: "When OpenSim loads a region it first removes what stands there. An object whose XML is not \
              well-formed, or holds no part, then makes the load of the whole region give up: one broken \
              object costs all that come after it.",
        engines: "",
        fix: "OpenSim gives up the load of the whole region at such an object; take it out of the archive or \
              mend it.",
        source: "OpenSim, ArchiveReadRequest.cs, SceneObjectSerializer.cs",
    }

    OBJ002 Blocker "" "Object is not clean text" {
        message: "The object's XML is not clean text: {detail}",
        why: "Bytes that are no UTF-8, characters that XML forbids, and document types (DTD) make an XML \
              reader refuse the document. The load of the region then ends as for an object that cannot be \
              read (OBJ001).",
        engines: "",
        fix: "Export the object again, or remove the characters that XML does not allow.",
        source: "XML 1.0, section 2.2; OpenSim, SceneObjectSerializer.cs",
    }

    OBJ003 Warning "parts" "Part without a UUID" {
        message: "{measured} parts have a UUID of zeros, or none: {detail}",
        why: "OpenSim refuses an object whose UUID is zero (\"Tried to add scene object … with Zero UUID\"). When an \
              archive is loaded in the usual way every object gets a new UUID first, so it arrives; where UUIDs are \
              kept, as in a merge or a copy of the database, it is lost.",
        engines: "",
        fix: "Load the archive without --merge, or give the part a UUID of its own in its XML.",
        source: "OpenSim, SceneGraph.cs:449",
    }

    OBJ004 Warning "parts" "UUID is in the region twice" {
        message: "{measured} parts have UUIDs of parts before them in this archive: {detail}",
        why: "A UUID may stand in a region once. When UUIDs are kept, as in a merge or a copy of the database, one of \
              the two objects replaces the other or is skipped.",
        engines: "OpenSim gives objects new UUIDs when it loads an archive, unless the archive is merged.",
        fix: "Load the archive without --merge. If the two are copies of one object, delete one.",
        source: "OpenSim, ArchiveReadRequest.cs; hyperweb.eu, on copies of regions",
    }

    OBJ005 Warning "objects" "Objects stand inside each other" {
        message: "{measured} objects of one look stand at one place: {detail}",
        why: "Objects of the same name, form, size and rotation at the same place look like one. Mostly they are \
              ghosts: copies that a merged archive, a script or a failed delete left behind. Each costs its land \
              impact, and collides. Operators hunt them with scripts that delete by console command, which is \
              dangerous where the wrong one goes.",
        engines: "",
        fix: "Look at the place in-world and delete all but one, if they are not meant to be there.",
        source: "opensimworld.com, post 126913",
    }

    OBJ006 Error "" "Field cannot be read" {
        message: "A field is missing or cannot be read: {detail}",
        why: "Form, size, place or rotation of a part is missing or makes no sense. A default is put in its \
              place, so the object loads and is not what it was. A decimal comma, written on a server of \
              another culture, is one cause.",
        engines: "OpenSim only logs errors inside Shape and keeps the default; an error in another field \
                  fails the part, and with it the object.",
        fix: "A default is applied silently when the object is loaded; check the object in-world.",
        source: "OpenSim, SceneObjectSerializer.cs",
    }

    OBJ007 Error "characters" "State cannot be restored" {
        message: "What the object was doing cannot be restored whole: {detail}",
        why: "Motion along a path, the states of scripts and the data of a linkset are packed into the object's XML. \
              Packed wrongly, for no script of the object, or longer than the object itself allows, they are lost when \
              the object is loaded.",
        engines: "OpenSim gives up an object whose KeyframeMotion is damaged, with the load of the whole region \
                  (OBJ001). A damaged script state only makes its script start anew; linkset data over the limit is \
                  cut.",
        fix: "Export the object again, or take the element out.",
        source: "OpenSim, SceneObjectSerializer.cs, KeyframeMotion.cs, LinksetData.cs",
    }

    OBJ008 Info "objects" "File names differ from what is in them" {
        message: "The names of {measured} object files have another UUID or place than the object: {detail}",
        why: "OpenSim writes an object's name, place and UUID into the name of its file, and reads none of them again. \
              Where the two differ somebody changed the archive by hand or with a program.",
        engines: "",
        fix: "Nothing is wrong if the change was meant; the content of the file counts.",
        source: "OpenSim, ArchiveConstants.cs",
    }

    OBJ009 Error "uses" "Nested object is missing" {
        message: "An object in contents is not in this export: {detail}",
        why: "An object in the contents of another is an asset of its own. Where it did not come along, the \
              item stays in the list and cannot be rezzed. When InWorldz closed its owners were warned: \
              \"objects/boxes inside objects/boxes probably won't make it\".",
        engines: "",
        fix: "What was inside is lost; export it on its own.",
        source: "OpenSim, UuidGatherer.cs; InWorldz, Schedule of OARs",
    }

    OBJ010 Warning "" "Link numbers are out of order" {
        message: "The link numbers are not 1 to N: {detail}",
        why: "Link numbers decide which part is the root and in which order the others follow. Where they \
              have gaps or stand twice, parts may change places on loading, and scripts that speak to a link \
              by its number reach another one.",
        engines: "OpenSim takes the first part of the document as the root, and gives a part without number \
                  the place at which it stands.",
        fix: "After loading another part may become the root; relink the object and export again.",
        source: "OpenSim, SceneObjectSerializer.cs, SceneObjectGroup.cs",
    }

    OBJ011 Info "attach point" "Attachment stands in the region" {
        message: "The object says that it is worn, at the attach point {measured}, and stands in the region",
        why: "The state of a prim holds the attach point at which it is worn. In an object of a region it is a remnant, \
              or an attachment was saved with the region.",
        engines: "OpenSim does not move an attachment back into the region where its place is outside.",
        fix: "Look whether it stands where it should; take it and rez it again to be rid of the attach point.",
        source: "OpenSim, SceneObjectGroup.cs; SceneObjectSerializer.cs",
    }
}

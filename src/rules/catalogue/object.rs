//! OBJ: the XML of objects. What a loader makes of it, or does not.

rules! {
    OBJ001 "" "Object cannot be read" {
        about: Object,
        effect: Stops,
        message: "The object's XML cannot be read: {detail}",
        why: "OpenSim reads an archive to its end, removes what stands in the region, and then loads parcels \
              and objects. At an object whose XML is not well-formed, or holds no part, it gives up the \
              load: the objects before it stand there with scripts that were never started, all that come \
              after it are missing, and so are the regions that follow in the archive.",
        fix: "OpenSim gives up the load of the whole region at such an object; take it out of the archive or \
              mend it.",
        source: "OpenSim, ArchiveReadRequest.cs, DearchiveRegion and LoadObjects; SceneObjectSerializer.cs, \
              FromXml2Format",
    }

    OBJ002 "" "Object is not clean text" {
        about: Object,
        effect: Stops,
        message: "The object's XML is not clean text: {detail}",
        why: "Characters that XML forbids make an XML reader refuse the document, and the load of the region \
              ends as at an object that cannot be read (OBJ001). A byte order mark and UTF-16 come from editors: OpenSim reads objects as UTF-8 and keeps the mark, and its XML reader refuses \
              what stands before the root element.",
        engines: [
            "OpenSimulator" => "OpenSim puts a replacement character in the place of bytes that are no UTF-8, \
                passes over a document type (DTD), and loads the object (OBJ006).",
        ],
        fix: "Export the object again, or remove the characters that XML does not allow.",
        source: "XML 1.0, section 2.2; OpenSim, ArchiveReadRequest.cs, DearchiveRegion; \
              SceneObjectSerializer.cs, FromXml2Format",
    }

    OBJ003 "parts" "Part without a UUID" {
        about: Object,
        effect: Changes,
        message: "{measured} parts have a UUID of zeros, or none: {detail}",
        why: "An object with one such part arrives, because loading gives every part a new UUID. Two of them in \
              one object have the same UUID, zero, which OBJ015 tells. From a database, or from objects that are \
              loaded as XML, an object whose UUID is zero is refused: \"Tried to add scene object … with Zero \
              UUID\".",
        fix: "Give each part a UUID of its own in the XML.",
        source: "OpenSim, SceneGraph.cs:449, AddSceneObject; SceneObjectGroup.cs, ResetIDs",
    }

    OBJ004 "parts" "UUID is in the region twice" {
        about: Standing,
        effect: Changes,
        message: "{measured} parts have UUIDs of parts of other objects before them in this archive: {detail}",
        why: "A UUID may stand in a region once. Two objects with one UUID both arrive from an archive, with new \
              ones; in a copy of the database one of them is refused. Two parts of one object with the same UUID \
              are another matter (OBJ015).",
        engines: [
            "OpenSimulator" => "OpenSim gives every part a new UUID when it loads an archive, with --merge too: \
                that only looks first whether the region has the old UUID already, and skips the object, or \
                replaces it with --mergeReplaceObjects.",
        ],
        fix: "If the two are copies of one object, delete one.",
        source: "OpenSim, ArchiveReadRequest.cs, LoadObjects; SceneGraph.cs, AddSceneObject; hyperweb.eu, on \
              copies of regions",
    }

    OBJ005 "objects" "Objects stand inside each other" {
        about: Standing,
        effect: Note,
        message: "{measured} objects of one look stand at one place: {detail}",
        why: "Objects of the same name, form, size and rotation at the same place look like one. Mostly they are \
              ghosts: copies that a merged archive, a script or a failed delete left behind. Each costs its land \
              impact, and collides. Operators hunt them with scripts that delete by console command, which is \
              dangerous where the wrong one goes.",
        fix: "Look at the place in-world and delete all but one, if they are not meant to be there.",
        source: "opensimworld.com, post 126913",
    }

    OBJ006 "" "Field has a default" {
        about: Object,
        effect: Changes,
        message: "A field is missing or cannot be read, and a default stands in for it: {detail}",
        why: "Form, size, place or rotation of a part is missing, or a field makes no sense. The object loads and \
              is not what it was.",
        engines: [
            "All" => "At an element inside a value of Shape, and at the tenth broken field there, OpenSim takes \
                the end of that value for the end of the part, and does not read what stands behind it. It \
                only logs what it cannot read inside Shape, in contents and in SOPAnims, and keeps the \
                default. It takes a text that is no UUID for zero, one that is no truth value for false, and a \
                missing number of a rotation for 0. Over other fields that it cannot read it gives up the \
                object (OBJ014).",
        ],
        fix: "Mend the field in the XML, and check the object in-world after loading.",
        source: "OpenSim, SceneObjectSerializer.cs, ReadShape and ReadTaskInventory; Util.cs, ReadUUID, ReadBoolean \
              and ReadQuaternion",
    }

    OBJ007 "" "State stops the load" {
        about: Object,
        effect: Stops,
        message: "What the object was doing is packed so that the object cannot be loaded: {detail}",
        why: "Motion along a path and the states of scripts are packed into the object's XML. Where KeyframeMotion is \
              no base64, or where the UUID of a script state is no UUID, OpenSim gives up the object, and with \
              it the load of the region, as at an object that cannot be read (OBJ001).",
        engines: [
            "All" => "In objects of inventories OpenSim passes over a script state whose UUID it cannot read.",
        ],
        fix: "Export the object again, or take the element out.",
        source: "OpenSim, SceneObjectSerializer.cs, FromXml2Format; SceneObjectGroup.cs, LoadScriptState; \
              OpenMetaverse, UUID.cs",
    }

    OBJ008 "objects" "File names differ from what is in them" {
        about: Archive,
        effect: Note,
        message: "The names of {measured} object files have another UUID or place than the object: {detail}",
        why: "OpenSim writes an object's name, place and UUID into the name of its file, and reads none of them again. \
              Where the two differ somebody changed the archive by hand or with a program.",
        fix: "Nothing is wrong if the change was meant; the content of the file counts.",
        source: "OpenSim, ArchiveReadRequest.cs, DearchiveRegion; ArchiveHelpers.cs",
    }

    OBJ009 "uses" "Nested object is missing" {
        about: Asset,
        effect: Loses,
        message: "An object in contents or in an inventory is not in this export: {detail}",
        why: "An object in the contents of another, or in an inventory, is an asset of its own. Where it did not come \
              along, the item stays in the list and cannot be rezzed. When InWorldz closed its owners were warned: \
              \"objects/boxes inside objects/boxes probably won't make it\".",
        fix: "What was inside is lost; export it on its own.",
        source: "OpenSim, UuidGatherer.cs; InWorldz, Schedule of OARs",
    }

    OBJ010 "" "Link numbers are out of order" {
        about: Object,
        effect: Changes,
        message: "The link numbers are not 1 to N: {detail}",
        why: "Link numbers decide which part is the root and in which order the others follow. Where they \
              have gaps or stand twice, parts may change places on loading, and scripts that speak to a link \
              by its number reach another one.",
        engines: [
            "OpenSimulator" => "OpenSim takes the first part of the document as the root, and gives a part \
                without number the place at which it stands.",
        ],
        fix: "After loading another part may become the root; relink the object and export again.",
        source: "OpenSim, SceneObjectSerializer.cs, FromXml2Format; SceneObjectGroup.cs, SetRootPart and \
              AddPart",
    }

    OBJ011 "attach point" "Attachment stands in the region" {
        about: Standing,
        effect: Changes,
        message: "The object says that it is worn, at the attach point {measured}, and stands in the region",
        why: "The state of a prim holds the attach point at which it is worn. In an object of a region it is a remnant, \
              or an attachment was saved with the region.",
        engines: [
            "All" => "A load by RemoteAdmin does not move an attachment back into the region where its place is \
                outside. From the console it is lost there, as any object (POS002).",
        ],
        fix: "Look whether it stands where it should; take it and rez it again to be rid of the attach point.",
        source: "OpenSim, SceneGraph.cs, AddRestoredSceneObject; SceneObjectGroup.cs, AttachmentPoint",
    }

    OBJ012 "levels" "Objects lie deep in contents" {
        about: Object,
        effect: Note,
        message: "Objects lie {measured} levels deep in the contents of objects, and from {limit} on they are at risk: {detail}",
        why: "Each level is an asset of its own, which only the level above names. What is copied by hand, or by a tool \
              that looks into the contents of what stands there and no further, loses what lies deeper. When \
              InWorldz closed its owners were warned of just that.",
        engines: [
            "OpenSimulator" => "OpenSim follows the contents to any depth when it saves an archive, as long as \
                every asset on the way can be fetched.",
        ],
        fix: "Rez what lies inside and export it beside the box, or look after the move whether all of it is there.",
        source: "OpenSim, UuidGatherer.cs; InWorldz, Schedule of OARs",
    }

    OBJ013 "characters" "State is lost" {
        about: Object,
        effect: Loses,
        message: "What the object was doing cannot be restored whole: {detail}",
        why: "The object arrives, and a part of what scripts kept in it does not. Linkset data that cannot be decoded \
              are dropped, those over the limit are cut, and a script whose state names no item starts anew.",
        engines: [
            "OpenSimulator" => "OpenSim drops a motion along a path that it cannot decode, too; only .NET can \
                tell which, and from version 9 on it decodes none.",
        ],
        fix: "Export the object again; let the scripts write their data anew after the move.",
        source: "OpenSim, LinksetData.cs, FromXML and FromBin; SceneObjectGroup.cs, LoadScriptState; \
              KeyframeMotion.cs, FromData",
    }

    OBJ014 "" "Field stops the load" {
        about: Object,
        effect: Stops,
        message: "A field makes OpenSim give up the object: {detail}",
        why: "A field of a part cannot be read, or a part has no Shape. OpenSim then gives up the object, and with it the \
              load of the region, as at an object that cannot be read (OBJ001). The region is cleared already. A load may \
              take 60 s at full CPU before it stops. A decimal comma, written on a server of another culture, is one cause.",
        engines: [
            "OpenSimulator" => "OpenSim gives up a part at a number, vector, mask or flag that it cannot read, \
                at a colour that lacks a channel or is outside of 0 to 255, and at an element inside a text. A \
                comment inside a vector, and an empty tag where a UUID or a truth value is expected, have the \
                same effect. Broken fields inside Shape and in contents get a default (OBJ006).",
        ],
        fix: "Mend the field in the XML.",
        source: "OpenSim, SceneObjectSerializer.cs, Xml2ToSOP; ExternalRepresentationUtils.cs, \
              ExecuteReadProcessors; Util.cs, ReadVector, ReadQuaternion and ReadEnum; SceneObjectGroup.cs, \
              IsAttachment",
    }

    OBJ015 "" "UUID is in an object twice" {
        about: Standing,
        effect: Stops,
        message: "UUIDs are in one object twice: {detail}",
        why: "OpenSim keeps the parts of an object, and the contents of a part, by their UUIDs, and takes each \
              once. At a second it gives up the object, and with it the load of the region, as at an object \
              that cannot be read (OBJ001). Parts or items without a UUID have the same one, zero.",
        engines: [
            "All" => "Of a file in an archive OpenSim makes one object, also where several stand in it, as in \
                what `save xml2` writes.",
        ],
        fix: "Give the parts or the items UUIDs of their own in the XML.",
        source: "OpenSim, SceneObjectGroup.cs, AddPart; MapAndArray.cs, Add; SceneObjectSerializer.cs, \
              ReadTaskInventory",
    }

    OBJ016 "" "Object hangs the simulator" {
        about: Object,
        effect: Stops,
        message: "OpenSim reads a field of the object for ever: {detail}",
        why: "The loader asks for the parts of a rotation until its element ends, and at anything that is no X, Y, Z \
              or W it asks again without reading on. It never returns: one processor is at full load, the console \
              command does not end, and the region is empty. The simulator has to be ended from outside, and with it \
              all of its regions.",
        engines: [
            "All" => "RotationOffset, SitTargetOrientation and SitTargetOrientationLL are read this way. An \
                empty tag, another element, a text or a comment in one of them is enough. Objects in contents \
                are read the same way.",
        ],
        fix: "Take the object out of the archive, or mend the field in the XML, before anybody loads it.",
        source: "OpenSim, Util.cs, ReadQuaternion; SceneObjectSerializer.cs, Xml2ToSOP; measured with 0.9.2.2",
    }
}

//! OWN: to whom things belong.

rules! {
    OWN001 "people" "Owner or creator is unknown to the target" {
        about: Archive,
        effect: Changes,
        message: "{measured} of {limit} owners, creators and groups are not in the list of users: {detail}",
        why: "An archive names people and groups by UUID only. Whom the target does not know cannot own anything \
              there: the objects and parcels go to somebody else, who may then change and take them, and whose rights \
              their scripts have. Whoever comes back later finds nothing of their own.",
        engines: [
            "OpenSimulator" => "OpenSim asks its user service for each owner, last owner and creator of parts \
                and of what is in them. An owner that is neither a user nor a group becomes the default user: \
                the owner of the estate, or the one of --default-user. That holds for every object, and for \
                what is in it. A creator without CreatorData, as in old exports, becomes the default user too; \
                one with it is kept. An unknown group is cleared. A parcel goes to the owner of the estate, \
                and its list of access loses whom nobody knows. What is loaded from an inventory archive \
                belongs to whoever loads it.",
        ],
        fix: "Create the accounts on the target with these UUIDs before loading, or choose with --default-user who gets \
              the objects. If the target has these groups add their UUIDs to the list.",
        source: "OpenSim, ArchiveReadRequest.cs:791-845, ModifySceneObject; :945-975, LoadParcels; :1012, \
                 ResolveUserUuid",
    }

    OWN002 "objects" "Content of others that is not free" {
        about: Archive,
        effect: Note,
        message: "{measured} objects hold parts of other creators that may not be copied or given away: {detail}",
        why: "An export is a copy. Content that was bought without permission to copy or to give it away is not \
              its owner's to take to another grid, whatever the file holds.",
        engines: [
            "OpenSimulator" => "OpenSim leaves out objects that their owner may not copy or give away only \
                where the archive was saved with --perm=CT, and looks at the base mask as this rule does. \
                Loading takes them as they are. Neither looks at OpenSim's permission to export.",
        ],
        fix: "Ask the creators, or save the archive again with --perm=CT, which leaves such objects out.",
        source: "OpenSim, ArchiveWriteRequest.cs:363, CanUserArchiveObject",
    }

    OWN003 "objects" "Object without owner" {
        about: Archive,
        effect: Changes,
        message: "{measured} objects belong to nobody: {detail}",
        why: "The zero UUID is no person. Nobody can move, take or delete such an object but by the rights of the \
              estate, and its scripts run for nobody.",
        engines: [
            "OpenSimulator" => "OpenSim gives what it loads from an archive, merged or not, to the owner of the \
                estate where it does not know the owner, or to the one that --default-user names; in a \
                database the object stays without.",
        ],
        fix: "Set an owner in the region and export again, or load the archive with --default-user.",
        source: "OpenSim, ArchiveReadRequest.cs, ModifySceneObject",
    }
}

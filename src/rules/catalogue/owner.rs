//! OWN: owners and permissions.

rules! {
    OWN001 "people" "Users unknown to the target" {
        about: Archive,
        effect: Changes,
        message: "The list of users lacks {measured} of {limit} owners, creators and groups: {detail}",
        why: "An archive names people and groups by UUID only. Objects and parcels of unknown owners go to another \
              person, who may change and take them, and whose rights their scripts get. The real owners find nothing \
              when they return.",
        engines: [
            "OpenSimulator" => "Looks up each owner, last owner and creator of prims and of their inventories. An \
                owner that is neither a user nor a group becomes the default user: the estate owner, or the user of \
                --default-user. A creator without CreatorData, as in old exports, becomes the default user too; one \
                with CreatorData remains. An unknown group is cleared. A parcel goes to the estate owner, and its \
                access list loses unknown users. Content of an inventory archive belongs to the user who loads it.",
        ],
        fix: "Create the accounts with these UUIDs on the target before you load, or choose the new owner with \
              --default-user. If the target has these groups, add their UUIDs to the list.",
        source: "OpenSim, ArchiveReadRequest.cs:791-845, ModifySceneObject; :945-975, LoadParcels; :1012, \
              ResolveUserUuid",
    }

    OWN002 "objects" "Restricted content of other creators" {
        about: Archive,
        effect: Note,
        message: "Prims of other creators are no-copy or no-transfer in {detail}",
        why: "An export is a copy. The owner of no-copy or no-transfer content has no right to take it to another \
              grid.",
        engines: [
            "OpenSimulator" => "Leaves out such objects only if the archive is saved with --perm=CT, by the base \
                mask that this rule checks too. Loads them without a check. Ignores its own export permission, as \
                this rule does.",
        ],
        fix: "Ask the creators, or save the archive again with --perm=CT, which leaves such objects out.",
        fix_owner: "Ask the creators for permission, or remove their prims from the object.",
        source: "OpenSim, ArchiveWriteRequest.cs:363, CanUserArchiveObject",
    }

    OWN003 "objects" "Object without owner" {
        about: Archive,
        effect: Changes,
        message: "No owner is set for {detail}",
        why: "Only estate rights can move, take or delete an object whose owner is the zero UUID. Its scripts run \
              without an owner.",
        engines: [
            "OpenSimulator" => "Gives loaded objects of unknown owners, merged or not, to the estate owner or to the \
                user of --default-user. In a database the object remains without owner.",
        ],
        fix: "Set an owner in the region and export again, or load the archive with --default-user.",
        source: "OpenSim, ArchiveReadRequest.cs, ModifySceneObject",
    }
}

# Words of letters to owners. Names of menus and tabs are those of the viewer in this language.
# A cure has a step on each line. All languages have the same keys and placeholders; a test checks it.

-features = Features
-shape = Physics Shape Type

title = Your objects: what to repair, and how
title-grid = Your objects on { $grid }: what to repair, and how
address = For { $name }
address-unknown = For the owner of these objects
intro = We checked your objects for { $target }.
have = You own { $objects ->
        [one] { $objects } object
       *[other] { $objects } objects
    } with { $prims ->
        [one] { $prims } prim
       *[other] { $prims } prims
    } in regions. { $objects ->
        [one] Its
       *[other] Their
    } land impact is { $bound ->
        [lower] at least { $impact }
       *[exact] { $impact }
    }.
elsewhere = { $objects ->
        [one] { $objects } object is in inventories or files.
       *[other] { $objects } objects are in inventories or files.
    }
land-impact-used = Your land carries a land impact of { $used }; it has room for { $capacity }.
land-prims-used = Your land carries { $used } prims; it has room for { $capacity }.
attention = { $things ->
        [one] { $things } object or parcel needs your attention.
       *[other] { $things } objects and parcels need your attention.
    }
incomplete = Not all exports were fully read, so there may be more to repair.
help-most = What helps most
action = { $words } ({ $name }, { $place }). Land impact falls from { $before } to { $after }.
action-links = { $count ->
        [one] link number { $links }
       *[other] link numbers { $links }
    }
action-objects = in { $count } objects
action-more-places = { $more ->
        [one] { $place } and at { $more } more place
       *[other] { $place } and at { $more } more places
    }
action-closes-openings = Openings in it are then closed to avatars: if people walk through it, ask its creator for a physics shape of boxes instead.
action-convex-hull = { $edits ->
        [one] Set { $edits } prim to Convex Hull
       *[other] Set { $edits } prims to Convex Hull
    }
action-shape-none = { $edits ->
        [one] Set { $edits } prim to the physics shape None
       *[other] Set { $edits } prims to the physics shape None
    }
action-coarser-levels = { $edits ->
        [one] Upload { $edits } mesh again with simpler lower levels of detail
       *[other] Upload { $edits } meshes again with simpler lower levels of detail
    }
action-remove-copy = { $edits ->
        [one] Delete the copy of this object at the same position
       *[other] Delete { $edits } copies of this object at the same position
    }
action-link = { $edits ->
        [one] Link { $edits } object to another
       *[other] Link { $edits } objects into one
    }
broken = Problems, and how to repair them
how-to = How to do it:
urgent = urgent
important = important
recommended = recommended
quoted = “{ $name }”
times = { $count } × { $name }
unnamed = unnamed object
parcel = parcel { $name }
parcel-unnamed = unnamed parcel
region = region { $name }
inventory = inventory
place = region { $region } at { $positions }
in-region = region { $region }
in-file = file { $file }
in-inventory = in an inventory
in-inventory-at = in an inventory: { $path }
more-places = { $count ->
        [one] and at { $count } more place
       *[other] and at { $count } more places
    }
more-objects = { $count ->
        [one] and { $count } more object
       *[other] and { $count } more objects
    }
more-cures = { $count ->
        [one] When these are repaired, there is { $count } more kind of repair for a later letter.
       *[other] When these are repaired, there are { $count } more kinds of repair for a later letter.
    }
unchanged = We changed nothing.
ask = If you have questions, ask { $contact }.
ask-operator = If you have questions, ask the operators of your grid.
deadline = Please finish by { $date }.

problem-land-full = The land carries more land impact than it has room for.
    .amount = land impact { $measured } of { $limit } ({ $percent } %)
problem-land-prims = The land carries more prims than it has room for.
    .amount = { $measured } of { $limit } prims ({ $percent } %)
problem-too-heavy-to-move = The object is physical, but its physics weight is too high for that.
    .amount = physics weight { $measured }, at most { $limit } allowed
problem-object-too-heavy = The object has more land impact than one object may have here.
    .amount = land impact { $measured }, at most { $limit } allowed
problem-thin-triangles = The shape of a mesh for collisions is badly made and makes the object expensive.
    .amount = { $measured } of { $limit } triangles
problem-physics-mesh-large = The physics shape of a mesh is far too detailed.
problem-many-colliding = Too many prims of a physical object collide.
    .amount = { $measured } colliding prims, at most { $limit } allowed
problem-no-room-for-edit = A single edit of the object would overfill the land.
    .amount = { $measured } more land impact, { $limit } left
problem-too-many-prims = The object has more prims than the grid allows.
    .amount = { $measured } prims, at most { $limit } allowed
problem-too-wide = The prims of the object are too far apart to be linked again.
    .amount = { $measured } m wide, less than { $limit } m allowed
problem-child-far = A linked prim is very far from the rest of the object.
problem-prim-too-large = A prim of a physical object is too large.
    .amount = { $measured } m, at most { $limit } m allowed
problem-root-none = The root prim has the physics shape None, which it must not have.
problem-mesh-damaged = A mesh of the object is damaged.
problem-hull-missing = The shape of a mesh for collisions is incomplete: people can walk through the object, or bump into nothing.
problem-hull-complex = The physics shape of a mesh has more hulls or corners than the grid allows.
problem-mesh-too-large = A mesh is too large a file.
problem-collides-elsewhere = The object collides differently on the other grid; doorways may close.
problem-same-place = Several objects look the same and are at the same position.
    .amount = { $measured } objects
problem-shared-uuid = The object has the same identifier as another one, and may be a copy of it.
problem-invalid-shape = Position, size, rotation or shape of the object is invalid, and will change.
problem-outside = The object is outside its region, and will be lost.
    .amount = { $measured } m outside
problem-wrong-height = The object is too high or too low, and will be lost.
    .amount = at a height of { $measured } m
problem-nested-missing = An object inside another object cannot be found.
problem-nested-deep = Objects are packed inside other objects too deeply.
    .amount = { $measured } levels deep, at risk from { $limit } levels
problem-link-order = The link numbers of the object are in disorder, so scripts may change the wrong prim.
problem-asset-missing = A texture, mesh, sound or item of the object is missing.
    .amount = missing: { $measured }
problem-asset-damaged = A texture, mesh, sound or item of the object is damaged.
problem-texture-not-shown = Viewers do not show a texture of the object because of its size.
problem-many-scripts = The object has very many scripts, which slow the region down.
    .amount = { $measured } scripts, at most { $limit } advised
problem-script-refused = A script uses functions or a language that the grid does not allow.
problem-script-data-lost = Saved data of scripts will be lost.
problem-parcel-damaged = The saved data of the parcel are damaged.
problem-inventory-items = Items of your inventory have lost their content, so they cannot be opened, worn or rezzed.
    .amount = items: { $measured }
problem-inventory-links = Links in your inventory lead nowhere.
    .amount = links: { $measured }
problem-inventory-folders = Folders of your inventory are damaged, so you may not see items, or not be able to log in.
problem-file-damaged = The saved file has an error, and loading stops there.
problem-uuid-missing = Prims or items of the object lack an identifier of their own.
problem-mesh-conflict = Another asset has the same identifier as a mesh of the object, so the wrong one may arrive.
problem-other = A check of the operators found something else.

cure-land-room =
    Choose World > About land > OBJECTS to see what is on your land.
    Take or delete what you do not need.
    Set heavy meshes to Convex Hull: Edit > { -features } > { -shape } > Convex Hull.
    .title = Make room on your land
cure-fewer-prims =
    Choose World > About land > OBJECTS to see what is on your land.
    Take or delete what you do not need.
    .title = Make room on your land
cure-convex-hull =
    Right-click the object and choose Edit.
    Tick “Edit linked” and click the prim that shows the mesh.
    Open the tab { -features } and set { -shape } to Convex Hull.
    Walk around the object: openings in this prim now collide as if closed, and parts outside its hull no longer collide.
    .title = Set prims to Convex Hull
cure-shape-none =
    Right-click the object and choose Edit.
    Tick “Edit linked” and click a prim that nobody needs to touch or stand on.
    Open the tab { -features } and set { -shape } to None. The root prim cannot have None.
    .title = Let fewer prims collide
cure-leave-room =
    Do not change physics shape or material of the object here, and do not link a mesh to it.
    If you want to edit it, take it to land with more room.
    Set its prims to Convex Hull there: Edit > { -features } > { -shape } > Convex Hull.
    .title = Leave the object as it is, or edit it elsewhere
cure-split =
    Right-click the object and choose Edit.
    Tick “Edit linked”, hold Shift and click the prims that shall be an object of their own.
    Choose Build > Unlink, then Build > Link.
    .title = Split the object into several
cure-unlink =
    Right-click the object and choose Edit.
    Tick “Edit linked” and click the prims that are farthest out.
    Choose Build > Unlink. Then move or delete these prims.
    .title = Unlink the prims that are far out
cure-smaller =
    Right-click the object and choose Edit.
    Tick “Edit linked” and click the large prim.
    Open the tab Object and lower its Size.
    .title = Make the prim smaller
cure-root-shape =
    Right-click the object and choose Edit.
    Open the tab Object and tick Phantom, if nobody needs to touch or stand on the object.
    Otherwise choose Build > Unlink, and link again with another prim selected last.
    .title = Make the object phantom, or change its root prim
cure-upload-mesh =
    If you did not make the mesh, ask its creator for a new version.
    If you made it, choose Build > Upload > Model and open your model.
    In the tab Physics choose a simple, closed shape.
    Replace the old object with the new one.
    .title = Upload the mesh again
cure-delete-copy =
    Go to the place and look whether the copies are intended.
    If they are not, right-click one of them and choose Delete.
    .title = Delete surplus copies
cure-set-again =
    Right-click the object and choose Edit.
    Open the tab Object and set Position, Size and Rotation again.
    If the object is of no use any more, delete it.
    .title = Set position and size again
cure-move-inside =
    Right-click the object and choose Edit.
    Open the tab Object and set a Position inside the region.
    If the object fell or flew off and is of no use any more, delete it.
    .title = Move the object into its region
cure-nested =
    Open the content of the outer object: Edit > Content.
    Drag the inner objects to your inventory, and rez them once.
    Delete what does not rez: it is lost. Keep the others on their own.
    .title = Take objects out of other objects
cure-relink =
    Right-click the object, choose Edit, then Build > Unlink.
    Select all prims, the root prim last, and choose Build > Link.
    .title = Link the object again
cure-replace-asset =
    Right-click the object and choose Edit.
    Set a missing texture in the tab Texture, and a sculpt texture in the tab Object.
    Delete and replace a missing item in the tab Content.
    Replace an object without its mesh with a new copy.
    .title = Replace what is missing
cure-texture-size =
    Scale the picture to sides such as 512 × 1,024 pixels.
    Upload it: Build > Upload > Image.
    Choose it in Edit > Texture.
    .title = Upload the texture in another size
cure-fewer-scripts =
    Right-click the object, choose Edit, and open the tab Content.
    Delete scripts that have done their work, such as those that set a text or a texture once.
    Let one script control all prims.
    .title = Remove scripts
cure-rewrite-script =
    Right-click the object, choose Edit, and open the tab Content.
    Ask the maker of the script for a version without these functions.
    Or ask the operators whether they can allow them.
    .title = Change the script
cure-script-data =
    If a script is missing in the tab Content, put it back.
    After the move, reset the scripts so that they write their data again.
    .title = Let the scripts write their data again
cure-check-parcel =
    After the move, choose World > About land and check name, owner and borders of the parcel.
    .title = Check your parcel after the move
cure-delete-items =
    Open your inventory and search for the items by their names.
    Delete items and links that no longer work.
    Take or ask for a new copy of what you need.
    .title = Delete broken items
cure-operator =
    You cannot repair this in the viewer.
    Show this letter to the operators, and ask them to repair the object or to export it again.
    .title = Ask the operators
moved-title = After the move: your objects
moved-intro = We moved your objects to { $target }, and compared both sides.
moved-counts = { $arrived } of { $objects ->
        [one] your { $objects } object
       *[other] your { $objects } objects
    } arrived.
problem-moved-lost = These objects did not arrive.
problem-moved-incomplete = These objects arrived without some of their parts or contents.
    .amount = { $measured ->
        [one] { $measured } part or item is missing
       *[other] { $measured } parts or items are missing
    }
problem-moved-land = These parcels did not arrive.
problem-moved-items = These items of your inventory did not arrive.
cure-moved-lost =
    Look for the object in your inventory, and in Lost and Found.
    If you have a copy, place it again.
    If not, ask the operators while the old grid is still there.
    .title = Bring back what did not arrive
cure-moved-land =
    Tell the operators the name and the region of your parcel.
    They can divide the land again, and give it to you.
    .title = Get your land back
cure-moved-items =
    Look for the item in the other folders of your inventory, and in Lost and Found.
    If it is not there, ask the operators while the old grid is still there.
    .title = Look for your items
cure-moved-incomplete =
    Right-click the object, choose Edit, and open the tab Content.
    Put the missing items back, or replace the object with a copy.
    .title = Complete your objects

# Mots des lettres aux propriétaires. Les menus et les onglets portent leur nom du client dans cette langue.
# Un remède a une étape par ligne. Toutes les langues ont les mêmes clés et variables ; un test le vérifie.

-features = Attributs
-shape = Type de forme physique

title = Vos objets : que réparer, et comment
title-grid = Vos objets sur { $grid } : que réparer, et comment
address = Pour { $name }
address-unknown = Au propriétaire de ces objets
intro = Nous avons vérifié vos objets pour { $target }.
have = Vous avez { $objects ->
        [one] { $objects } objet
       *[other] { $objects } objets
    } avec { $prims ->
        [one] { $prims } prim
       *[other] { $prims } prims
    } dans des régions. { $objects ->
        [one] Son
       *[other] Leur
    } impact sur le terrain est { $bound ->
        [lower] d’au moins { $impact }
       *[exact] de { $impact }
    }.
elsewhere = { $objects ->
        [one] { $objects } objet se trouve dans des inventaires ou des fichiers.
       *[other] { $objects } objets se trouvent dans des inventaires ou des fichiers.
    }
land-impact-used = Votre terrain supporte un impact de { $used } ; il y a de la place pour { $capacity }.
land-prims-used = Votre terrain porte { $used } prims ; il y a de la place pour { $capacity }.
attention = { $things ->
        [one] { $things } objet ou parcelle demande votre attention.
       *[other] { $things } objets et parcelles demandent votre attention.
    }
incomplete = Toutes les exportations n’ont pas pu être lues en entier ; il peut donc y avoir d’autres réparations.
help-most = Ce qui aide le plus
action = { $words } ({ $name }, { $place }). L’impact sur le terrain passe de { $before } à { $after }.
action-links = { $count ->
        [one] numéro de lien { $links }
       *[other] numéros de lien { $links }
    }
action-objects = dans { $count } objets
action-more-places = { $more ->
        [one] { $place } et à { $more } autre endroit
       *[other] { $place } et à { $more } autres endroits
    }
action-closes-openings = Ses ouvertures sont alors fermées aux avatars : si on passe à travers, demandez plutôt à son créateur une forme physique faite de boîtes.
action-convex-hull = { $edits ->
        [one] Réglez { $edits } prim sur « Enveloppe convexe »
       *[other] Réglez { $edits } prims sur « Enveloppe convexe »
    }
action-shape-none = { $edits ->
        [one] Réglez { $edits } prim sur la forme physique « Aucun »
       *[other] Réglez { $edits } prims sur la forme physique « Aucun »
    }
action-coarser-levels = { $edits ->
        [one] Chargez à nouveau { $edits } maillage avec des niveaux de détail bas plus simples
       *[other] Chargez à nouveau { $edits } maillages avec des niveaux de détail bas plus simples
    }
action-remove-copy = { $edits ->
        [one] Supprimez la copie de cet objet à la même position
       *[other] Supprimez { $edits } copies de cet objet à la même position
    }
action-link = { $edits ->
        [one] Liez { $edits } objet à un autre
       *[other] Liez { $edits } objets en un seul
    }
broken = Ce qui ne va pas, et comment le réparer
how-to = Comment faire :
urgent = urgent
important = important
recommended = conseillé
quoted = « { $name } »
times = { $count } × { $name }
unnamed = objet sans nom
parcel = parcelle { $name }
parcel-unnamed = parcelle sans nom
region = région { $name }
inventory = inventaire
place = région { $region } à { $positions }
in-region = région { $region }
in-file = fichier { $file }
in-inventory = dans un inventaire
in-inventory-at = dans un inventaire : { $path }
more-places = { $count ->
        [one] et à { $count } autre endroit
       *[other] et à { $count } autres endroits
    }
more-objects = { $count ->
        [one] et { $count } autre objet
       *[other] et { $count } autres objets
    }
more-cures = { $count ->
        [one] Une fois cela réparé, il reste { $count } autre sorte de réparation pour une prochaine lettre.
       *[other] Une fois cela réparé, il reste { $count } autres sortes de réparations pour une prochaine lettre.
    }
unchanged = Nous n’avons rien modifié.
ask = Si vous avez des questions, adressez-vous à { $contact }.
ask-operator = Si vous avez des questions, adressez-vous aux opérateurs de votre grille.
deadline = Merci de terminer dans ce délai : { $date }.

problem-land-full = Le terrain a plus d’impact qu’il n’a de place.
    .amount = impact sur le terrain { $measured } sur { $limit } ({ $percent } %)
problem-land-prims = Le terrain a plus de prims qu’il n’a de place.
    .amount = { $measured } prims sur { $limit } ({ $percent } %)
problem-too-heavy-to-move = L’objet est physique, mais son poids physique est trop élevé pour cela.
    .amount = poids physique { $measured }, au plus { $limit } autorisé
problem-object-too-heavy = L’objet a plus d’impact sur le terrain qu’un objet ne peut en avoir ici.
    .amount = impact sur le terrain { $measured }, au plus { $limit } autorisé
problem-thin-triangles = La forme de collision d’un maillage est mal faite et rend l’objet coûteux.
    .amount = { $measured } des { $limit } triangles
problem-physics-mesh-large = La forme physique d’un maillage est beaucoup trop détaillée.
problem-many-colliding = Trop de prims d’un objet physique entrent en collision.
    .amount = { $measured } prims en collision, au plus { $limit } autorisés
problem-no-room-for-edit = Une seule modification de l’objet ferait déborder le terrain.
    .amount = { $measured } d’impact sur le terrain en plus, il reste { $limit }
problem-too-many-prims = L’objet a plus de prims que la grille ne le permet.
    .amount = { $measured } prims, au plus { $limit } autorisés
problem-too-wide = Les prims de l’objet sont trop éloignés pour être liés à nouveau.
    .amount = { $measured } m de large, moins de { $limit } m autorisé
problem-child-far = Un prim lié est très loin du reste de l’objet.
problem-prim-too-large = Un prim d’un objet physique est trop grand.
    .amount = { $measured } m, au plus { $limit } m autorisés
problem-root-none = Le prim racine a la forme physique « Aucun », qu’il ne peut pas avoir.
problem-mesh-damaged = Un maillage de l’objet est endommagé.
problem-hull-missing = La forme de collision d’un maillage est incomplète : on passe à travers l’objet, ou l’on se heurte à rien.
problem-hull-complex = La forme physique d’un maillage a plus d’enveloppes ou de sommets que la grille ne le permet.
problem-mesh-too-large = Le fichier d’un maillage est trop grand.
problem-collides-elsewhere = Les collisions de l’objet diffèrent sur l’autre grille ; des passages peuvent se fermer.
problem-same-place = Plusieurs objets se ressemblent et sont à la même position.
    .amount = { $measured } objets
problem-shared-uuid = L’objet a le même identifiant qu’un autre, et en est peut-être une copie.
problem-invalid-shape = La position, la taille, la rotation ou la forme de l’objet n’est pas valide et va changer.
problem-outside = L’objet est hors de sa région et sera perdu.
    .amount = { $measured } m à l’extérieur
problem-wrong-height = L’objet est trop haut ou trop bas et sera perdu.
    .amount = à une hauteur de { $measured } m
problem-nested-missing = Un objet contenu dans un autre est introuvable.
problem-nested-deep = Des objets sont contenus dans d’autres sur trop de niveaux.
    .amount = { $measured } niveaux, risque à partir de { $limit }
problem-link-order = Les numéros de lien de l’objet sont en désordre ; des scripts peuvent modifier le mauvais prim.
problem-asset-missing = Il manque une texture, un maillage, un son ou un élément de l’objet.
    .amount = manquants : { $measured }
problem-asset-damaged = Une texture, un maillage, un son ou un élément de l’objet est endommagé.
problem-texture-not-shown = Les clients n’affichent pas une texture de l’objet à cause de ses dimensions.
problem-many-scripts = L’objet a beaucoup de scripts, qui ralentissent la région.
    .amount = { $measured } scripts, au plus { $limit } conseillés
problem-script-refused = Un script utilise des fonctions ou un langage que la grille n’autorise pas.
problem-script-data-lost = Des données enregistrées de scripts seront perdues.
problem-parcel-damaged = Les données enregistrées de la parcelle sont endommagées.
problem-inventory-items = Des éléments de votre inventaire ont perdu leur contenu ; ils ne peuvent être ouverts, portés ni rezzés.
    .amount = éléments : { $measured }
problem-inventory-links = Des liens de votre inventaire ne mènent nulle part.
    .amount = liens : { $measured }
problem-inventory-folders = Des dossiers de votre inventaire sont endommagés ; des éléments peuvent manquer, ou la connexion échouer.
problem-file-damaged = Le fichier enregistré a une erreur, et le chargement s’arrête là.
problem-uuid-missing = Des prims ou des éléments de l’objet n’ont pas d’identifiant propre.
problem-mesh-conflict = Une autre ressource a le même identifiant qu’un maillage de l’objet ; la mauvaise peut arriver.
problem-other = Une vérification des opérateurs a trouvé autre chose.

cure-land-room =
    Choisissez Monde > À propos du terrain > OBJETS pour voir ce qui est sur votre terrain.
    Prenez ou supprimez ce dont vous n’avez pas besoin.
    Réglez les maillages lourds sur « Enveloppe convexe » : Modifier > { -features } > { -shape } > Enveloppe convexe.
    .title = Faites de la place sur votre terrain
cure-fewer-prims =
    Choisissez Monde > À propos du terrain > OBJETS pour voir ce qui est sur votre terrain.
    Prenez ou supprimez ce dont vous n’avez pas besoin.
    .title = Faites de la place sur votre terrain
cure-convex-hull =
    Faites un clic droit sur l’objet et choisissez « Modifier ».
    Cochez « Modification liée » et cliquez sur le prim qui montre le maillage.
    Ouvrez l’onglet « { -features } » et réglez « { -shape } » sur « Enveloppe convexe » (Convex Hull).
    Faites le tour de l’objet : les ouvertures de ce prim sont maintenant fermées pour les avatars, et les parties hors de l’enveloppe n’arrêtent plus rien.
    .title = Réglez des prims sur « Enveloppe convexe »
cure-shape-none =
    Faites un clic droit sur l’objet et choisissez « Modifier ».
    Cochez « Modification liée » et cliquez sur un prim que personne n’a besoin de toucher.
    Ouvrez l’onglet « { -features } » et réglez « { -shape } » sur « Aucun ». Le prim racine ne le permet pas.
    .title = Laissez moins de prims entrer en collision
cure-leave-room =
    Ne modifiez ici ni la forme physique ni la matière de l’objet, et n’y liez pas de maillage.
    Si vous voulez le modifier, emportez-le sur un terrain qui a plus de place.
    Réglez-y ses prims sur « Enveloppe convexe » : Modifier > { -features } > { -shape } > Enveloppe convexe.
    .title = Laissez l’objet tel quel, ou modifiez-le ailleurs
cure-split =
    Faites un clic droit sur l’objet et choisissez « Modifier ».
    Cochez « Modification liée » et, avec la touche Maj, cliquez sur les prims qui formeront un autre objet.
    Choisissez Construire > Annuler le lien, puis Construire > Lien.
    .title = Divisez l’objet en plusieurs
cure-unlink =
    Faites un clic droit sur l’objet et choisissez « Modifier ».
    Cochez « Modification liée » et cliquez sur les prims les plus éloignés.
    Choisissez Construire > Annuler le lien. Puis déplacez ou supprimez ces prims.
    .title = Détachez les prims éloignés
cure-smaller =
    Faites un clic droit sur l’objet et choisissez « Modifier ».
    Cochez « Modification liée » et cliquez sur le grand prim.
    Ouvrez l’onglet « Objet » et réduisez la taille.
    .title = Réduisez le prim
cure-root-shape =
    Faites un clic droit sur l’objet et choisissez « Modifier ».
    Ouvrez l’onglet « Objet » et cochez « Fantôme », si personne n’a besoin de toucher l’objet.
    Sinon, choisissez Construire > Annuler le lien, puis liez à nouveau en sélectionnant un autre prim en dernier.
    .title = Rendez l’objet fantôme, ou changez son prim racine
cure-upload-mesh =
    Si vous n’avez pas fait le maillage, demandez une nouvelle version à son créateur.
    Si vous l’avez fait, choisissez Construire > Charger > Modèle et ouvrez votre modèle.
    Dans l’onglet « Propriétés physiques », choisissez une forme simple et fermée.
    Remplacez l’ancien objet par le nouveau.
    .title = Chargez à nouveau le maillage
cure-delete-copy =
    Allez sur place et regardez si les copies sont voulues.
    Sinon, faites un clic droit sur l’une d’elles et choisissez « Supprimer ».
    .title = Supprimez les copies en trop
cure-set-again =
    Faites un clic droit sur l’objet et choisissez « Modifier ».
    Ouvrez l’onglet « Objet » et réglez à nouveau la position, la taille et la rotation.
    Si l’objet ne sert plus, supprimez-le.
    .title = Réglez à nouveau la position et la taille
cure-move-inside =
    Faites un clic droit sur l’objet et choisissez « Modifier ».
    Ouvrez l’onglet « Objet » et entrez une position à l’intérieur de la région.
    Si l’objet est tombé ou s’est envolé et ne sert plus, supprimez-le.
    .title = Ramenez l’objet dans sa région
cure-nested =
    Ouvrez le contenu de l’objet extérieur : Modifier > Contenu.
    Faites glisser les objets intérieurs dans votre inventaire, et posez-les une fois dans le monde.
    Supprimez ceux qui n’apparaissent pas : ils sont perdus. Gardez les autres séparément.
    .title = Sortez les objets des autres objets
cure-relink =
    Faites un clic droit sur l’objet, choisissez « Modifier », puis Construire > Annuler le lien.
    Sélectionnez tous les prims, le prim racine en dernier, et choisissez Construire > Lien.
    .title = Liez à nouveau l’objet
cure-replace-asset =
    Faites un clic droit sur l’objet et choisissez « Modifier ».
    Choisissez une texture manquante dans l’onglet « Texture », et une texture de sculptie dans l’onglet « Objet ».
    Supprimez et remplacez un élément manquant dans l’onglet « Contenu ».
    Remplacez un objet sans son maillage par une nouvelle copie.
    .title = Remplacez ce qui manque
cure-texture-size =
    Redimensionnez l’image, par exemple à 512 × 1 024 pixels.
    Chargez-la : Construire > Charger > Image.
    Choisissez-la dans Modifier > Texture.
    .title = Chargez la texture dans d’autres dimensions
cure-fewer-scripts =
    Faites un clic droit sur l’objet, choisissez « Modifier » et ouvrez l’onglet « Contenu ».
    Supprimez les scripts qui ont fini leur travail, comme ceux qui posent une fois un texte ou une texture.
    Laissez un seul script commander tous les prims.
    .title = Retirez des scripts
cure-rewrite-script =
    Faites un clic droit sur l’objet, choisissez « Modifier » et ouvrez l’onglet « Contenu ».
    Demandez à l’auteur du script une version sans ces fonctions.
    Ou demandez aux opérateurs s’ils peuvent les autoriser.
    .title = Modifiez le script
cure-script-data =
    Si un script manque dans l’onglet « Contenu », remettez-le.
    Après le déménagement, réinitialisez les scripts pour qu’ils écrivent à nouveau leurs données.
    .title = Laissez les scripts écrire à nouveau leurs données
cure-check-parcel =
    Après le déménagement, choisissez Monde > À propos du terrain, et vérifiez nom, propriétaire et limites.
    .title = Vérifiez votre parcelle après le déménagement
cure-delete-items =
    Ouvrez votre inventaire et cherchez les éléments par leur nom.
    Supprimez les éléments et les liens qui ne fonctionnent plus.
    Prenez ou demandez une nouvelle copie de ce dont vous avez besoin.
    .title = Supprimez les éléments défectueux
cure-operator =
    Vous ne pouvez pas réparer cela dans le client.
    Montrez cette lettre aux opérateurs, et demandez-leur de réparer l’objet ou de l’exporter à nouveau.
    .title = Demandez aux opérateurs
moved-title = Après le déménagement : vos objets
moved-intro = Nous avons déménagé vos objets vers { $target } et comparé les deux côtés.
moved-counts = { $arrived } de vos { $objects ->
        [one] { $objects } objet
       *[other] { $objects } objets
    } sont arrivés.
problem-moved-lost = Ces objets ne sont pas arrivés.
problem-moved-incomplete = Ces objets sont arrivés sans certaines parties ou certains contenus.
    .amount = { $measured ->
        [one] il manque { $measured } partie ou contenu
       *[other] il manque { $measured } parties ou contenus
    }
problem-moved-land = Ces parcelles ne sont pas arrivées.
problem-moved-items = Ces éléments de votre inventaire ne sont pas arrivés.
cure-moved-lost =
    Cherchez l'objet dans votre inventaire, et dans le dossier Objets trouvés.
    Si vous avez une copie, placez-la de nouveau.
    Sinon, demandez aux opérateurs tant que l'ancienne grille existe.
    .title = Retrouvez ce qui n'est pas arrivé
cure-moved-land =
    Donnez aux opérateurs le nom et la région de votre parcelle.
    Ils peuvent diviser de nouveau le terrain et vous le donner.
    .title = Retrouvez votre terrain
cure-moved-items =
    Cherchez dans les autres dossiers de votre inventaire, et dans Objets trouvés.
    S'ils n'y sont pas, demandez aux opérateurs tant que l'ancienne grille existe.
    .title = Cherchez vos éléments
cure-moved-incomplete =
    Faites un clic droit sur l'objet, choisissez Modifier et ouvrez l'onglet Contenu.
    Remettez les contenus qui manquent, ou remplacez l'objet par une copie.
    .title = Complétez vos objets

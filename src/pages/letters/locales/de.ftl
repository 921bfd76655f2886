# Wörter der Briefe an Eigentümer. Menüs und Reiter heißen wie im Viewer in dieser Sprache.
# Eine Abhilfe hat einen Schritt je Zeile. Alle Sprachen haben dieselben Schlüssel und Platzhalter; ein Test prüft es.

-features = Eigenschaften
-shape = Art der physischen Form

title = Ihre Objekte: was zu reparieren ist, und wie
title-grid = Ihre Objekte auf { $grid }: was zu reparieren ist, und wie
address = Für { $name }
address-unknown = An die Person, der diese Objekte gehören
intro = Wir haben Ihre Objekte für { $target } geprüft.
have = Ihnen { $objects ->
        [one] gehört { $objects } Objekt
       *[other] gehören { $objects } Objekte
    } mit { $prims ->
        [one] { $prims } Prim
       *[other] { $prims } Prims
    } in Regionen. { $objects ->
        [one] Seine
       *[other] Ihre
    } Auswirkung auf Land beträgt { $bound ->
        [lower] mindestens { $impact }
       *[exact] { $impact }
    }.
elsewhere = { $objects ->
        [one] { $objects } Objekt liegt in Inventaren oder Dateien.
       *[other] { $objects } Objekte liegen in Inventaren oder Dateien.
    }
land-impact-used = Ihr Land trägt eine Auswirkung auf Land von { $used }; Platz ist für { $capacity }.
land-prims-used = Auf Ihrem Land stehen { $used } Prims; Platz ist für { $capacity }.
attention = { $things ->
        [one] { $things } Objekt oder Grundstück braucht Ihre Aufmerksamkeit.
       *[other] { $things } Objekte und Grundstücke brauchen Ihre Aufmerksamkeit.
    }
incomplete = Nicht alle Exporte konnten ganz gelesen werden; es kann also mehr zu reparieren sein.
help-most = Was am meisten hilft
action = { $words } ({ $name }, { $place }). Die Auswirkung auf Land sinkt von { $before } auf { $after }.
action-links = { $count ->
        [one] Link-Nummer { $links }
       *[other] Link-Nummern { $links }
    }
action-objects = in { $count } Objekten
action-more-places = { $more ->
        [one] { $place } und an { $more } weiteren Stelle
       *[other] { $place } und an { $more } weiteren Stellen
    }
action-closes-openings = Öffnungen darin sind dann für Avatare geschlossen: Wenn Leute hindurchgehen, bitten Sie den Ersteller stattdessen um eine physische Form aus Quadern.
action-convex-hull = { $edits ->
        [one] { $edits } Prim auf „Konvexe Hülle“ stellen
       *[other] { $edits } Prims auf „Konvexe Hülle“ stellen
    }
action-shape-none = { $edits ->
        [one] { $edits } Prim auf die physische Form „Keine“ stellen
       *[other] { $edits } Prims auf die physische Form „Keine“ stellen
    }
action-coarser-levels = { $edits ->
        [one] { $edits } Mesh mit einfacheren niedrigen Detailstufen neu hochladen
       *[other] { $edits } Meshes mit einfacheren niedrigen Detailstufen neu hochladen
    }
action-remove-copy = { $edits ->
        [one] Die Kopie dieses Objekts an derselben Stelle löschen
       *[other] { $edits } Kopien dieses Objekts an derselben Stelle löschen
    }
action-link = { $edits ->
        [one] { $edits } Objekt mit einem anderen verknüpfen
       *[other] { $edits } Objekte zu einem verknüpfen
    }
broken = Was kaputt ist, und wie man es repariert
how-to = So geht es:
urgent = dringend
important = wichtig
recommended = empfohlen
quoted = „{ $name }“
times = { $count } × { $name }
unnamed = Objekt ohne Namen
parcel = Grundstück { $name }
parcel-unnamed = Grundstück ohne Namen
region = Region { $name }
inventory = Inventar
place = Region { $region } bei { $positions }
in-region = Region { $region }
in-file = Datei { $file }
in-inventory = in einem Inventar
in-inventory-at = in einem Inventar: { $path }
more-places = { $count ->
        [one] und an { $count } weiteren Stelle
       *[other] und an { $count } weiteren Stellen
    }
more-objects = { $count ->
        [one] und { $count } weiteres Objekt
       *[other] und { $count } weitere Objekte
    }
more-cures = { $count ->
        [one] Ist das erledigt, bleibt { $count } weitere Art von Reparatur für einen späteren Brief.
       *[other] Ist das erledigt, bleiben { $count } weitere Arten von Reparaturen für einen späteren Brief.
    }
unchanged = Wir haben nichts verändert.
ask = Wenn Sie Fragen haben, wenden Sie sich an { $contact }.
ask-operator = Wenn Sie Fragen haben, wenden Sie sich an die Betreiber Ihres Grids.
deadline = Bitte erledigen Sie das bis { $date }.

problem-land-full = Die Auswirkung auf Land ist größer, als dort Platz ist.
    .amount = Auswirkung auf Land { $measured } von { $limit } ({ $percent } %)
problem-land-prims = Auf dem Land stehen mehr Prims, als dort Platz ist.
    .amount = { $measured } von { $limit } Prims ({ $percent } %)
problem-too-heavy-to-move = Das Objekt ist physisch, aber sein Physikgewicht ist dafür zu hoch.
    .amount = Physikgewicht { $measured }, erlaubt höchstens { $limit }
problem-object-too-heavy = Das Objekt hat mehr Auswirkung auf Land, als ein Objekt hier haben darf.
    .amount = Auswirkung auf Land { $measured }, erlaubt höchstens { $limit }
problem-thin-triangles = Die Form eines Meshes für Zusammenstöße ist schlecht gebaut und macht das Objekt teuer.
    .amount = { $measured } von { $limit } Dreiecken
problem-physics-mesh-large = Die physische Form eines Meshes ist viel zu fein.
problem-many-colliding = Zu viele Prims eines physischen Objekts kollidieren.
    .amount = { $measured } kollidierende Prims, erlaubt höchstens { $limit }
problem-no-room-for-edit = Eine einzige Änderung des Objekts würde das Land überfüllen.
    .amount = { $measured } mehr Auswirkung auf Land, frei sind { $limit }
problem-too-many-prims = Das Objekt hat mehr Prims, als das Grid erlaubt.
    .amount = { $measured } Prims, erlaubt höchstens { $limit }
problem-too-wide = Die Prims des Objekts liegen zu weit auseinander, um wieder verknüpft zu werden.
    .amount = { $measured } m breit, erlaubt weniger als { $limit } m
problem-child-far = Ein verknüpfter Prim liegt sehr weit weg vom Rest des Objekts.
problem-prim-too-large = Ein Prim eines physischen Objekts ist zu groß.
    .amount = { $measured } m, erlaubt höchstens { $limit } m
problem-root-none = Der Stamm-Prim hat die physische Form „Keine“, die er nicht haben darf.
problem-mesh-damaged = Ein Mesh des Objekts ist beschädigt.
problem-hull-missing = Die Form eines Meshes für Zusammenstöße ist unvollständig: Man geht durch das Objekt hindurch oder stößt an nichts an.
problem-hull-complex = Die physische Form eines Meshes hat mehr Hüllen oder Ecken, als das Grid erlaubt.
problem-mesh-too-large = Die Datei eines Meshes ist zu groß.
problem-collides-elsewhere = Auf dem anderen Grid kollidiert das Objekt anders; Durchgänge können zu sein.
problem-same-place = Mehrere Objekte sehen gleich aus und stehen an derselben Stelle.
    .amount = { $measured } Objekte
problem-shared-uuid = Das Objekt hat dieselbe Kennung wie ein anderes und ist vielleicht eine Kopie davon.
problem-invalid-shape = Position, Größe, Rotation oder Form des Objekts ist ungültig und wird sich ändern.
problem-outside = Das Objekt liegt außerhalb seiner Region und geht verloren.
    .amount = { $measured } m außerhalb
problem-wrong-height = Das Objekt ist zu hoch oder zu tief und geht verloren.
    .amount = auf einer Höhe von { $measured } m
problem-nested-missing = Ein Objekt im Inhalt eines anderen ist nicht zu finden.
problem-nested-deep = Objekte sind zu tief in anderen Objekten verschachtelt.
    .amount = { $measured } Ebenen tief, riskant ab { $limit } Ebenen
problem-link-order = Die Link-Nummern des Objekts sind durcheinander; Skripte ändern vielleicht den falschen Prim.
problem-asset-missing = Eine Textur, ein Mesh, ein Klang oder ein Gegenstand des Objekts fehlt.
    .amount = fehlend: { $measured }
problem-asset-damaged = Eine Textur, ein Mesh, ein Klang oder ein Gegenstand des Objekts ist beschädigt.
problem-texture-not-shown = Viewer zeigen eine Textur des Objekts wegen ihrer Maße nicht an.
problem-many-scripts = Das Objekt hat sehr viele Skripte; sie bremsen die Region.
    .amount = { $measured } Skripte, empfohlen höchstens { $limit }
problem-script-refused = Ein Skript verwendet Funktionen oder eine Sprache, die das Grid nicht erlaubt.
problem-script-data-lost = Gespeicherte Daten von Skripten gehen verloren.
problem-parcel-damaged = Die gespeicherten Daten des Grundstücks sind beschädigt.
problem-inventory-items = Gegenstände Ihres Inventars haben ihren Inhalt verloren; sie lassen sich nicht öffnen, tragen oder rezzen.
    .amount = Gegenstände: { $measured }
problem-inventory-links = Verknüpfungen in Ihrem Inventar führen ins Leere.
    .amount = Verknüpfungen: { $measured }
problem-inventory-folders = Ordner Ihres Inventars sind beschädigt; Gegenstände können fehlen, oder die Anmeldung scheitert.
problem-file-damaged = Die gespeicherte Datei hat einen Fehler, an dem das Laden abbricht.
problem-uuid-missing = Prims oder Gegenständen des Objekts fehlt eine eigene Kennung.
problem-mesh-conflict = Ein anderes Asset hat dieselbe Kennung wie ein Mesh des Objekts; es kann das falsche ankommen.
problem-other = Eine Prüfung der Betreiber hat etwas anderes gefunden.

cure-land-room =
    Wählen Sie Welt > Landinformationen > OBJEKTE, um zu sehen, was auf Ihrem Land steht.
    Nehmen oder löschen Sie, was Sie nicht brauchen.
    Stellen Sie schwere Meshes auf „Konvexe Hülle“: Bearbeiten > { -features } > { -shape } > Konvexe Hülle.
    .title = Auf dem Land Platz schaffen
cure-fewer-prims =
    Wählen Sie Welt > Landinformationen > OBJEKTE, um zu sehen, was auf Ihrem Land steht.
    Nehmen oder löschen Sie, was Sie nicht brauchen.
    .title = Auf dem Land Platz schaffen
cure-convex-hull =
    Klicken Sie das Objekt mit rechts an und wählen Sie „Bearbeiten“.
    Haken Sie „Verknüpfte Teile bearbeiten“ an und klicken Sie auf den Prim mit dem Mesh.
    Öffnen Sie den Reiter „{ -features }“ und stellen Sie „{ -shape }“ auf „Konvexe Hülle“ (Convex Hull).
    Gehen Sie um das Objekt herum: Öffnungen in diesem Prim sind jetzt für Avatare zu, und was über die Hülle hinausragt, hält nichts mehr auf.
    .title = Prims auf „Konvexe Hülle“ stellen
cure-shape-none =
    Klicken Sie das Objekt mit rechts an und wählen Sie „Bearbeiten“.
    Haken Sie „Verknüpfte Teile bearbeiten“ an und klicken Sie auf einen Prim, an den niemand stoßen muss.
    Öffnen Sie den Reiter „{ -features }“ und stellen Sie „{ -shape }“ auf „Keine“. Beim Stamm-Prim geht das nicht.
    .title = Weniger Prims kollidieren lassen
cure-leave-room =
    Ändern Sie hier weder physische Form noch Material des Objekts, und verknüpfen Sie kein Mesh damit.
    Wenn Sie es bearbeiten wollen, nehmen Sie es auf Land mit mehr Platz mit.
    Stellen Sie dort seine Prims auf „Konvexe Hülle“: Bearbeiten > { -features } > { -shape } > Konvexe Hülle.
    .title = Das Objekt so lassen oder woanders bearbeiten
cure-split =
    Klicken Sie das Objekt mit rechts an und wählen Sie „Bearbeiten“.
    Haken Sie „Verknüpfte Teile bearbeiten“ an und klicken Sie mit Umschalt die Prims an, die ein eigenes Objekt werden.
    Wählen Sie Bauen > Verknüpfung auflösen, dann Bauen > Verknüpfung.
    .title = Das Objekt in mehrere teilen
cure-unlink =
    Klicken Sie das Objekt mit rechts an und wählen Sie „Bearbeiten“.
    Haken Sie „Verknüpfte Teile bearbeiten“ an und klicken Sie auf die Prims, die am weitesten außen liegen.
    Wählen Sie Bauen > Verknüpfung auflösen. Verschieben oder löschen Sie dann diese Prims.
    .title = Weit entfernte Prims lösen
cure-smaller =
    Klicken Sie das Objekt mit rechts an und wählen Sie „Bearbeiten“.
    Haken Sie „Verknüpfte Teile bearbeiten“ an und klicken Sie auf den großen Prim.
    Öffnen Sie den Reiter „Objekt“ und verringern Sie die Größe.
    .title = Den Prim kleiner machen
cure-root-shape =
    Klicken Sie das Objekt mit rechts an und wählen Sie „Bearbeiten“.
    Öffnen Sie den Reiter „Objekt“ und haken Sie „Phantom“ an, wenn niemand an das Objekt stoßen muss.
    Sonst wählen Sie Bauen > Verknüpfung auflösen, und verknüpfen Sie neu mit einem anderen Prim als letztem.
    .title = Das Objekt zum Phantom machen oder den Stamm-Prim wechseln
cure-upload-mesh =
    Wenn Sie das Mesh nicht selbst gemacht haben, bitten Sie seinen Ersteller um eine neue Fassung.
    Sonst wählen Sie Bauen > Hochladen > Modell und öffnen Sie Ihr Modell.
    Wählen Sie im Reiter „Physik“ eine einfache, geschlossene Form.
    Ersetzen Sie das alte Objekt durch das neue.
    .title = Das Mesh neu hochladen
cure-delete-copy =
    Gehen Sie an die Stelle und sehen Sie nach, ob die Kopien gewollt sind.
    Wenn nicht, klicken Sie eine davon mit rechts an und wählen Sie „Löschen“.
    .title = Überzählige Kopien löschen
cure-set-again =
    Klicken Sie das Objekt mit rechts an und wählen Sie „Bearbeiten“.
    Öffnen Sie den Reiter „Objekt“ und stellen Sie Position, Größe und Rotation neu ein.
    Wenn das Objekt nicht mehr gebraucht wird, löschen Sie es.
    .title = Position und Größe neu einstellen
cure-move-inside =
    Klicken Sie das Objekt mit rechts an und wählen Sie „Bearbeiten“.
    Öffnen Sie den Reiter „Objekt“ und geben Sie eine Position innerhalb der Region ein.
    Wenn das Objekt abgestürzt oder weggeflogen ist und nicht mehr gebraucht wird, löschen Sie es.
    .title = Das Objekt in seine Region holen
cure-nested =
    Öffnen Sie den Inhalt des äußeren Objekts: Bearbeiten > Inhalt.
    Ziehen Sie die inneren Objekte in Ihr Inventar, und rezzen Sie sie einmal.
    Löschen Sie, was sich nicht rezzen lässt: Es ist verloren. Die anderen bewahren Sie einzeln auf.
    .title = Objekte aus anderen Objekten herausnehmen
cure-relink =
    Klicken Sie das Objekt mit rechts an, wählen Sie „Bearbeiten“, dann Bauen > Verknüpfung auflösen.
    Wählen Sie alle Prims aus, den Stamm-Prim zuletzt, und dann Bauen > Verknüpfung.
    .title = Das Objekt neu verknüpfen
cure-replace-asset =
    Klicken Sie das Objekt mit rechts an und wählen Sie „Bearbeiten“.
    Setzen Sie eine fehlende Textur im Reiter „Textur“, und eine Sculpt-Textur im Reiter „Objekt“.
    Löschen und ersetzen Sie einen fehlenden Gegenstand im Reiter „Inhalt“.
    Ersetzen Sie ein Objekt ohne sein Mesh durch eine neue Kopie.
    .title = Ersetzen, was fehlt
cure-texture-size =
    Skalieren Sie das Bild auf Maße wie 512 × 1.024 Pixel.
    Laden Sie es hoch: Bauen > Hochladen > Bild.
    Wählen Sie es in Bearbeiten > Textur aus.
    .title = Die Textur in anderen Maßen hochladen
cure-fewer-scripts =
    Klicken Sie das Objekt mit rechts an, wählen Sie „Bearbeiten“ und öffnen Sie den Reiter „Inhalt“.
    Löschen Sie Skripte, die ihre Arbeit getan haben, zum Beispiel solche, die einmal einen Text oder eine Textur setzen.
    Lassen Sie ein Skript alle Prims steuern.
    .title = Skripte entfernen
cure-rewrite-script =
    Klicken Sie das Objekt mit rechts an, wählen Sie „Bearbeiten“ und öffnen Sie den Reiter „Inhalt“.
    Bitten Sie den Ersteller des Skripts um eine Fassung ohne diese Funktionen.
    Oder fragen Sie die Betreiber, ob sie sie erlauben können.
    .title = Das Skript ändern
cure-script-data =
    Wenn im Reiter „Inhalt“ ein Skript fehlt, legen Sie es wieder hinein.
    Setzen Sie die Skripte nach dem Umzug zurück, damit sie ihre Daten neu schreiben.
    .title = Skripte ihre Daten neu schreiben lassen
cure-check-parcel =
    Wählen Sie nach dem Umzug Welt > Landinformationen, und prüfen Sie Name, Eigentümer und Grenzen.
    .title = Das Grundstück nach dem Umzug prüfen
cure-delete-items =
    Öffnen Sie Ihr Inventar und suchen Sie die Gegenstände nach ihren Namen.
    Löschen Sie Gegenstände und Verknüpfungen, die nicht mehr funktionieren.
    Nehmen oder erbitten Sie eine neue Kopie von dem, was Sie brauchen.
    .title = Defekte Gegenstände löschen
cure-operator =
    Im Viewer können Sie das nicht reparieren.
    Zeigen Sie diesen Brief den Betreibern, und bitten Sie sie, das Objekt zu reparieren oder neu zu exportieren.
    .title = Die Betreiber fragen
moved-title = Nach dem Umzug: deine Objekte
moved-intro = Wir haben deine Objekte nach { $target } umgezogen und beide Seiten verglichen.
moved-counts = Angekommen: { $arrived } von { $objects ->
        [one] { $objects } Objekt
       *[other] { $objects } Objekten
    }.
problem-moved-lost = Diese Objekte sind nicht angekommen.
problem-moved-incomplete = Diese Objekte sind ohne einige ihrer Teile oder Inhalte angekommen.
    .amount = { $measured ->
        [one] { $measured } Teil oder Inhalt fehlt
       *[other] { $measured } Teile oder Inhalte fehlen
    }
problem-moved-land = Diese Parzellen sind nicht angekommen.
problem-moved-items = Diese Inhalte deines Inventars sind nicht angekommen.
cure-moved-lost =
    Suche das Objekt in deinem Inventar, auch im Ordner Fundbüro.
    Wenn du eine Kopie hast, platziere sie wieder.
    Sonst frage die Betreiber, solange es das alte Grid noch gibt.
    .title = Hole zurück, was nicht angekommen ist
cure-moved-land =
    Nenne den Betreibern den Namen und die Region deiner Parzelle.
    Sie können das Land wieder teilen und dir geben.
    .title = Hole dein Land zurück
cure-moved-items =
    Suche in den anderen Ordnern deines Inventars, auch im Fundbüro.
    Sonst frage die Betreiber, solange es das alte Grid noch gibt.
    .title = Suche nach deinen Inhalten
cure-moved-incomplete =
    Klicke das Objekt mit rechts an, wähle Bearbeiten und öffne den Reiter Inhalt.
    Lege die fehlenden Inhalte wieder hinein, oder ersetze das Objekt durch eine Kopie.
    .title = Vervollständige deine Objekte

# Parole delle lettere ai proprietari. Menu e schede hanno il nome del viewer in questa lingua.
# Un rimedio ha un passo per riga. Tutte le lingue hanno le stesse chiavi e variabili; un test lo verifica.

-features = Caratteristiche
-shape = Tipo di forma fisica

title = I tuoi oggetti: che cosa riparare e come
title-grid = I tuoi oggetti su { $grid }: che cosa riparare e come
address = Per { $name }
address-unknown = Per il proprietario di questi oggetti
intro = Abbiamo controllato i tuoi oggetti per { $target }.
have = Hai { $objects ->
        [one] { $objects } oggetto
       *[other] { $objects } oggetti
    } con { $prims ->
        [one] { $prims } prim
       *[other] { $prims } prim
    } nelle regioni. L’impatto sul terreno è { $bound ->
        [lower] almeno { $impact }
       *[exact] { $impact }
    }.
elsewhere = { $objects ->
        [one] { $objects } oggetto si trova in inventari o file.
       *[other] { $objects } oggetti si trovano in inventari o file.
    }
land-impact-used = Il tuo terreno ha un impatto di { $used }; c’è posto per { $capacity }.
land-prims-used = Il tuo terreno ha { $used } prim; c’è posto per { $capacity }.
attention = { $things ->
        [one] { $things } oggetto o lotto richiede la tua attenzione.
       *[other] { $things } oggetti e lotti richiedono la tua attenzione.
    }
incomplete = Non tutte le esportazioni sono state lette per intero; potrebbe esserci altro da riparare.
help-most = Che cosa aiuta di più
action = { $words } ({ $name }, { $place }). L’impatto sul terreno scende da { $before } a { $after }.
action-links = { $count ->
        [one] numero di link { $links }
       *[other] numeri di link { $links }
    }
action-objects = in { $count } oggetti
action-more-places = { $more ->
        [one] { $place } e in { $more } altro posto
       *[other] { $place } e in altri { $more } posti
    }
action-closes-openings = Le sue aperture sono poi chiuse agli avatar: se la gente vi passa attraverso, chiedi invece al creatore una forma fisica fatta di cubi.
action-convex-hull = { $edits ->
        [one] Imposta { $edits } prim su «Inviluppo convesso»
       *[other] Imposta { $edits } prim su «Inviluppo convesso»
    }
action-shape-none = { $edits ->
        [one] Imposta { $edits } prim sulla forma fisica «Nessuno»
       *[other] Imposta { $edits } prim sulla forma fisica «Nessuno»
    }
action-coarser-levels = { $edits ->
        [one] Carica di nuovo { $edits } mesh con livelli di dettaglio bassi più semplici
       *[other] Carica di nuovo { $edits } mesh con livelli di dettaglio bassi più semplici
    }
action-remove-copy = { $edits ->
        [one] Elimina la copia di questo oggetto nella stessa posizione
       *[other] Elimina { $edits } copie di questo oggetto nella stessa posizione
    }
action-link = { $edits ->
        [one] Collega { $edits } oggetto a un altro
       *[other] Collega { $edits } oggetti in uno solo
    }
broken = Che cosa non va e come ripararlo
how-to = Come fare:
urgent = urgente
important = importante
recommended = consigliato
quoted = «{ $name }»
times = { $count } × { $name }
unnamed = oggetto senza nome
parcel = lotto { $name }
parcel-unnamed = lotto senza nome
region = regione { $name }
inventory = inventario
place = regione { $region } a { $positions }
in-region = regione { $region }
in-file = file { $file }
in-inventory = in un inventario
in-inventory-at = in un inventario: { $path }
more-places = { $count ->
        [one] e in { $count } altro posto
       *[other] e in altri { $count } posti
    }
more-objects = { $count ->
        [one] e { $count } altro oggetto
       *[other] e altri { $count } oggetti
    }
more-cures = { $count ->
        [one] Dopo queste riparazioni ne resta { $count } di altro tipo per una prossima lettera.
       *[other] Dopo queste riparazioni ne restano { $count } di altro tipo per una prossima lettera.
    }
unchanged = Non abbiamo cambiato nulla.
ask = Se hai domande, rivolgiti a { $contact }.
ask-operator = Se hai domande, rivolgiti ai gestori della tua grid.
deadline = Per favore, finisci entro questa data: { $date }.

problem-land-full = Il terreno ha più impatto di quanto ne possa reggere.
    .amount = impatto sul terreno { $measured } su { $limit } ({ $percent } %)
problem-land-prims = Il terreno ha più prim di quanti ne possa reggere.
    .amount = { $measured } prim su { $limit } ({ $percent } %)
problem-too-heavy-to-move = L’oggetto è fisico, ma il suo peso fisico è troppo alto per esserlo.
    .amount = peso fisico { $measured }, al massimo { $limit }
problem-object-too-heavy = L’oggetto ha più impatto sul terreno di quanto un oggetto possa averne qui.
    .amount = impatto sul terreno { $measured }, al massimo { $limit }
problem-thin-triangles = La forma di collisione di una mesh è fatta male e rende l’oggetto costoso.
    .amount = { $measured } dei { $limit } triangoli
problem-physics-mesh-large = La forma fisica di una mesh è troppo dettagliata.
problem-many-colliding = Troppi prim di un oggetto fisico collidono.
    .amount = { $measured } prim che collidono, al massimo { $limit }
problem-no-room-for-edit = Una sola modifica dell’oggetto riempirebbe oltre misura il terreno.
    .amount = { $measured } di impatto sul terreno in più, ne restano { $limit }
problem-too-many-prims = L’oggetto ha più prim di quanti la grid ne permetta.
    .amount = { $measured } prim, al massimo { $limit }
problem-too-wide = I prim dell’oggetto sono troppo distanti per essere collegati di nuovo.
    .amount = largo { $measured } m, deve essere meno di { $limit } m
problem-child-far = Un prim collegato è molto lontano dal resto dell’oggetto.
problem-prim-too-large = Un prim di un oggetto fisico è troppo grande.
    .amount = { $measured } m, al massimo { $limit } m
problem-root-none = Il prim radice ha la forma fisica «Nessuno», che non può avere.
problem-mesh-damaged = Una mesh dell’oggetto è danneggiata.
problem-hull-missing = La forma di collisione di una mesh è incompleta: si attraversa l’oggetto, o si urta contro il nulla.
problem-hull-complex = La forma fisica di una mesh ha più inviluppi o vertici di quanti la grid ne permetta.
problem-mesh-too-large = Il file di una mesh è troppo grande.
problem-collides-elsewhere = L’oggetto collide in modo diverso sull’altra grid; i passaggi possono chiudersi.
problem-same-place = Più oggetti sembrano uguali e sono nella stessa posizione.
    .amount = { $measured } oggetti
problem-shared-uuid = L’oggetto ha lo stesso identificatore di un altro e potrebbe esserne una copia.
problem-invalid-shape = Posizione, dimensioni, rotazione o forma dell’oggetto non è valida e cambierà.
problem-outside = L’oggetto è fuori dalla sua regione e andrà perso.
    .amount = { $measured } m fuori
problem-wrong-height = L’oggetto è troppo in alto o troppo in basso e andrà perso.
    .amount = a un’altezza di { $measured } m
problem-nested-missing = Non si trova un oggetto contenuto in un altro.
problem-nested-deep = Ci sono oggetti dentro altri oggetti su troppi livelli.
    .amount = { $measured } livelli, a rischio da { $limit } in su
problem-link-order = I numeri di collegamento dell’oggetto sono in disordine; gli script possono cambiare il prim sbagliato.
problem-asset-missing = Manca una texture, una mesh, un suono o un elemento dell’oggetto.
    .amount = mancanti: { $measured }
problem-asset-damaged = Una texture, una mesh, un suono o un elemento dell’oggetto è danneggiato.
problem-texture-not-shown = I viewer non mostrano una texture dell’oggetto per via delle sue dimensioni.
problem-many-scripts = L’oggetto ha moltissimi script, che rallentano la regione.
    .amount = { $measured } script, consigliati al massimo { $limit }
problem-script-refused = Uno script usa funzioni o un linguaggio che la grid non permette.
problem-script-data-lost = I dati salvati degli script andranno persi.
problem-parcel-damaged = I dati salvati del lotto sono danneggiati.
problem-inventory-items = Elementi del tuo inventario hanno perso il loro contenuto; non si possono aprire, indossare o rezzare.
    .amount = elementi: { $measured }
problem-inventory-links = Collegamenti nel tuo inventario non portano da nessuna parte.
    .amount = collegamenti: { $measured }
problem-inventory-folders = Cartelle del tuo inventario sono danneggiate; possono mancare elementi, o l’accesso può fallire.
problem-file-damaged = Il file salvato ha un errore e il caricamento si ferma lì.
problem-uuid-missing = A prim o elementi dell’oggetto manca un identificatore proprio.
problem-mesh-conflict = Un’altra risorsa ha lo stesso identificatore di una mesh dell’oggetto; può arrivare quella sbagliata.
problem-other = Un controllo dei gestori ha trovato qualcos’altro.

cure-land-room =
    Scegli Mondo > Informazioni sul terreno > OGGETTI per vedere che cosa c’è sul tuo terreno.
    Prendi o elimina ciò che non ti serve.
    Imposta le mesh pesanti su «Inviluppo convesso»: Modifica > { -features } > { -shape } > Inviluppo convesso.
    .title = Fai posto sul tuo terreno
cure-fewer-prims =
    Scegli Mondo > Informazioni sul terreno > OGGETTI per vedere che cosa c’è sul tuo terreno.
    Prendi o elimina ciò che non ti serve.
    .title = Fai posto sul tuo terreno
cure-convex-hull =
    Fai clic sull’oggetto con il tasto destro e scegli «Modifica».
    Spunta «Modifica parti collegate» e fai clic sul prim che mostra la mesh.
    Apri la scheda «{ -features }» e imposta «{ -shape }» su «Inviluppo convesso» (Convex Hull).
    Cammina intorno all’oggetto: le aperture di questo prim ora collidono come se fossero chiuse, e le parti fuori dall’involucro non collidono più.
    .title = Imposta dei prim su «Inviluppo convesso»
cure-shape-none =
    Fai clic sull’oggetto con il tasto destro e scegli «Modifica».
    Spunta «Modifica parti collegate» e fai clic su un prim che nessuno deve toccare o calpestare.
    Apri la scheda «{ -features }» e imposta «{ -shape }» su «Nessuno». Il prim radice non può avere «Nessuno».
    .title = Fai collidere meno prim
cure-leave-room =
    Non cambiare qui la forma fisica o il materiale dell’oggetto, e non collegarvi una mesh.
    Se vuoi modificarlo, portalo su un terreno con più posto.
    Lì imposta i suoi prim su «Inviluppo convesso»: Modifica > { -features } > { -shape } > Inviluppo convesso.
    .title = Lascia l’oggetto com’è, o modificalo altrove
cure-split =
    Fai clic sull’oggetto con il tasto destro e scegli «Modifica».
    Spunta «Modifica parti collegate» e, con Maiusc, fai clic sui prim che saranno un oggetto a sé.
    Scegli Costruisci > Scollega, poi Costruisci > Collegamento.
    .title = Dividi l’oggetto in più oggetti
cure-unlink =
    Fai clic sull’oggetto con il tasto destro e scegli «Modifica».
    Spunta «Modifica parti collegate» e fai clic sui prim più lontani.
    Scegli Costruisci > Scollega. Poi sposta o elimina questi prim.
    .title = Scollega i prim lontani
cure-smaller =
    Fai clic sull’oggetto con il tasto destro e scegli «Modifica».
    Spunta «Modifica parti collegate» e fai clic sul prim grande.
    Apri la scheda «Oggetto» e riduci le dimensioni.
    .title = Rimpicciolisci il prim
cure-root-shape =
    Fai clic sull’oggetto con il tasto destro e scegli «Modifica».
    Apri la scheda «Oggetto» e spunta «Fantasma», se nessuno deve toccare o calpestare l’oggetto.
    Altrimenti scegli Costruisci > Scollega e collega di nuovo, selezionando per ultimo un altro prim.
    .title = Rendi l’oggetto fantasma, o cambia il suo prim radice
cure-upload-mesh =
    Se non hai fatto tu la mesh, chiedi una nuova versione al suo creatore.
    Se l’hai fatta tu, scegli Costruisci > Carica sul server > Modella e apri il tuo modello.
    Nella scheda «Fisica» scegli una forma semplice e chiusa.
    Sostituisci il vecchio oggetto con il nuovo.
    .title = Carica di nuovo la mesh
cure-delete-copy =
    Vai sul posto e guarda se le copie sono volute.
    Se non lo sono, fai clic su una di esse con il tasto destro e scegli «Elimina».
    .title = Elimina le copie in più
cure-set-again =
    Fai clic sull’oggetto con il tasto destro e scegli «Modifica».
    Apri la scheda «Oggetto» e imposta di nuovo posizione, dimensioni e rotazione.
    Se l’oggetto non serve più, eliminalo.
    .title = Imposta di nuovo posizione e dimensioni
cure-move-inside =
    Fai clic sull’oggetto con il tasto destro e scegli «Modifica».
    Apri la scheda «Oggetto» e imposta una posizione dentro la regione.
    Se l’oggetto è caduto o volato via e non serve più, eliminalo.
    .title = Sposta l’oggetto dentro la sua regione
cure-nested =
    Apri il contenuto dell’oggetto esterno: Modifica > Contenuto.
    Trascina gli oggetti interni nel tuo inventario e rezzali una volta.
    Elimina quelli che non compaiono: sono persi. Conserva gli altri separatamente.
    .title = Togli gli oggetti da altri oggetti
cure-relink =
    Fai clic sull’oggetto con il tasto destro, scegli «Modifica», poi Costruisci > Scollega.
    Seleziona tutti i prim, per ultimo il prim radice, e scegli Costruisci > Collegamento.
    .title = Collega di nuovo l’oggetto
cure-replace-asset =
    Fai clic sull’oggetto con il tasto destro e scegli «Modifica».
    Imposta una texture mancante nella scheda «Texture», e una Sculpt Texture nella scheda «Oggetto».
    Elimina e sostituisci un elemento mancante nella scheda «Contenuto».
    Sostituisci un oggetto senza la sua mesh con una nuova copia.
    .title = Sostituisci ciò che manca
cure-texture-size =
    Ridimensiona l’immagine a lati come 512 × 1.024 pixel.
    Caricala: Costruisci > Carica sul server > Immagine.
    Sceglila in Modifica > Texture.
    .title = Carica la texture in un’altra dimensione
cure-fewer-scripts =
    Fai clic sull’oggetto con il tasto destro, scegli «Modifica» e apri la scheda «Contenuto».
    Elimina gli script che hanno finito il loro lavoro, come quelli che impostano una volta un testo o una texture.
    Lascia che un solo script controlli tutti i prim.
    .title = Togli script
cure-rewrite-script =
    Fai clic sull’oggetto con il tasto destro, scegli «Modifica» e apri la scheda «Contenuto».
    Chiedi all’autore dello script una versione senza queste funzioni.
    Oppure chiedi ai gestori se possono permetterle.
    .title = Cambia lo script
cure-script-data =
    Se manca uno script nella scheda «Contenuto», rimettilo.
    Dopo il trasloco, reimposta gli script perché scrivano di nuovo i loro dati.
    .title = Fai scrivere di nuovo i dati agli script
cure-check-parcel =
    Dopo il trasloco, scegli Mondo > Informazioni sul terreno e controlla nome, proprietario e confini del lotto.
    .title = Controlla il tuo lotto dopo il trasloco
cure-delete-items =
    Apri il tuo inventario e cerca gli elementi per nome.
    Elimina gli elementi e i collegamenti che non funzionano più.
    Prendi o chiedi una nuova copia di ciò che ti serve.
    .title = Elimina gli elementi difettosi
cure-operator =
    Non puoi riparare questo nel viewer.
    Mostra questa lettera ai gestori e chiedi loro di riparare l’oggetto o di esportarlo di nuovo.
    .title = Chiedi ai gestori
moved-title = Dopo il trasloco: i tuoi oggetti
moved-intro = Abbiamo trasferito i tuoi oggetti su { $target } e abbiamo confrontato i due lati.
moved-counts = Sono arrivati { $arrived } di { $objects ->
        [one] { $objects } oggetto
       *[other] { $objects } oggetti
    }.
problem-moved-lost = Questi oggetti non sono arrivati.
problem-moved-incomplete = Questi oggetti sono arrivati senza alcune parti o contenuti.
    .amount = { $measured ->
        [one] manca { $measured } parte o contenuto
       *[other] mancano { $measured } parti o contenuti
    }
problem-moved-land = Questi appezzamenti non sono arrivati.
problem-moved-items = Questi elementi del tuo inventario non sono arrivati.
cure-moved-lost =
    Cerca l'oggetto nel tuo inventario, anche nella cartella Oggetti smarriti.
    Se hai una copia, collocala di nuovo.
    Altrimenti chiedi agli operatori finché esiste la vecchia grid.
    .title = Recupera ciò che non è arrivato
cure-moved-land =
    Comunica agli operatori il nome e la regione del tuo appezzamento.
    Possono dividere di nuovo il terreno e dartelo.
    .title = Recupera il tuo terreno
cure-moved-items =
    Cerca nelle altre cartelle del tuo inventario, anche in Oggetti smarriti.
    Se non ci sono, chiedi agli operatori finché esiste la vecchia grid.
    .title = Cerca i tuoi elementi
cure-moved-incomplete =
    Fai clic destro sull'oggetto, scegli Modifica e apri la scheda Contenuto.
    Rimetti i contenuti mancanti, o sostituisci l'oggetto con una copia.
    .title = Completa i tuoi oggetti

# Palabras de las cartas a propietarios. Menús y pestañas se llaman como en el visor en este idioma.
# Una solución tiene un paso por línea. Todos los idiomas tienen las mismas claves y variables; una prueba lo comprueba.

-features = Caracter.
-shape = Tipo de forma física

title = Sus objetos: qué reparar y cómo
title-grid = Sus objetos en { $grid }: qué reparar y cómo
address = Para { $name }
address-unknown = Para el propietario de estos objetos
intro = Hemos comprobado sus objetos para { $target }.
have = Usted tiene { $objects ->
        [one] { $objects } objeto
       *[other] { $objects } objetos
    } con { $prims ->
        [one] { $prims } prim
       *[other] { $prims } prims
    } en regiones. Su impacto en el terreno es de { $bound ->
        [lower] al menos { $impact }
       *[exact] { $impact }
    }.
elsewhere = { $objects ->
        [one] { $objects } objeto está en inventarios o archivos.
       *[other] { $objects } objetos están en inventarios o archivos.
    }
land-impact-used = Su terreno soporta un impacto de { $used }; hay sitio para { $capacity }.
land-prims-used = En su terreno hay { $used } prims; hay sitio para { $capacity }.
attention = { $things ->
        [one] { $things } objeto o parcela necesita su atención.
       *[other] { $things } objetos y parcelas necesitan su atención.
    }
incomplete = No se pudieron leer por completo todas las exportaciones, así que puede haber más que reparar.
help-most = Lo que más ayuda
action = { $words } ({ $name }, { $place }). El impacto en el terreno baja de { $before } a { $after }.
action-links = { $count ->
        [one] número de enlace { $links }
       *[other] números de enlace { $links }
    }
action-objects = en { $count } objetos
action-more-places = { $more ->
        [one] { $place } y en { $more } lugar más
       *[other] { $place } y en { $more } lugares más
    }
action-closes-openings = Sus aberturas quedan entonces cerradas para los avatares: si la gente pasa por él, pida a su creador una forma física de cajas.
action-convex-hull = { $edits ->
        [one] Ponga { $edits } prim en «Apariencia convexa»
       *[other] Ponga { $edits } prims en «Apariencia convexa»
    }
action-shape-none = { $edits ->
        [one] Ponga { $edits } prim en la forma física «Ninguno»
       *[other] Ponga { $edits } prims en la forma física «Ninguno»
    }
action-coarser-levels = { $edits ->
        [one] Suba de nuevo { $edits } malla con niveles bajos de detalle más sencillos
       *[other] Suba de nuevo { $edits } mallas con niveles bajos de detalle más sencillos
    }
action-remove-copy = { $edits ->
        [one] Elimine la copia de este objeto en la misma posición
       *[other] Elimine { $edits } copias de este objeto en la misma posición
    }
action-link = { $edits ->
        [one] Enlace { $edits } objeto con otro
       *[other] Enlace { $edits } objetos en uno solo
    }
broken = Qué está mal y cómo repararlo
how-to = Cómo hacerlo:
urgent = urgente
important = importante
recommended = recomendado
quoted = «{ $name }»
times = { $count } × { $name }
unnamed = objeto sin nombre
parcel = parcela { $name }
parcel-unnamed = parcela sin nombre
region = región { $name }
inventory = inventario
place = región { $region } en { $positions }
in-region = región { $region }
in-file = archivo { $file }
in-inventory = en un inventario
in-inventory-at = en un inventario: { $path }
more-places = { $count ->
        [one] y en { $count } sitio más
       *[other] y en { $count } sitios más
    }
more-objects = { $count ->
        [one] y { $count } objeto más
       *[other] y { $count } objetos más
    }
more-cures = { $count ->
        [one] Cuando esto esté reparado, queda { $count } tipo más de reparación para otra carta.
       *[other] Cuando esto esté reparado, quedan { $count } tipos más de reparación para otra carta.
    }
unchanged = No hemos cambiado nada.
ask = Si tiene preguntas, diríjase a { $contact }.
ask-operator = Si tiene preguntas, diríjase a los operadores de su grid.
deadline = Por favor, termínelo en este plazo: { $date }.

problem-land-full = El terreno tiene más impacto del que admite.
    .amount = impacto en el terreno { $measured } de { $limit } ({ $percent } %)
problem-land-prims = El terreno tiene más prims de los que admite.
    .amount = { $measured } de { $limit } prims ({ $percent } %)
problem-too-heavy-to-move = El objeto es material, pero su peso de física es demasiado alto para serlo.
    .amount = peso de física { $measured }, se permite como máximo { $limit }
problem-object-too-heavy = El objeto tiene más impacto en el terreno del que se permite aquí a un objeto.
    .amount = impacto en el terreno { $measured }, se permite como máximo { $limit }
problem-thin-triangles = La forma de colisión de una malla está mal hecha y encarece el objeto.
    .amount = { $measured } de { $limit } triángulos
problem-physics-mesh-large = La forma física de una malla tiene demasiado detalle.
problem-many-colliding = Demasiados prims de un objeto material chocan.
    .amount = { $measured } prims que chocan, se permiten como máximo { $limit }
problem-no-room-for-edit = Un solo cambio en el objeto desbordaría el terreno.
    .amount = { $measured } más de impacto en el terreno, quedan { $limit }
problem-too-many-prims = El objeto tiene más prims de los que permite el grid.
    .amount = { $measured } prims, se permiten como máximo { $limit }
problem-too-wide = Los prims del objeto están demasiado separados para volver a enlazarlos.
    .amount = { $measured } m de ancho, se permite menos de { $limit } m
problem-child-far = Un prim enlazado está muy lejos del resto del objeto.
problem-prim-too-large = Un prim de un objeto material es demasiado grande.
    .amount = { $measured } m, se permiten como máximo { $limit } m
problem-root-none = El prim raíz tiene la forma física «Ninguno», que no puede tener.
problem-mesh-damaged = Una malla del objeto está dañada.
problem-hull-missing = La forma de colisión de una malla está incompleta: se puede atravesar el objeto, o chocar con nada.
problem-hull-complex = La forma física de una malla tiene más envolturas o vértices de los que permite el grid.
problem-mesh-too-large = El archivo de una malla es demasiado grande.
problem-collides-elsewhere = El objeto choca de otra forma en el otro grid; puede que se cierren puertas.
problem-same-place = Varios objetos parecen iguales y están en la misma posición.
    .amount = { $measured } objetos
problem-shared-uuid = El objeto tiene el mismo identificador que otro, y puede ser una copia de él.
problem-invalid-shape = La posición, el tamaño, la rotación o la forma del objeto no es válida y cambiará.
problem-outside = El objeto está fuera de su región y se perderá.
    .amount = { $measured } m fuera
problem-wrong-height = El objeto está demasiado alto o demasiado bajo y se perderá.
    .amount = a una altura de { $measured } m
problem-nested-missing = No se encuentra un objeto que está dentro de otro.
problem-nested-deep = Hay objetos metidos dentro de otros con demasiados niveles.
    .amount = { $measured } niveles, con riesgo a partir de { $limit }
problem-link-order = Los números de enlace del objeto están desordenados; los scripts pueden cambiar el prim equivocado.
problem-asset-missing = Falta una textura, una malla, un sonido o un elemento del objeto.
    .amount = faltan: { $measured }
problem-asset-damaged = Una textura, una malla, un sonido o un elemento del objeto está dañado.
problem-texture-not-shown = Los visores no muestran una textura del objeto por su tamaño.
problem-many-scripts = El objeto tiene muchísimos scripts, que ralentizan la región.
    .amount = { $measured } scripts, se aconsejan como máximo { $limit }
problem-script-refused = Un script usa funciones o un lenguaje que el grid no permite.
problem-script-data-lost = Se perderán datos guardados de los scripts.
problem-parcel-damaged = Los datos guardados de la parcela están dañados.
problem-inventory-items = Elementos de su inventario han perdido su contenido; no se pueden abrir, llevar ni rezzear.
    .amount = elementos: { $measured }
problem-inventory-links = Enlaces de su inventario no llevan a ninguna parte.
    .amount = enlaces: { $measured }
problem-inventory-folders = Carpetas de su inventario están dañadas; pueden faltar elementos o fallar el inicio de sesión.
problem-file-damaged = El archivo guardado tiene un error y la carga se detiene ahí.
problem-uuid-missing = A prims o elementos del objeto les falta un identificador propio.
problem-mesh-conflict = Otro recurso tiene el mismo identificador que una malla del objeto; puede llegar el equivocado.
problem-other = Una comprobación de los operadores encontró otra cosa.

cure-land-room =
    Elija Mundo > Acerca del terreno > OBJETOS para ver lo que hay en su terreno.
    Tome o elimine lo que no necesite.
    Ponga las mallas pesadas en «Apariencia convexa»: Editar > { -features } > { -shape } > Apariencia convexa.
    .title = Haga sitio en su terreno
cure-fewer-prims =
    Elija Mundo > Acerca del terreno > OBJETOS para ver lo que hay en su terreno.
    Tome o elimine lo que no necesite.
    .title = Haga sitio en su terreno
cure-convex-hull =
    Haga clic derecho en el objeto y elija «Editar».
    Marque «Editar las partes enlazadas» y haga clic en el prim que muestra la malla.
    Abra la pestaña «{ -features }» y ponga «{ -shape }» en «Apariencia convexa» (Convex Hull).
    Camine alrededor del objeto: los huecos de este prim ahora chocan como si estuvieran cerrados, y las partes fuera de la envolvente ya no chocan.
    .title = Ponga prims en «Apariencia convexa»
cure-shape-none =
    Haga clic derecho en el objeto y elija «Editar».
    Marque «Editar las partes enlazadas» y haga clic en un prim que nadie necesite tocar ni pisar.
    Abra la pestaña «{ -features }» y ponga «{ -shape }» en «Ninguno». El prim raíz no admite «Ninguno».
    .title = Haga que choquen menos prims
cure-leave-room =
    No cambie aquí la forma física ni el material del objeto, ni le enlace una malla.
    Si quiere editarlo, lléveselo a un terreno con más sitio.
    Ponga allí sus prims en «Apariencia convexa»: Editar > { -features } > { -shape } > Apariencia convexa.
    .title = Deje el objeto como está o edítelo en otro sitio
cure-split =
    Haga clic derecho en el objeto y elija «Editar».
    Marque «Editar las partes enlazadas» y, con Mayús, haga clic en los prims que serán un objeto aparte.
    Elija Construir > Desenlazar y después Construir > Enlazar.
    .title = Divida el objeto en varios
cure-unlink =
    Haga clic derecho en el objeto y elija «Editar».
    Marque «Editar las partes enlazadas» y haga clic en los prims más alejados.
    Elija Construir > Desenlazar. Después mueva o elimine esos prims.
    .title = Desenlace los prims alejados
cure-smaller =
    Haga clic derecho en el objeto y elija «Editar».
    Marque «Editar las partes enlazadas» y haga clic en el prim grande.
    Abra la pestaña «Objeto» y reduzca el tamaño.
    .title = Haga el prim más pequeño
cure-root-shape =
    Haga clic derecho en el objeto y elija «Editar».
    Abra la pestaña «Objeto» y marque «Inmaterial», si nadie necesita tocar ni pisar el objeto.
    Si no, elija Construir > Desenlazar y enlace de nuevo con otro prim seleccionado el último.
    .title = Haga el objeto inmaterial o cambie su prim raíz
cure-upload-mesh =
    Si no hizo usted la malla, pida a su creador una versión nueva.
    Si la hizo usted, elija Construir > Subir > Modelo y abra su modelo.
    En la pestaña «Física» elija una forma sencilla y cerrada.
    Sustituya el objeto antiguo por el nuevo.
    .title = Suba la malla de nuevo
cure-delete-copy =
    Vaya al lugar y mire si las copias son intencionadas.
    Si no lo son, haga clic derecho en una de ellas y elija «Borrar».
    .title = Elimine las copias sobrantes
cure-set-again =
    Haga clic derecho en el objeto y elija «Editar».
    Abra la pestaña «Objeto» y ponga de nuevo posición, tamaño y rotación.
    Si el objeto ya no sirve, elimínelo.
    .title = Ponga de nuevo la posición y el tamaño
cure-move-inside =
    Haga clic derecho en el objeto y elija «Editar».
    Abra la pestaña «Objeto» y ponga una posición dentro de la región.
    Si el objeto se cayó o salió volando y ya no sirve, elimínelo.
    .title = Mueva el objeto dentro de su región
cure-nested =
    Abra el contenido del objeto exterior: Editar > Contenido.
    Arrastre los objetos interiores a su inventario y colóquelos una vez en el mundo.
    Elimine los que no aparezcan: están perdidos. Guarde los demás por separado.
    .title = Saque los objetos de otros objetos
cure-relink =
    Haga clic derecho en el objeto, elija «Editar» y después Construir > Desenlazar.
    Seleccione todos los prims, el prim raíz el último, y elija Construir > Enlazar.
    .title = Enlace el objeto de nuevo
cure-replace-asset =
    Haga clic derecho en el objeto y elija «Editar».
    Ponga una textura que falte en la pestaña «Textura», y una textura de sculpted en la pestaña «Objeto».
    Elimine y sustituya un elemento que falte en la pestaña «Contenido».
    Sustituya un objeto sin su malla por una copia nueva.
    .title = Sustituya lo que falta
cure-texture-size =
    Escale la imagen a lados como 512 × 1024 píxeles.
    Súbala: Construir > Subir > Imagen.
    Elíjala en Editar > Textura.
    .title = Suba la textura en otro tamaño
cure-fewer-scripts =
    Haga clic derecho en el objeto, elija «Editar» y abra la pestaña «Contenido».
    Elimine los scripts que ya hicieron su trabajo, como los que ponen una vez un texto o una textura.
    Deje que un solo script controle todos los prims.
    .title = Quite scripts
cure-rewrite-script =
    Haga clic derecho en el objeto, elija «Editar» y abra la pestaña «Contenido».
    Pida al autor del script una versión sin esas funciones.
    O pregunte a los operadores si pueden permitirlas.
    .title = Cambie el script
cure-script-data =
    Si falta un script en la pestaña «Contenido», vuelva a ponerlo.
    Después del traslado, reinicie los scripts para que escriban de nuevo sus datos.
    .title = Haga que los scripts escriban de nuevo sus datos
cure-check-parcel =
    Después del traslado, elija Mundo > Acerca del terreno y compruebe nombre, propietario y límites de la parcela.
    .title = Compruebe su parcela después del traslado
cure-delete-items =
    Abra su inventario y busque los elementos por su nombre.
    Elimine los elementos y enlaces que ya no funcionan.
    Tome o pida una copia nueva de lo que necesite.
    .title = Elimine los elementos defectuosos
cure-operator =
    Esto no se puede reparar en el visor.
    Enseñe esta carta a los operadores y pídales que reparen el objeto o lo exporten de nuevo.
    .title = Pregunte a los operadores
moved-title = Después de la mudanza: tus objetos
moved-intro = Hemos trasladado tus objetos a { $target } y hemos comparado los dos lados.
moved-counts = Han llegado { $arrived } de { $objects ->
        [one] { $objects } objeto
       *[other] { $objects } objetos
    }.
problem-moved-lost = Estos objetos no han llegado.
problem-moved-incomplete = Estos objetos han llegado sin algunas de sus partes o de sus contenidos.
    .amount = { $measured ->
        [one] falta { $measured } parte o contenido
       *[other] faltan { $measured } partes o contenidos
    }
problem-moved-land = Estas parcelas no han llegado.
problem-moved-items = Estos artículos de tu inventario no han llegado.
cure-moved-lost =
    Busca el objeto en tu inventario, también en la carpeta Objetos perdidos.
    Si tienes una copia, colócala otra vez.
    Si no, pregunta a los operadores mientras exista el grid antiguo.
    .title = Recupera lo que no ha llegado
cure-moved-land =
    Di a los operadores el nombre y la región de tu parcela.
    Ellos pueden dividir el terreno otra vez y dártelo.
    .title = Recupera tu terreno
cure-moved-items =
    Busca en las otras carpetas de tu inventario, también en Objetos perdidos.
    Si no está, pregunta a los operadores mientras exista el grid antiguo.
    .title = Busca tus artículos
cure-moved-incomplete =
    Haz clic derecho en el objeto, elige Editar y abre la pestaña Contenido.
    Vuelve a poner los contenidos que faltan, o sustituye el objeto por una copia.
    .title = Completa tus objetos

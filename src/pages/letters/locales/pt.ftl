# Palavras das cartas a proprietários. Menus e abas têm o nome do visualizador neste idioma.
# Uma solução tem um passo por linha. Todos os idiomas têm as mesmas chaves e variáveis; um teste verifica isso.

-features = Recursos
-shape = Tipo de formato físico

title = Seus objetos: o que reparar e como
title-grid = Seus objetos em { $grid }: o que reparar e como
address = Para { $name }
address-unknown = Para o proprietário destes objetos
intro = Verificamos seus objetos para { $target }.
have = Você tem { $objects ->
        [one] { $objects } objeto
       *[other] { $objects } objetos
    } com { $prims ->
        [one] { $prims } prim
       *[other] { $prims } prims
    } em regiões. O impacto no terreno é de { $bound ->
        [lower] pelo menos { $impact }
       *[exact] { $impact }
    }.
elsewhere = { $objects ->
        [one] { $objects } objeto está em inventários ou arquivos.
       *[other] { $objects } objetos estão em inventários ou arquivos.
    }
land-impact-used = Seu terreno tem um impacto de { $used }; há espaço para { $capacity }.
land-prims-used = Seu terreno tem { $used } prims; há espaço para { $capacity }.
attention = { $things ->
        [one] { $things } objeto ou lote precisa da sua atenção.
       *[other] { $things } objetos e lotes precisam da sua atenção.
    }
incomplete = Nem todas as exportações puderam ser lidas por completo; pode haver mais a reparar.
help-most = O que mais ajuda
action = { $words } ({ $name }, { $place }). O impacto no terreno cai de { $before } para { $after }.
action-links = { $count ->
        [one] número do link { $links }
       *[other] números dos links { $links }
    }
action-objects = em { $count } objetos
action-more-places = { $more ->
        [one] { $place } e em mais { $more } lugar
       *[other] { $place } e em mais { $more } lugares
    }
action-closes-openings = As aberturas dele ficam então fechadas para avatares: se as pessoas passam por ele, peça ao criador uma forma física de caixas.
action-convex-hull = { $edits ->
        [one] Ajuste { $edits } prim para “Hull convexo”
       *[other] Ajuste { $edits } prims para “Hull convexo”
    }
action-shape-none = { $edits ->
        [one] Ajuste { $edits } prim para o formato físico “Nenhum”
       *[other] Ajuste { $edits } prims para o formato físico “Nenhum”
    }
action-coarser-levels = { $edits ->
        [one] Envie de novo { $edits } malha com níveis baixos de detalhe mais simples
       *[other] Envie de novo { $edits } malhas com níveis baixos de detalhe mais simples
    }
action-remove-copy = { $edits ->
        [one] Exclua a cópia deste objeto na mesma posição
       *[other] Exclua { $edits } cópias deste objeto na mesma posição
    }
action-link = { $edits ->
        [one] Conecte { $edits } objeto a outro
       *[other] Conecte { $edits } objetos em um só
    }
broken = O que está com defeito e como reparar
how-to = Como fazer:
urgent = urgente
important = importante
recommended = recomendado
quoted = “{ $name }”
times = { $count } × { $name }
unnamed = objeto sem nome
parcel = lote { $name }
parcel-unnamed = lote sem nome
region = região { $name }
inventory = inventário
place = região { $region } em { $positions }
in-region = região { $region }
in-file = arquivo { $file }
in-inventory = em um inventário
in-inventory-at = em um inventário: { $path }
more-places = { $count ->
        [one] e em mais { $count } lugar
       *[other] e em mais { $count } lugares
    }
more-objects = { $count ->
        [one] e mais { $count } objeto
       *[other] e mais { $count } objetos
    }
more-cures = { $count ->
        [one] Quando isso estiver reparado, resta mais { $count } tipo de reparo para outra carta.
       *[other] Quando isso estiver reparado, restam mais { $count } tipos de reparo para outra carta.
    }
unchanged = Não alteramos nada.
ask = Se tiver dúvidas, pergunte a { $contact }.
ask-operator = Se tiver dúvidas, pergunte aos operadores da sua grid.
deadline = Por favor, conclua dentro deste prazo: { $date }.

problem-land-full = O terreno tem mais impacto do que comporta.
    .amount = impacto no terreno { $measured } de { $limit } ({ $percent } %)
problem-land-prims = O terreno tem mais prims do que comporta.
    .amount = { $measured } de { $limit } prims ({ $percent } %)
problem-too-heavy-to-move = O objeto é físico, mas seu peso de física é alto demais para isso.
    .amount = peso de física { $measured }, no máximo { $limit } permitido
problem-object-too-heavy = O objeto tem mais impacto no terreno do que um objeto pode ter aqui.
    .amount = impacto no terreno { $measured }, no máximo { $limit } permitido
problem-thin-triangles = A forma de colisão de uma malha foi mal feita e torna o objeto caro.
    .amount = { $measured } de { $limit } triângulos
problem-physics-mesh-large = O formato físico de uma malha tem detalhes demais.
problem-many-colliding = Prims demais de um objeto físico colidem.
    .amount = { $measured } prims que colidem, no máximo { $limit } permitidos
problem-no-room-for-edit = Uma única alteração do objeto lotaria o terreno.
    .amount = mais { $measured } de impacto no terreno, restam { $limit }
problem-too-many-prims = O objeto tem mais prims do que a grid permite.
    .amount = { $measured } prims, no máximo { $limit } permitidos
problem-too-wide = Os prims do objeto estão distantes demais para serem conectados de novo.
    .amount = { $measured } m de largura, permitido menos de { $limit } m
problem-child-far = Um prim conectado está muito longe do resto do objeto.
problem-prim-too-large = Um prim de um objeto físico é grande demais.
    .amount = { $measured } m, no máximo { $limit } m permitidos
problem-root-none = O prim raiz tem o formato físico “Nenhum”, que ele não pode ter.
problem-mesh-damaged = Uma malha do objeto está danificada.
problem-hull-missing = A forma de colisão de uma malha está incompleta: dá para atravessar o objeto, ou bater em nada.
problem-hull-complex = O formato físico de uma malha tem mais hulls ou vértices do que a grid permite.
problem-mesh-too-large = O arquivo de uma malha é grande demais.
problem-collides-elsewhere = O objeto colide de outra forma na outra grid; passagens podem se fechar.
problem-same-place = Vários objetos parecem iguais e estão na mesma posição.
    .amount = { $measured } objetos
problem-shared-uuid = O objeto tem o mesmo identificador que outro e pode ser uma cópia dele.
problem-invalid-shape = A posição, o tamanho, a rotação ou a forma do objeto é inválida e vai mudar.
problem-outside = O objeto está fora da sua região e será perdido.
    .amount = { $measured } m fora
problem-wrong-height = O objeto está alto demais ou baixo demais e será perdido.
    .amount = a uma altura de { $measured } m
problem-nested-missing = Um objeto dentro de outro não foi encontrado.
problem-nested-deep = Há objetos dentro de outros em níveis demais.
    .amount = { $measured } níveis, com risco a partir de { $limit }
problem-link-order = Os números de link do objeto estão fora de ordem; scripts podem alterar o prim errado.
problem-asset-missing = Falta uma textura, uma malha, um som ou um item do objeto.
    .amount = em falta: { $measured }
problem-asset-damaged = Uma textura, uma malha, um som ou um item do objeto está danificado.
problem-texture-not-shown = Os visualizadores não mostram uma textura do objeto por causa do tamanho dela.
problem-many-scripts = O objeto tem scripts demais, que deixam a região lenta.
    .amount = { $measured } scripts, no máximo { $limit } recomendados
problem-script-refused = Um script usa funções ou uma linguagem que a grid não permite.
problem-script-data-lost = Dados salvos de scripts serão perdidos.
problem-parcel-damaged = Os dados salvos do lote estão danificados.
problem-inventory-items = Itens do seu inventário perderam o conteúdo; não podem ser abertos, usados nem colocados no mundo.
    .amount = itens: { $measured }
problem-inventory-links = Links do seu inventário não levam a lugar nenhum.
    .amount = links: { $measured }
problem-inventory-folders = Pastas do seu inventário estão danificadas; itens podem faltar, ou o acesso pode falhar.
problem-file-damaged = O arquivo salvo tem um erro, e o carregamento para nele.
problem-uuid-missing = Prims ou itens do objeto não têm um identificador próprio.
problem-mesh-conflict = Outro recurso tem o mesmo identificador que uma malha do objeto; pode chegar o errado.
problem-other = Uma verificação dos operadores encontrou outra coisa.

cure-land-room =
    Escolha Mundo > Sobre terrenos > OBJETOS para ver o que há no seu terreno.
    Pegue ou exclua o que não precisa.
    Ajuste malhas pesadas para “Hull convexo”: Editar > { -features } > { -shape } > Hull convexo.
    .title = Abra espaço no seu terreno
cure-fewer-prims =
    Escolha Mundo > Sobre terrenos > OBJETOS para ver o que há no seu terreno.
    Pegue ou exclua o que não precisa.
    .title = Abra espaço no seu terreno
cure-convex-hull =
    Clique no objeto com o botão direito e escolha “Editar”.
    Marque “Editar partes linkadas” e clique no prim que mostra a malha.
    Abra a aba “{ -features }” e ajuste “{ -shape }” para “Hull convexo” (Convex Hull).
    Ande em volta do objeto: as aberturas deste prim agora colidem como se estivessem fechadas, e as partes fora do envoltório já não colidem.
    .title = Ajuste prims para “Hull convexo”
cure-shape-none =
    Clique no objeto com o botão direito e escolha “Editar”.
    Marque “Editar partes linkadas” e clique em um prim que ninguém precise tocar nem pisar.
    Abra a aba “{ -features }” e ajuste “{ -shape }” para “Nenhum”. O prim raiz não pode ter “Nenhum”.
    .title = Deixe menos prims colidirem
cure-leave-room =
    Não altere aqui o formato físico nem o material do objeto, e não conecte uma malha a ele.
    Se quiser editá-lo, leve-o para um terreno com mais espaço.
    Lá, ajuste os prims para “Hull convexo”: Editar > { -features } > { -shape } > Hull convexo.
    .title = Deixe o objeto como está ou edite-o em outro lugar
cure-split =
    Clique no objeto com o botão direito e escolha “Editar”.
    Marque “Editar partes linkadas” e, com Shift, clique nos prims que serão um objeto à parte.
    Escolha Construir > Desconectar links e depois Construir > Link.
    .title = Divida o objeto em vários
cure-unlink =
    Clique no objeto com o botão direito e escolha “Editar”.
    Marque “Editar partes linkadas” e clique nos prims mais distantes.
    Escolha Construir > Desconectar links. Depois mova ou exclua esses prims.
    .title = Desconecte os prims distantes
cure-smaller =
    Clique no objeto com o botão direito e escolha “Editar”.
    Marque “Editar partes linkadas” e clique no prim grande.
    Abra a aba “Objeto” e diminua o tamanho.
    .title = Deixe o prim menor
cure-root-shape =
    Clique no objeto com o botão direito e escolha “Editar”.
    Abra a aba “Objeto” e marque “Fantasma”, se ninguém precisar tocar nem pisar no objeto.
    Senão, escolha Construir > Desconectar links e conecte de novo, selecionando outro prim por último.
    .title = Torne o objeto fantasma ou troque o prim raiz
cure-upload-mesh =
    Se você não fez a malha, peça uma nova versão ao criador.
    Se você a fez, escolha Construir > Upload > Modelar e abra o seu modelo.
    Na aba “Físico”, escolha um formato simples e fechado.
    Troque o objeto antigo pelo novo.
    .title = Envie a malha de novo
cure-delete-copy =
    Vá ao lugar e veja se as cópias são intencionais.
    Se não forem, clique em uma delas com o botão direito e escolha “Excluir”.
    .title = Exclua as cópias que sobram
cure-set-again =
    Clique no objeto com o botão direito e escolha “Editar”.
    Abra a aba “Objeto” e defina de novo posição, tamanho e rotação.
    Se o objeto não serve mais, exclua-o.
    .title = Defina de novo a posição e o tamanho
cure-move-inside =
    Clique no objeto com o botão direito e escolha “Editar”.
    Abra a aba “Objeto” e defina uma posição dentro da região.
    Se o objeto caiu ou saiu voando e não serve mais, exclua-o.
    .title = Mova o objeto para dentro da sua região
cure-nested =
    Abra o conteúdo do objeto de fora: Editar > Conteúdo.
    Arraste os objetos de dentro para o seu inventário e coloque-os uma vez no mundo.
    Exclua os que não aparecerem: estão perdidos. Guarde os outros separadamente.
    .title = Tire objetos de dentro de outros
cure-relink =
    Clique no objeto com o botão direito, escolha “Editar” e depois Construir > Desconectar links.
    Selecione todos os prims, o prim raiz por último, e escolha Construir > Link.
    .title = Conecte o objeto de novo
cure-replace-asset =
    Clique no objeto com o botão direito e escolha “Editar”.
    Defina uma textura que falta na aba “Textura” e uma textura de escultura na aba “Objeto”.
    Exclua e substitua um item que falta na aba “Conteúdo”.
    Troque um objeto sem sua malha por uma cópia nova.
    .title = Substitua o que falta
cure-texture-size =
    Redimensione a imagem para lados como 512 × 1.024 pixels.
    Envie-a: Construir > Upload > Imagem.
    Escolha-a em Editar > Textura.
    .title = Envie a textura em outro tamanho
cure-fewer-scripts =
    Clique no objeto com o botão direito, escolha “Editar” e abra a aba “Conteúdo”.
    Exclua scripts que já fizeram seu trabalho, como os que definem uma vez um texto ou uma textura.
    Deixe um só script controlar todos os prims.
    .title = Remova scripts
cure-rewrite-script =
    Clique no objeto com o botão direito, escolha “Editar” e abra a aba “Conteúdo”.
    Peça ao autor do script uma versão sem essas funções.
    Ou pergunte aos operadores se podem permiti-las.
    .title = Altere o script
cure-script-data =
    Se falta um script na aba “Conteúdo”, coloque-o de volta.
    Depois da mudança, reinicie os scripts para que gravem seus dados de novo.
    .title = Deixe os scripts gravarem seus dados de novo
cure-check-parcel =
    Depois da mudança, escolha Mundo > Sobre terrenos e confira nome, proprietário e limites do lote.
    .title = Confira seu lote depois da mudança
cure-delete-items =
    Abra o seu inventário e procure os itens pelo nome.
    Exclua itens e links que não funcionam mais.
    Pegue ou peça uma nova cópia do que precisa.
    .title = Exclua os itens com defeito
cure-operator =
    Isto não pode ser reparado no visualizador.
    Mostre esta carta aos operadores e peça que reparem o objeto ou o exportem de novo.
    .title = Pergunte aos operadores
moved-title = Depois da mudança: seus objetos
moved-intro = Mudamos seus objetos para { $target } e comparamos os dois lados.
moved-counts = Chegaram { $arrived } de { $objects ->
        [one] { $objects } objeto
       *[other] { $objects } objetos
    }.
problem-moved-lost = Estes objetos não chegaram.
problem-moved-incomplete = Estes objetos chegaram sem algumas de suas partes ou conteúdos.
    .amount = { $measured ->
        [one] falta { $measured } parte ou conteúdo
       *[other] faltam { $measured } partes ou conteúdos
    }
problem-moved-land = Estas parcelas não chegaram.
problem-moved-items = Estes itens do seu inventário não chegaram.
cure-moved-lost =
    Procure o objeto no seu inventário, também na pasta Achados e perdidos.
    Se você tem uma cópia, coloque-a de novo.
    Se não, pergunte aos operadores enquanto o grid antigo existir.
    .title = Recupere o que não chegou
cure-moved-land =
    Diga aos operadores o nome e a região da sua parcela.
    Eles podem dividir o terreno de novo e dá-lo a você.
    .title = Recupere seu terreno
cure-moved-items =
    Procure nas outras pastas do seu inventário, também em Achados e perdidos.
    Se não estiver lá, pergunte aos operadores enquanto o grid antigo existir.
    .title = Procure seus itens
cure-moved-incomplete =
    Clique com o botão direito no objeto, escolha Editar e abra a aba Conteúdo.
    Coloque de novo os conteúdos que faltam, ou substitua o objeto por uma cópia.
    .title = Complete seus objetos

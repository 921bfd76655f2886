// The service worker: keeps the files of the page, so that it opens without a network. It fetches nothing else.
"use strict";

const CACHE = "hullmark-@VERSION@";
const FILES = ["./", "index.html", "engine.js", "inputs.js", "mesh.css", "mesh-picture.js",
  "mesh-tables.js", "mesh.js", "page.css", "page.js", "session.js"];

addEventListener("install", event => {
  event.waitUntil(caches.open(CACHE).then(cache => cache.addAll(FILES)).then(() => skipWaiting()));
});

addEventListener("activate", event => {
  const old = caches.keys().then(names => names.filter(name => name.startsWith("hullmark-") && name !== CACHE));
  event.waitUntil(old.then(names => Promise.all(names.map(name => caches.delete(name)))));
});

addEventListener("fetch", event => {
  event.respondWith(caches.match(event.request, { ignoreSearch: true }).then(kept => kept ?? fetch(event.request)));
});

// Chosen and dropped files, with their paths.
"use strict";

/** Returns the files of an input element, each with its path. */
function filesOf(input) {
  return [...input.files].map(file => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Returns the dropped files, with those in folders. */
async function droppedFiles(transfer) {
  // The list is empty after the event, so the entries come first.
  const entries = [...transfer.items].map(item => item.webkitGetAsEntry?.()).filter(Boolean);
  const files = [];
  for (const entry of entries) await collect(entry, "", files);
  return files;
}

async function collect(entry, folder, files) {
  const path = folder + entry.name;
  if (entry.isFile) {
    files.push({ path, file: await new Promise((done, failed) => entry.file(done, failed)) });
    return;
  }
  const reader = entry.createReader();
  // A folder is listed in parts.
  for (;;) {
    const part = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (part.length === 0) return;
    for (const inner of part) await collect(inner, `${path}/`, files);
  }
}

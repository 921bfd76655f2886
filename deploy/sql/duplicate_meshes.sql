-- Which meshes are there more than once, under several UUIDs? One UUID for all of them saves downloads.
WITH tonight AS (SELECT max(night) AS night FROM archives)
SELECT
  meshes.content_hash,
  count(DISTINCT meshes.mesh_uuid) AS uuids,
  count(DISTINCT meshes.archive) AS archives,
  max(meshes.bytes) AS bytes,
  sum(meshes.parts_using) AS parts_using
FROM meshes JOIN tonight ON meshes.night = tonight.night
WHERE meshes.content_hash IS NOT NULL
GROUP BY meshes.content_hash
HAVING count(DISTINCT meshes.mesh_uuid) > 1
ORDER BY bytes DESC;

-- Which meshes come near 256 vertices or 256 hulls?
WITH tonight AS (SELECT max(night) AS night FROM archives)
SELECT
  meshes.archive,
  meshes.entry,
  meshes.mesh_uuid,
  meshes.hulls,
  meshes.largest_hull_vertices,
  meshes.base_hull_vertices,
  meshes.parts_using
FROM meshes
JOIN tonight ON meshes.night = tonight.night
WHERE meshes.hulls >= 200 OR meshes.largest_hull_vertices >= 200 OR meshes.base_hull_vertices >= 200
ORDER BY
  greatest(
    coalesce(meshes.hulls, 0), coalesce(meshes.largest_hull_vertices, 0), coalesce(meshes.base_hull_vertices, 0)
  ) DESC;

-- Whose objects became heavier since the night before?
WITH tonight AS (SELECT max(night) AS night FROM archives),
before AS (SELECT max(archives.night) AS night FROM archives, tonight WHERE archives.night < tonight.night)
SELECT
  latest.owner_uuid,
  latest.name,
  latest.land_impact,
  latest.land_impact - coalesce(earlier.land_impact, 0) AS change,
  latest.parts - coalesce(earlier.parts, 0) AS more_prims
FROM owners AS latest
JOIN tonight ON latest.night = tonight.night
LEFT JOIN (SELECT owners.* FROM owners JOIN before ON owners.night = before.night) AS earlier
  ON earlier.owner_uuid = latest.owner_uuid
WHERE latest.land_impact > coalesce(earlier.land_impact, 0)
ORDER BY change DESC;

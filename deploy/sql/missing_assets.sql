-- Which assets are missing, and which archive has them?
WITH tonight AS (SELECT max(night) AS night FROM archives)
SELECT
  missing.asset_uuid,
  missing.kind,
  count(DISTINCT missing.archive) AS archives,
  sum(missing.objects) AS objects,
  sum(missing.uses) AS uses,
  min(missing.elsewhere) AS elsewhere
FROM missing JOIN tonight ON missing.night = tonight.night
GROUP BY missing.asset_uuid, missing.kind
ORDER BY objects DESC, uses DESC, missing.asset_uuid;

-- Which regions have had no whole export for three nights? Change the 3 at the end.
WITH tonight AS (SELECT max(night) AS night FROM archives),
of_region AS (
  SELECT
    regions.identity,
    max(regions.region) AS region,
    max(CASE WHEN archives.status = 'complete' THEN regions.night END) AS last_night
  FROM regions
  JOIN archives ON archives.night = regions.night AND archives.archive = regions.archive
  GROUP BY regions.identity
)
SELECT of_region.region, of_region.identity, of_region.last_night
FROM of_region
CROSS JOIN tonight
WHERE of_region.last_night IS NULL OR of_region.last_night <= tonight.night - INTERVAL 3 DAY
ORDER BY of_region.last_night, of_region.region;

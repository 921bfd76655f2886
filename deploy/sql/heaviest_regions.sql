-- Which regions are the heaviest, and how did they change since the night before?
WITH tonight AS (SELECT max(night) AS night FROM archives),
before AS (SELECT max(archives.night) AS night FROM archives, tonight WHERE archives.night < tonight.night),
earlier AS (
  SELECT regions.identity, archives.series, sum(regions.land_impact) AS land_impact
  FROM regions
  JOIN before ON regions.night = before.night
  JOIN archives ON archives.night = regions.night AND archives.archive = regions.archive
  GROUP BY regions.identity, archives.series
)
SELECT
  latest.region,
  latest.archive,
  latest.land_impact,
  latest.land_impact - earlier.land_impact AS change,
  latest.load,
  latest.capacity,
  latest.percent_used
FROM regions AS latest
JOIN tonight ON latest.night = tonight.night
JOIN archives ON archives.night = latest.night AND archives.archive = latest.archive
LEFT JOIN earlier ON earlier.identity = latest.identity AND earlier.series = archives.series
ORDER BY latest.land_impact DESC
LIMIT 50;

-- Which archives have linksets of an earlier archive? (XAR001) Dated copies of one archive do not count.
WITH tonight AS (SELECT max(night) AS night FROM archives),
rezzed AS (
  SELECT objects.object_uuid, objects.archive, archives.series
  FROM objects
  JOIN tonight ON objects.night = tonight.night
  JOIN archives ON archives.night = objects.night AND archives.archive = objects.archive
  WHERE objects.role = 'rezzed' AND objects.object_uuid <> '00000000-0000-0000-0000-000000000000'
),
with_first AS (
  SELECT
    archive,
    series,
    first_value(archive) OVER (PARTITION BY object_uuid ORDER BY archive) AS first_archive,
    first_value(series) OVER (PARTITION BY object_uuid ORDER BY archive) AS first_series
  FROM rezzed
)
SELECT archive, first_archive, count(*) AS objects
FROM with_first
WHERE series <> first_series
GROUP BY archive, first_archive
ORDER BY objects DESC, archive;

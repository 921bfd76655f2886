-- Which findings are gone since the night before? Waived ones do not count.
-- A series is the path of an archive without its date.
WITH tonight AS (SELECT max(night) AS night FROM archives),
before AS (SELECT max(archives.night) AS night FROM archives, tonight WHERE archives.night < tonight.night),
found AS (
  SELECT findings.*, coalesce(archives.series, '') AS series
  FROM findings
  LEFT JOIN archives ON archives.night = findings.night AND archives.archive = findings.archive
  WHERE findings.waived_until IS NULL
),
other AS (SELECT found.series, found.fingerprint FROM found JOIN tonight ON found.night = tonight.night)
SELECT severity, code, archive, region, object_name, message, count, fingerprint
FROM found
JOIN before ON found.night = before.night
WHERE NOT EXISTS (
  SELECT 1 FROM other WHERE other.series = found.series AND other.fingerprint = found.fingerprint
)
ORDER BY
  CASE severity WHEN 'blocker' THEN 0 WHEN 'error' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END,
  weight DESC;

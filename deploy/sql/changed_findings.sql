-- Which findings are new since the night before, and which are gone? Waived ones do not count.
-- A series is the path of an archive without its date.
WITH tonight AS (SELECT max(night) AS night FROM archives),
before AS (SELECT max(archives.night) AS night FROM archives, tonight WHERE archives.night < tonight.night),
found AS (
  SELECT
    findings.*,
    max(CASE WHEN findings.night = before.night THEN 1 ELSE 0 END) OVER same AS was_there,
    max(CASE WHEN findings.night = tonight.night THEN 1 ELSE 0 END) OVER same AS is_there
  FROM findings
  JOIN tonight ON findings.night <= tonight.night
  JOIN before ON findings.night >= before.night
  LEFT JOIN archives ON archives.night = findings.night AND archives.archive = findings.archive
  WHERE findings.waived_until IS NULL
  WINDOW same AS (PARTITION BY coalesce(archives.series, ''), findings.fingerprint)
)
SELECT
  CASE WHEN is_there = 1 THEN 'new' ELSE 'gone' END AS change,
  severity,
  code,
  archive,
  region,
  object_name,
  message,
  count,
  fingerprint
FROM found
WHERE was_there + is_there = 1
ORDER BY
  change DESC,
  CASE severity WHEN 'blocker' THEN 0 WHEN 'error' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END,
  weight DESC;

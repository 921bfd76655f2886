-- Was everything read, and how much is there, night by night?
SELECT
  night,
  count(*) AS archives,
  sum(CASE WHEN status = 'complete' THEN 0 ELSE 1 END) AS not_complete,
  sum(bytes) AS bytes,
  sum(regions) AS regions,
  sum(objects) AS objects,
  sum(blockers) AS blockers,
  sum(errors) AS errors,
  sum(warnings) AS warnings
FROM archives
GROUP BY night
ORDER BY night DESC;

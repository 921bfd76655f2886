-- Where are the scripts?
WITH tonight AS (SELECT max(night) AS night FROM archives)
SELECT
  regions.region,
  regions.archive,
  regions.scripts,
  regions.objects,
  regions.scripts / nullif(regions.objects, 0) AS scripts_per_object
FROM regions
JOIN tonight ON regions.night = tonight.night
WHERE regions.scripts > 0
ORDER BY regions.scripts DESC;

-- Which owners exceed what their land can hold? Parcels of one owner in a region share their capacity.
WITH tonight AS (SELECT max(night) AS night FROM archives)
SELECT
  parcels.archive,
  parcels.region,
  parcels.owner_uuid,
  count(*) AS parcels,
  sum(parcels.land_impact) AS land_impact,
  sum(parcels.parts) AS prims,
  sum(parcels.capacity) AS capacity
FROM parcels JOIN tonight ON parcels.night = tonight.night
GROUP BY parcels.archive, parcels.region, parcels.owner_uuid
HAVING max(CASE WHEN parcels.over_capacity THEN 1 ELSE 0 END) = 1
ORDER BY prims DESC;

-- Whose work would an export with --perm drop?
WITH tonight AS (SELECT max(night) AS night FROM archives)
SELECT
  creators.creator_uuid,
  creators.name,
  creators.grid,
  creators.objects,
  creators.parts,
  creators.dropped_by_perm_ct,
  creators.dropped_linksets
FROM creators
JOIN tonight ON creators.night = tonight.night
ORDER BY creators.dropped_by_perm_ct DESC, creators.objects DESC;

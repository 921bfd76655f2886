-- How much does each archive hold that nothing in it uses? Needs --list-assets.
WITH tonight AS (SELECT max(night) AS night FROM archives)
SELECT assets.archive, assets.kind, count(*) AS assets, sum(assets.bytes) AS bytes
FROM assets JOIN tonight ON assets.night = tonight.night
WHERE assets.uses = 0
GROUP BY assets.archive, assets.kind
ORDER BY bytes DESC;

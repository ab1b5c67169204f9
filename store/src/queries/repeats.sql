-- The spread of each metric over runs with a tag; values: the tag, and the space (nightly app).
SELECT metric, key_low AS key, count(*) AS runs, min(least) AS least, avg(value) AS mean, max(most) AS most
FROM tag JOIN value ON value.run = tag.run
WHERE tag = ?1 AND space = ?2
GROUP BY metric, variant, threshold, key_low
ORDER BY metric, key

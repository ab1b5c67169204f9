-- Metrics that differ between two runs; values: both runs, and the space (3 7 app).
SELECT earlier.metric, earlier.key_low AS key, earlier.least AS least_1, earlier.most AS most_1, later.least AS least_2,
    later.most AS most_2, later.value - earlier.value AS difference, 1.0 * later.value / earlier.value AS ratio
FROM value AS earlier
JOIN value AS later ON later.run = ?2 AND later.space = earlier.space AND later.metric = earlier.metric
    AND later.variant = earlier.variant AND later.threshold = earlier.threshold AND later.key_low IS earlier.key_low
WHERE earlier.run = ?1 AND earlier.space = ?3 AND (later.least > earlier.most OR later.most < earlier.least)
ORDER BY earlier.metric, key

-- Claims that failed, the newest first.
SELECT run.id AS run, began, program, verdict.text AS claim, bucket, basis, ratio, ratio_low, ratio_high
FROM verdict JOIN run ON run.id = verdict.run
WHERE result = 'fails'
ORDER BY coalesce(began, added) DESC, run.id DESC, place
LIMIT 10000

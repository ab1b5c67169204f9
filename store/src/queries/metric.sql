-- A metric over all runs; values: its name, and the space (base.instructions.value app).
SELECT value.run, began, program, key_low, key_high, value, least, most, exactness
FROM value JOIN run ON run.id = value.run
WHERE metric = ?1 AND space = ?2
ORDER BY coalesce(began, added) DESC, value.run DESC, key_low
LIMIT 10000

-- All runs, the newest first.
SELECT id AS run, kind, began, program, jdk, (SELECT group_concat(tag, ', ') FROM tag WHERE tag.run = run.id) AS tags, folder
FROM run
ORDER BY coalesce(began, added) DESC, id DESC
LIMIT 10000

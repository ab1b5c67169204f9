-- The methods of a run that executed most bytecodes; value: the run.
SELECT class, name, descriptor, calls, most AS bytecodes, least, blocks_run, blocks, doubt
FROM method
WHERE run = ?1
ORDER BY place

-- Results of claims, the methods that ran most, and the newest run of each command.
CREATE TABLE verdict (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    -- 'comparison', 'assertion' or 'metric', with its number in the task file among those of its kind.
    kind TEXT NOT NULL,
    claim INTEGER NOT NULL,
    text TEXT NOT NULL,
    bucket TEXT,
    instance TEXT,
    -- 'holds', 'fails', 'undecided' or 'not-evaluated'.
    result TEXT NOT NULL,
    basis TEXT,
    p_value REAL,
    ratio REAL,
    ratio_low REAL,
    ratio_high REAL,
    left_calls INTEGER,
    right_calls INTEGER,
    left_mean_ns REAL,
    right_mean_ns REAL,
    reason TEXT,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
CREATE INDEX verdict_of_claim ON verdict (text, run);

CREATE TABLE method (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    -- From 1: the method with most bytecodes.
    place INTEGER NOT NULL,
    class TEXT NOT NULL,
    name TEXT NOT NULL,
    descriptor TEXT NOT NULL,
    calls INTEGER NOT NULL,
    least INTEGER NOT NULL,
    most INTEGER NOT NULL,
    blocks_run INTEGER NOT NULL,
    blocks INTEGER NOT NULL,
    doubt TEXT NOT NULL,
    PRIMARY KEY (run, place)
) WITHOUT ROWID;
CREATE INDEX method_of_class ON method (class, name);

CREATE VIEW latest AS
    SELECT run.* FROM run
    WHERE NOT EXISTS (
        SELECT 1 FROM run AS later
        WHERE later.program = run.program AND later.command = run.command AND later.kind = run.kind
            AND (coalesce(later.began, ''), later.id) > (coalesce(run.began, ''), run.id)
    );

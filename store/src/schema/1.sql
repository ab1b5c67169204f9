-- Runs, and the values of their metrics.
CREATE TABLE run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The same for a run that is inserted again.
    identity TEXT NOT NULL UNIQUE,
    -- Of the files that were read, to see whether they have changed since.
    digest TEXT NOT NULL,
    kind TEXT NOT NULL,
    program TEXT NOT NULL,
    command TEXT NOT NULL,
    jdk TEXT,
    began TEXT,
    added TEXT NOT NULL,
    spl TEXT,
    folder TEXT NOT NULL
);
CREATE INDEX run_of_program ON run (program, began);

CREATE TABLE tag (
    tag TEXT NOT NULL,
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    PRIMARY KEY (tag, run)
) WITHOUT ROWID;
CREATE INDEX tag_of_run ON tag (run);

CREATE TABLE metric (
    id INTEGER PRIMARY KEY,
    metric TEXT NOT NULL,
    number TEXT NOT NULL,
    category TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    unit TEXT NOT NULL,
    -- Options of the metric; empty without one.
    variant TEXT NOT NULL,
    threshold TEXT NOT NULL,
    UNIQUE (metric, unit, variant, threshold)
);

CREATE TABLE space (id INTEGER PRIMARY KEY, space TEXT NOT NULL UNIQUE);

-- Texts that many values have in common.
CREATE TABLE reason (id INTEGER PRIMARY KEY, reasons TEXT NOT NULL UNIQUE);

CREATE TABLE measured (
    metric INTEGER NOT NULL REFERENCES metric (id),
    space INTEGER NOT NULL REFERENCES space (id),
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    -- -1 for a metric without keys.
    key_low INTEGER NOT NULL,
    key_high INTEGER,
    value,
    least,
    most,
    exactness TEXT NOT NULL,
    reason INTEGER REFERENCES reason (id),
    PRIMARY KEY (metric, space, run, key_low)
) WITHOUT ROWID;
CREATE INDEX measured_of_run ON measured (run);

-- A line for each value.
CREATE VIEW value AS
    SELECT measured.run, space.space, metric.metric, metric.number, metric.category, metric.name, metric.kind,
        nullif(key_low, -1) AS key_low, key_high, value, least, most, exactness, metric.unit, metric.variant, metric.threshold,
        reason.reasons
    FROM measured
    JOIN metric ON metric.id = measured.metric
    JOIN space ON space.id = measured.space
    LEFT JOIN reason ON reason.id = measured.reason;

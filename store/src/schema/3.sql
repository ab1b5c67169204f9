-- Metrics over time.
CREATE TABLE interval (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    -- From 1.
    step INTEGER NOT NULL,
    -- Milliseconds of the drill.
    from_ms INTEGER NOT NULL,
    to_ms INTEGER NOT NULL,
    -- Intervals of the drill that it stands for.
    joined INTEGER NOT NULL,
    PRIMARY KEY (run, step)
) WITHOUT ROWID;

CREATE TABLE point (
    run INTEGER NOT NULL REFERENCES run (id) ON DELETE CASCADE,
    metric INTEGER NOT NULL REFERENCES metric (id),
    space INTEGER NOT NULL REFERENCES space (id),
    step INTEGER NOT NULL,
    least,
    most,
    exactness TEXT NOT NULL,
    PRIMARY KEY (run, metric, space, step)
) WITHOUT ROWID;

-- A line for each interval, space and metric.
CREATE VIEW series AS
    SELECT point.run, space.space, metric.metric, metric.number, metric.category, metric.name, metric.kind, point.step, interval.from_ms,
        interval.to_ms, interval.joined, CASE WHEN least = most THEN least END AS value, least, most, exactness, metric.unit,
        metric.variant, metric.threshold
    FROM point
    JOIN interval ON interval.run = point.run AND interval.step = point.step
    JOIN metric ON metric.id = point.metric
    JOIN space ON space.id = point.space;

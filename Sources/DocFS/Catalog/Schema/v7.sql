-- The revision of the document that a conflict version was made from, where known.
ALTER TABLE local ADD COLUMN conflict_base TEXT;
ALTER TABLE base ADD COLUMN conflict_base TEXT;
ALTER TABLE remote ADD COLUMN conflict_base TEXT;

-- Earlier versions that the user has removed here, until the container has their bodies no more.
CREATE TABLE unwanted (
  scope INTEGER NOT NULL,
  path BLOB NOT NULL,                   -- where the container keeps the body
  PRIMARY KEY (scope, path)
) STRICT, WITHOUT ROWID;

-- Documents that lack bytes of a stored body and have something that the container does not have:
-- few rows among many.
CREATE INDEX local_needed ON local (source_revision)
  WHERE state <> 2 AND (divergence <> 0 OR excluded = 1 OR departing = 1);

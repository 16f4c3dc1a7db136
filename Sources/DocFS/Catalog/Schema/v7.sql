-- The revision of the document that a conflict version was made from, where known.
ALTER TABLE local ADD COLUMN conflict_base TEXT;
ALTER TABLE base ADD COLUMN conflict_base TEXT;
ALTER TABLE remote ADD COLUMN conflict_base TEXT;

-- A body that another program has taken out of the container, which keeps it nowhere, is a sole
-- body: one name for one thing. Those that have lost their names here are in `body`, with role 2.
ALTER TABLE unkept RENAME TO sole_body;
DROP INDEX body_last;
CREATE INDEX body_sole ON body (scope) WHERE role = 2;

-- Bodies that another program has taken out of the container, which keeps them nowhere, and that
-- this device had then. Those that have lost their names here are in `body`, with role 2.
CREATE TABLE unkept (
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  revision TEXT NOT NULL,               -- the store's token
  path BLOB NOT NULL,                   -- of the document, from the container's root
  directory BLOB NOT NULL,              -- the item that held it
  found_here INTEGER NOT NULL,          -- 1: this device has recorded that it is gone
  PRIMARY KEY (scope, item, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX body_last ON body (scope) WHERE role = 2;

-- Rows without a name whose bodies are worth keeping all the same: the container has them too.
CREATE TABLE body (
  ino INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  role INTEGER NOT NULL,                -- 0: an earlier version; 1: the newer one, on its way
  UNIQUE (scope, item, role)
) STRICT;
CREATE INDEX body_newer ON body (scope) WHERE role = 1;

-- Newer bodies that were asked for of documents that nobody has opened since.
CREATE TABLE fetched (
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  count INTEGER NOT NULL,
  superseded INTEGER NOT NULL,          -- the last ones, in a row, that never became whole
  used_s INTEGER NOT NULL,              -- when somebody had the document open last
  used_n INTEGER NOT NULL,
  PRIMARY KEY (scope, item)
) STRICT, WITHOUT ROWID;

-- The conflict version that this device made last of a document, as it was then (S14a): what gets
-- into a conflict after that goes on in it while it is so.
CREATE TABLE made_sibling (
  scope INTEGER NOT NULL,
  document BLOB NOT NULL,
  sibling BLOB NOT NULL,
  basis TEXT,                           -- what its bytes were made from; NULL: nothing
  ino INTEGER NOT NULL,                 -- local.ino of its bytes
  generation INTEGER NOT NULL,          -- local.generation of its bytes
  seconds INTEGER NOT NULL,             -- local.changed of then, by this device's clock
  nanoseconds INTEGER NOT NULL,
  opened INTEGER NOT NULL,              -- whether somebody has opened it here since
  PRIMARY KEY (scope, document),
  UNIQUE (scope, sibling)
) STRICT, WITHOUT ROWID;

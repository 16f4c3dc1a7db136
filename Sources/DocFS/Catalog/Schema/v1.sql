-- Facts about this device, by name.
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per cloud scope that this device has ever mounted.
CREATE TABLE scope (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  container BLOB,                       -- 16 bytes, once attached
  anchor INTEGER NOT NULL DEFAULT 0,    -- number of the last record applied
  root INTEGER NOT NULL                 -- local.ino of the scope's root directory
) STRICT;

-- The local tree: what the mount shows. A row is one inode with its content; `item` says which
-- document it is now.
CREATE TABLE local (
  ino INTEGER PRIMARY KEY AUTOINCREMENT,
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,                   -- 16 bytes
  parent INTEGER,                       -- local.ino; NULL for roots, unlinked and departing rows
  name BLOB,
  mode INTEGER NOT NULL,                -- type and permissions, as st_mode
  links INTEGER NOT NULL,
  owner INTEGER NOT NULL,
  grp INTEGER NOT NULL,
  size INTEGER NOT NULL,                -- bytes
  mtime_s INTEGER NOT NULL, mtime_n INTEGER NOT NULL,
  ctime_s INTEGER NOT NULL, ctime_n INTEGER NOT NULL,
  device INTEGER NOT NULL DEFAULT 0,    -- st_rdev
  target BLOB,                          -- where a symbolic link points
  attributes BLOB,                      -- the user's own xattrs, NULL when there are none
  state INTEGER NOT NULL,               -- ContentState
  place INTEGER NOT NULL DEFAULT 0,     -- where the content file lies: ContentPlace
  divergence INTEGER NOT NULL DEFAULT 0,-- how the bytes differ from the basis: Divergence
  unflushed INTEGER NOT NULL DEFAULT 0, -- 1: size and times are to be read from the content file
  unsynced INTEGER NOT NULL DEFAULT 0,  -- what of the bytes may not be on the disk: Unsynced
  generation INTEGER NOT NULL DEFAULT 0,-- counts the changes of its bytes made here
  basis TEXT,                           -- revision of `item` that the bytes were made from
  source_scope INTEGER,                 -- in which scope, NULL: its own, and
  source_item BLOB,                     --   under which item and revision the bytes that are not
  source_revision TEXT,                 --   here are kept in the container
  source_digest BLOB,                   -- 32 bytes, where known
  wanted INTEGER NOT NULL DEFAULT 0,    -- bytes of the source's beginning that are still content
  excluded INTEGER NOT NULL DEFAULT 0,  -- 1: lives on this device only (S15)
  conflict_of BLOB,                     -- item whose conflict version this is
  pin INTEGER NOT NULL DEFAULT 0,       -- PinState
  departing INTEGER NOT NULL DEFAULT 0, -- 1: on its way to Local/ (S24)
  error TEXT                            -- last failure in words, NULL when none
) STRICT;
-- Number 1 is the mount's root.
INSERT INTO sqlite_sequence (name, seq) VALUES ('local', 1);
CREATE UNIQUE INDEX local_entry ON local (parent, name) WHERE parent IS NOT NULL;
CREATE INDEX local_listing ON local (parent) WHERE parent IS NOT NULL;
CREATE INDEX local_item ON local (item, scope);
-- Rows whose bytes are another document's: they follow its revisions.
CREATE INDEX local_copied ON local (source_item) WHERE source_item <> item;
-- What a start looks for: few rows among many.
CREATE INDEX local_unlinked ON local (ino) WHERE parent IS NULL;
CREATE INDEX local_unflushed ON local (ino) WHERE unflushed = 1;
CREATE INDEX local_unsynced ON local (ino) WHERE unsynced > 0;
-- What `status` and the attributes count: few rows among many.
CREATE INDEX local_conflict ON local (scope, conflict_of) WHERE conflict_of IS NOT NULL;
CREATE INDEX local_excluded ON local (scope) WHERE excluded = 1;
CREATE INDEX local_pinned ON local (ino) WHERE pin = 1;
CREATE INDEX local_spare ON local (size)
  WHERE state = 2 AND divergence = 0 AND source_revision IS NOT NULL;
CREATE INDEX local_failed ON local (scope) WHERE error IS NOT NULL;

-- Ranges written here into content that is not all here; they are never fetched over.
CREATE TABLE written (
  ino INTEGER NOT NULL,
  first INTEGER NOT NULL,               -- bytes
  past INTEGER NOT NULL,                -- bytes
  PRIMARY KEY (ino, first)
) STRICT, WITHOUT ROWID;

-- The base tree: what this device and the store last agreed on.
CREATE TABLE base (
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  parent BLOB NOT NULL,
  name BLOB NOT NULL,
  kind INTEGER NOT NULL,                -- ItemKind
  mode INTEGER NOT NULL,                -- permission bits
  mtime_s INTEGER NOT NULL, mtime_n INTEGER NOT NULL,
  attributes BLOB,
  size INTEGER NOT NULL,                -- bytes
  digest BLOB,
  revision TEXT,
  target BLOB,
  conflict_of BLOB,
  PRIMARY KEY (scope, item)
) STRICT, WITHOUT ROWID;

-- The remote tree: what the store last said, as of scope.anchor.
CREATE TABLE remote (
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  parent BLOB NOT NULL,
  name BLOB NOT NULL,
  kind INTEGER NOT NULL,
  mode INTEGER NOT NULL,
  mtime_s INTEGER NOT NULL, mtime_n INTEGER NOT NULL,
  attributes BLOB,
  size INTEGER NOT NULL,
  digest BLOB,
  revision TEXT,
  target BLOB,
  conflict_of BLOB,
  PRIMARY KEY (scope, item)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX remote_entry ON remote (scope, parent, name);

-- Items whose three trees may disagree: they are to be planned.
CREATE TABLE pending (
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  PRIMARY KEY (scope, item)
) STRICT, WITHOUT ROWID;

-- Effects on the store that were intended and are not yet acknowledged.
CREATE TABLE journal (
  operation BLOB PRIMARY KEY,           -- 16 bytes
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  effect BLOB NOT NULL                  -- JSON, see OnDiskFormat
) STRICT, WITHOUT ROWID;

-- Earlier bodies that the container keeps, as the change log told.
CREATE TABLE version (
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  revision TEXT NOT NULL,
  path BLOB NOT NULL,                   -- where the body lies in the container
  size INTEGER NOT NULL,
  digest BLOB,
  mtime_s INTEGER NOT NULL, mtime_n INTEGER NOT NULL,
  device TEXT NOT NULL,                 -- whose change put it here
  recorded INTEGER NOT NULL,            -- seconds since 1970, by that device's clock
  PRIMARY KEY (scope, item, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX version_path ON version (scope, path);

-- Where objects lie that are not at their items' paths yet, on stores that cannot move one, as the
-- change log told.
CREATE TABLE lodging (
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  place BLOB NOT NULL,                  -- path in the container
  PRIMARY KEY (scope, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX lodging_place ON lodging (scope, place);

-- Objects that items have left behind, as the change log told: they go if they still are that.
CREATE TABLE leftover (
  scope INTEGER NOT NULL,
  place BLOB NOT NULL,                  -- path in the container
  revision TEXT,                        -- NULL for a directory
  PRIMARY KEY (scope, place)
) STRICT, WITHOUT ROWID;

-- Deleted documents that the container keeps, as the change log told.
CREATE TABLE trash (
  scope INTEGER NOT NULL,
  operation BLOB NOT NULL,
  item BLOB NOT NULL,
  path BLOB NOT NULL,                   -- where the document was, from the container's root
  place BLOB NOT NULL,                  -- where the body lies now
  kind INTEGER NOT NULL,
  mode INTEGER NOT NULL,
  mtime_s INTEGER NOT NULL, mtime_n INTEGER NOT NULL,
  attributes BLOB,
  size INTEGER NOT NULL,
  digest BLOB,
  revision TEXT,
  target BLOB,
  recorded INTEGER NOT NULL,
  PRIMARY KEY (scope, operation, item)
) STRICT, WITHOUT ROWID;
CREATE INDEX trash_item ON trash (scope, item);
CREATE INDEX trash_path ON trash (scope, path);
CREATE INDEX trash_place ON trash (scope, place);

-- Conflict versions that a choice of the user clears, as this device had seen them (S17).
CREATE TABLE choice (
  scope INTEGER NOT NULL,
  document BLOB NOT NULL,               -- the item whose conflict versions they are
  sibling BLOB NOT NULL,
  revision TEXT NOT NULL,
  PRIMARY KEY (scope, document, sibling)
) STRICT, WITHOUT ROWID;

-- Conflict versions that the store already has of documents that are still open for writing (S9):
-- not shown here until the last close.
CREATE TABLE stand_in (
  scope INTEGER NOT NULL,
  document BLOB NOT NULL,
  sibling BLOB NOT NULL,
  ino INTEGER NOT NULL,                 -- local.ino of the open document
  generation INTEGER,                   -- of the bytes that the store has; NULL: not known
  PRIMARY KEY (scope, document),
  UNIQUE (scope, sibling)
) STRICT, WITHOUT ROWID;

-- Items whose row moved to another container or to Local/ (S24): their removal is no delete of the
-- user, and waits until the bytes are safe there.
CREATE TABLE handover (
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  destination INTEGER,                  -- the scope that it moved to; NULL: Local/
  PRIMARY KEY (scope, item)
) STRICT, WITHOUT ROWID;

-- Items of cloud scopes that the mount already shows in Local/ (S24), by the directory on disk.
CREATE TABLE incoming (
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  name BLOB NOT NULL,
  ino INTEGER NOT NULL UNIQUE,          -- local.ino
  mtime_s INTEGER, mtime_n INTEGER,     -- the directory's, before the disk had the name
  PRIMARY KEY (device, inode, name)
) STRICT, WITHOUT ROWID;

-- Moves from Local/ into a cloud scope that are under way (S24).
CREATE TABLE import (
  ino INTEGER PRIMARY KEY,              -- local.ino of what moves, still without a parent
  parent INTEGER NOT NULL,              -- where it goes
  name BLOB NOT NULL,
  hidden BLOB NOT NULL,                 -- its name in Local's hidden folder
  device INTEGER, inode INTEGER,        -- the directory on disk that what has the name now goes to
  origin BLOB                           -- its name there; NULL when it is replaced
) STRICT;

-- Stable indexes of the filesystems nested in Local/, for file numbers.
CREATE TABLE filesystem (
  position INTEGER PRIMARY KEY,
  identity INTEGER NOT NULL UNIQUE
) STRICT;

-- Documents and conflict versions that have moved between scopes, until both are in one container
-- again (S24).
CREATE TABLE conflict_member (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document BLOB NOT NULL,               -- the item that the document is, or was when it left
  version INTEGER NOT NULL,             -- 1: a conflict version of it; 0: the document itself
  moved_alone INTEGER NOT NULL,         -- 1: a version that was moved without its document
  name BLOB NOT NULL,                   -- under any other, a version is a document of its own
  ino INTEGER UNIQUE,                   -- its row, while it has one
  device INTEGER, inode INTEGER,        -- the directory of Local/ that has it, or had it until it
                                        --   got its row; 0: on the filesystem of Local/ itself
  file INTEGER                          -- the inode of the file there; 0: whatever has the name
) STRICT;
CREATE INDEX conflict_member_document ON conflict_member (document);
CREATE UNIQUE INDEX conflict_member_place ON conflict_member (device, inode, name)
  WHERE ino IS NULL;

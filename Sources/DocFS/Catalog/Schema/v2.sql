-- What the trash and the versions show of who may read what they keep.
ALTER TABLE version ADD COLUMN mode INTEGER;      -- permission bits, NULL: not known
-- Whose it was on this device when it was replaced; all NULL: not known.
ALTER TABLE version ADD COLUMN owner INTEGER;
ALTER TABLE version ADD COLUMN grp INTEGER;
ALTER TABLE version ADD COLUMN held INTEGER;      -- its mode here, without the type
-- Whose it was on this device when it was deleted; all NULL: not known.
ALTER TABLE trash ADD COLUMN owner INTEGER;
ALTER TABLE trash ADD COLUMN grp INTEGER;
ALTER TABLE trash ADD COLUMN held INTEGER;        -- its mode here, without the type
ALTER TABLE trash ADD COLUMN directory BLOB;      -- the item that held it, NULL: not known

-- Whose stored items were that have lost their rows, or have had them replaced, since the change
-- log last told of them: what the next record puts into the versions or the trash was theirs.
CREATE TABLE former (
  scope INTEGER NOT NULL,
  item BLOB NOT NULL,
  revision TEXT NOT NULL,               -- of the bytes; empty where the store did not have them
  owner INTEGER NOT NULL,
  grp INTEGER NOT NULL,
  held INTEGER NOT NULL,                -- mode, without the type
  PRIMARY KEY (scope, item, revision, owner, grp, held)
) STRICT, WITHOUT ROWID;

-- No trigger may rest on OR IGNORE or OR REPLACE: the statement that fires it decides instead.
CREATE TRIGGER local_left AFTER UPDATE OF item, parent ON local
WHEN OLD.parent IS NOT NULL AND (NEW.parent IS NULL OR NEW.item <> OLD.item)
BEGIN
  INSERT INTO former (scope, item, revision, owner, grp, held)
  SELECT OLD.scope, OLD.item, iif(OLD.divergence = 0, ifnull(OLD.basis, ''), ''),
    OLD.owner, OLD.grp, OLD.mode & 4095
  WHERE (EXISTS (SELECT 1 FROM remote WHERE scope = OLD.scope AND item = OLD.item)
      OR EXISTS (SELECT 1 FROM journal WHERE scope = OLD.scope AND item = OLD.item))
    AND NOT EXISTS (
      SELECT 1 FROM former WHERE scope = OLD.scope AND item = OLD.item
        AND revision = iif(OLD.divergence = 0, ifnull(OLD.basis, ''), '')
        AND owner = OLD.owner AND grp = OLD.grp AND held = OLD.mode & 4095);
END;

CREATE TRIGGER local_deleted AFTER DELETE ON local WHEN OLD.parent IS NOT NULL
BEGIN
  INSERT INTO former (scope, item, revision, owner, grp, held)
  SELECT OLD.scope, OLD.item, iif(OLD.divergence = 0, ifnull(OLD.basis, ''), ''),
    OLD.owner, OLD.grp, OLD.mode & 4095
  WHERE (EXISTS (SELECT 1 FROM remote WHERE scope = OLD.scope AND item = OLD.item)
      OR EXISTS (SELECT 1 FROM journal WHERE scope = OLD.scope AND item = OLD.item))
    AND NOT EXISTS (
      SELECT 1 FROM former WHERE scope = OLD.scope AND item = OLD.item
        AND revision = iif(OLD.divergence = 0, ifnull(OLD.basis, ''), '')
        AND owner = OLD.owner AND grp = OLD.grp AND held = OLD.mode & 4095);
END;

-- The bytes may be the same under another revision: whose they were is known no better than that.
CREATE TRIGGER remote_replaced AFTER UPDATE OF revision ON remote
WHEN NEW.revision IS NOT OLD.revision
BEGIN
  INSERT INTO former (scope, item, revision, owner, grp, held)
  SELECT DISTINCT scope, item, '', owner, grp, held FROM former AS one
  WHERE scope = NEW.scope AND item = NEW.item AND revision NOT IN ('', ifnull(NEW.revision, ''))
    AND NOT EXISTS (
      SELECT 1 FROM former WHERE scope = one.scope AND item = one.item AND revision = ''
        AND owner = one.owner AND grp = one.grp AND held = one.held);
  DELETE FROM former
  WHERE scope = NEW.scope AND item = NEW.item AND revision NOT IN ('', ifnull(NEW.revision, ''));
END;

CREATE TRIGGER remote_removed AFTER DELETE ON remote
BEGIN
  DELETE FROM former WHERE scope = OLD.scope AND item = OLD.item;
END;

-- All agree, and who has the item now has what the next record would put into the versions.
CREATE TRIGGER pending_cleared AFTER DELETE ON pending
WHEN EXISTS (SELECT 1 FROM former WHERE scope = OLD.scope AND item = OLD.item)
BEGIN
  DELETE FROM former
  WHERE scope = OLD.scope AND item = OLD.item AND EXISTS (
    SELECT 1 FROM local JOIN remote ON remote.scope = local.scope AND remote.item = local.item
    WHERE local.item = OLD.item AND local.scope = OLD.scope AND local.parent IS NOT NULL
      AND local.divergence = 0 AND local.basis IS remote.revision);
END;

-- How deep goes what is below a directory: few rows among many.
CREATE INDEX remote_directory ON remote (scope, parent) WHERE kind = 2;

-- The file on disk that a rename to Local/ went over, all NULL: none, as it was then.
ALTER TABLE incoming ADD COLUMN replaced_inode INTEGER;
ALTER TABLE incoming ADD COLUMN replaced_size INTEGER;  -- bytes
ALTER TABLE incoming ADD COLUMN replaced_s INTEGER;     -- modification time
ALTER TABLE incoming ADD COLUMN replaced_n INTEGER;

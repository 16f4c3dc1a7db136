-- How many documents the container has, kept count of: to count them is to look at each.
CREATE TABLE tally (
  scope INTEGER PRIMARY KEY,
  documents INTEGER NOT NULL            -- in the remote tree; directories are none
) STRICT;
INSERT INTO tally (scope, documents)
SELECT id, (SELECT count(*) FROM remote WHERE scope = id AND kind <> 2) FROM scope;

CREATE TRIGGER scope_tallied AFTER INSERT ON scope
BEGIN
  INSERT INTO tally (scope, documents) VALUES (NEW.id, 0);
END;

CREATE TRIGGER remote_tallied AFTER INSERT ON remote WHEN NEW.kind <> 2
BEGIN
  UPDATE tally SET documents = documents + 1 WHERE scope = NEW.scope;
END;

CREATE TRIGGER remote_untallied AFTER DELETE ON remote WHEN OLD.kind <> 2
BEGIN
  UPDATE tally SET documents = documents - 1 WHERE scope = OLD.scope;
END;

CREATE TRIGGER remote_retallied AFTER UPDATE OF kind ON remote
WHEN (OLD.kind = 2) <> (NEW.kind = 2)
BEGIN
  UPDATE tally SET documents = documents + iif(NEW.kind = 2, -1, 1) WHERE scope = NEW.scope;
END;

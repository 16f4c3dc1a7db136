-- Bytes of the body that `source_digest` is of, where known: `wanted` was as many until somebody
-- truncated the document.
ALTER TABLE local ADD COLUMN source_size INTEGER;
UPDATE local SET source_size = wanted WHERE source_digest IS NOT NULL AND divergence = 0;
UPDATE local SET source_size = (
  SELECT size FROM remote r WHERE r.scope = ifnull(local.source_scope, local.scope)
    AND r.item = local.source_item AND r.digest = local.source_digest)
WHERE source_digest IS NOT NULL AND divergence <> 0;

-- Who saved the body, and when, in seconds since 1970 by that device's clock; NULL: not known.
ALTER TABLE remote ADD COLUMN saver TEXT;
ALTER TABLE remote ADD COLUMN saved INTEGER;
ALTER TABLE version ADD COLUMN saver TEXT;
ALTER TABLE version ADD COLUMN saved INTEGER;

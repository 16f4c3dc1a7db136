-- SHA-256 of the record at the anchor, 32 bytes, NULL when there is none: the next one names it.
ALTER TABLE scope ADD COLUMN digest BLOB;

-- The key of a token now carries the token's id, so that tokens and visitors cannot meet. Only the bound changes: no row
-- is written, and the key of a visitor stays what it was, for the previous version as well.
ALTER TABLE "idempotency_keys" ALTER COLUMN "key" TYPE VARCHAR(270);

-- formgate: concurrently
-- What was said on other websites within a day, from one website to the next.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "spam_traces_hash_website_id_seen_at_idx" ON "spam_traces"("hash", "website_id", "seen_at");

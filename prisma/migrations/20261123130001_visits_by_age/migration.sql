-- Visits are purged by age. On a large table create it beforehand, concurrently.
CREATE INDEX IF NOT EXISTS "visits_created_at_idx" ON "visits"("created_at");

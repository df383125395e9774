-- formgate: concurrently
-- Visits are purged by age.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "visits_created_at_idx" ON "visits"("created_at");

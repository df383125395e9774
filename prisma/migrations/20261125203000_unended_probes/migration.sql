-- formgate: concurrently
-- The probes that run, or that a killed process has left behind, which workers look for every minute.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "probes_unended_idx" ON "probes"("started_at") WHERE (ok IS NULL);

-- formgate: concurrently
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "websites_host_key" ON "websites"("team_id", "host") WHERE (host IS NOT NULL);

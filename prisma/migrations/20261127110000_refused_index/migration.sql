-- formgate: concurrently
CREATE INDEX CONCURRENTLY IF NOT EXISTS "notifications_refused_idx" ON "notifications"("submission_id") WHERE (refused <> '{}'::text[]);

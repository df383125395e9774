-- formgate: concurrently
-- The test leads of the probes that run now, which lists and counts leave out.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "submissions_test_idx" ON "submissions"("id") WHERE (test_recipient IS NOT NULL);

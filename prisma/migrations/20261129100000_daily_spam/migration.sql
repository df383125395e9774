-- Spam counts apart, since it says nothing of how often people write. A backfill marks the days that have some, and decides
-- what is taken for spam of what was deleted before, of which NULL says that it is unknown. The version before counts what it
-- did, without the new columns.
ALTER TABLE "daily_counts" ADD COLUMN "spam" INTEGER NOT NULL DEFAULT 0, ADD COLUMN "deleted_spam" INTEGER;
ALTER TABLE "daily_counts" ALTER COLUMN "deleted_spam" SET DEFAULT 0;

CREATE OR REPLACE FUNCTION count_deleted_submissions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO daily_counts AS known (website_id, day, form_id, deleted, deleted_spam, first_at, last_at)
  SELECT gone.website_id, (gone.created_at AT TIME ZONE w.time_zone)::date AS day, gone.form_id, count(*),
         count(*) FILTER (WHERE gone.state = 'spam'),
         min(gone.created_at) FILTER (WHERE gone.state <> 'spam'),
         max(gone.created_at) FILTER (WHERE gone.state <> 'spam')
    FROM gone JOIN websites w ON w.id = gone.website_id
   WHERE gone.test_recipient IS NULL
   GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (website_id, day, form_id) DO UPDATE
     SET deleted = known.deleted + excluded.deleted,
         deleted_spam = CASE WHEN known.deleted > 0 THEN known.deleted_spam ELSE 0 END + excluded.deleted_spam,
         is_stale = true,
         first_at = least(known.first_at, excluded.first_at),
         last_at = greatest(known.last_at, excluded.last_at);
  RETURN NULL;
END $$;

-- Deleted spam was no first or last lead of its day: it would hide that the website is silent. It stays in the count.
CREATE OR REPLACE FUNCTION count_deleted_submissions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO daily_counts AS known (website_id, day, form_id, deleted, first_at, last_at)
  SELECT gone.website_id, (gone.created_at AT TIME ZONE w.time_zone)::date AS day, gone.form_id, count(*),
         min(gone.created_at) FILTER (WHERE gone.state <> 'spam'),
         max(gone.created_at) FILTER (WHERE gone.state <> 'spam')
    FROM gone JOIN websites w ON w.id = gone.website_id
   WHERE gone.test_recipient IS NULL
   GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (website_id, day, form_id) DO UPDATE
     SET deleted = known.deleted + excluded.deleted, is_stale = true,
         first_at = least(known.first_at, excluded.first_at),
         last_at = greatest(known.last_at, excluded.last_at);
  RETURN NULL;
END $$;

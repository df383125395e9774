-- Empty at first: a backfill marks the days there are, and workers count them. The version before leaves the tables
-- alone; what it deletes is counted by the trigger.
CREATE TABLE "daily_counts" (
    "website_id" UUID NOT NULL,
    "form_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "stored" INTEGER NOT NULL DEFAULT 0,
    "deleted" INTEGER NOT NULL DEFAULT 0,
    "first_at" TIMESTAMPTZ(6),
    "last_at" TIMESTAMPTZ(6),
    "emails_sent" INTEGER NOT NULL DEFAULT 0,
    "emails_pending" INTEGER NOT NULL DEFAULT 0,
    "emails_unsent" INTEGER NOT NULL DEFAULT 0,
    "is_stale" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "daily_counts_pkey" PRIMARY KEY ("website_id","day","form_id")
);

-- CreateTable
CREATE TABLE "lead_habits" (
    "website_id" UUID NOT NULL,
    "leads" INTEGER NOT NULL,
    "first_at" TIMESTAMPTZ(6) NOT NULL,
    "last_at" TIMESTAMPTZ(6) NOT NULL,
    "weekdays" INTEGER[],
    "silent_at" TIMESTAMPTZ(6),

    CONSTRAINT "lead_habits_pkey" PRIMARY KEY ("website_id")
);

-- CreateTable
CREATE TABLE "lead_hours" (
    "hour" SMALLINT NOT NULL,
    "leads" INTEGER NOT NULL,

    CONSTRAINT "lead_hours_pkey" PRIMARY KEY ("hour")
);

-- CreateTable
CREATE TABLE "rollup_marks" (
    "name" VARCHAR(40) NOT NULL,
    "counted_until" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "rollup_marks_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "daily_counts_form_id_idx" ON "daily_counts"("form_id");

-- CreateIndex
CREATE INDEX "daily_counts_stale_idx" ON "daily_counts"("website_id", "day", "form_id") WHERE (is_stale);

-- CreateIndex
CREATE INDEX "daily_counts_pending_idx" ON "daily_counts"("website_id", "day", "form_id") WHERE (emails_pending > 0);

-- AddForeignKey
ALTER TABLE "daily_counts" ADD CONSTRAINT "daily_counts_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "daily_counts" ADD CONSTRAINT "daily_counts_form_id_fkey" FOREIGN KEY ("form_id") REFERENCES "forms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lead_habits" ADD CONSTRAINT "lead_habits_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- A deleted lead moves from one column to the other in the transaction that deletes it, so that a day says at any time
-- how many came. One statement, in the order of the key, so that deletions cannot deadlock.
CREATE FUNCTION count_deleted_submissions() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO daily_counts AS known (website_id, day, form_id, deleted, first_at, last_at)
  SELECT gone.website_id, (gone.created_at AT TIME ZONE w.time_zone)::date AS day, gone.form_id, count(*),
         min(gone.created_at), max(gone.created_at)
    FROM gone JOIN websites w ON w.id = gone.website_id
   WHERE gone.test_recipient IS NULL
   GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
  ON CONFLICT (website_id, day, form_id) DO UPDATE
     SET deleted = known.deleted + excluded.deleted, is_stale = true,
         first_at = least(known.first_at, excluded.first_at),
         last_at = greatest(known.last_at, excluded.last_at);
  RETURN NULL;
END $$;

CREATE TRIGGER submissions_count_deleted AFTER DELETE ON submissions
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION count_deleted_submissions();

-- Another time zone moves leads to the day before or after.
CREATE FUNCTION recount_days_of_website() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO daily_counts (website_id, day, form_id)
  SELECT DISTINCT c.website_id, c.day + shift.days, c.form_id
    FROM daily_counts c CROSS JOIN generate_series(-1, 1) AS shift (days)
   WHERE c.website_id = NEW.id
   ORDER BY 1, 2, 3
  ON CONFLICT (website_id, day, form_id) DO UPDATE SET is_stale = true;
  RETURN NULL;
END $$;

CREATE TRIGGER websites_recount_days AFTER UPDATE OF time_zone ON websites
  FOR EACH ROW WHEN (OLD.time_zone IS DISTINCT FROM NEW.time_zone) EXECUTE FUNCTION recount_days_of_website();

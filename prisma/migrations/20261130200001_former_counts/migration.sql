-- What came through a website or form stays in the figures of its team when it is deleted. The version before deletes
-- as it did, and the triggers keep the counts for it too.
CREATE TABLE "former_counts" (
    "team_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "leads" INTEGER NOT NULL DEFAULT 0,
    "page_views" INTEGER NOT NULL DEFAULT 0,
    "visitors" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "former_counts_pkey" PRIMARY KEY ("team_id","day")
);

-- AddForeignKey
ALTER TABLE "former_counts" ADD CONSTRAINT "former_counts_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- Neither can be deleted while a lead of it is stored, so all that came was deleted. Of a team that is deleted nothing
-- stays. The first lock waits for transactions that delete the last leads, so that the next statement sees their counts;
-- where a lead is left, the foreign key refuses the deletion. The second one waits for a transaction that deletes the
-- other of website and form, which has then kept the same counts already.
CREATE FUNCTION keep_counts_of_website() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM submissions WHERE website_id = OLD.id LIMIT 1 FOR KEY SHARE;
  PERFORM FROM daily_counts WHERE website_id = OLD.id ORDER BY website_id, day, form_id FOR UPDATE;
  INSERT INTO former_counts AS known (team_id, day, leads, page_views, visitors)
  SELECT OLD.team_id, came.day, sum(came.leads), sum(came.page_views), sum(came.visitors)
    FROM (SELECT day, deleted - coalesce(deleted_spam, 0) AS leads, 0 AS page_views, 0 AS visitors
            FROM daily_counts WHERE website_id = OLD.id
           UNION ALL
          SELECT day, 0, page_views, visitors FROM daily_visits WHERE website_id = OLD.id) came
   WHERE EXISTS (SELECT FROM teams WHERE id = OLD.team_id)
   GROUP BY came.day HAVING sum(came.leads) + sum(came.page_views) > 0
   ORDER BY came.day
  ON CONFLICT (team_id, day) DO UPDATE
     SET leads = known.leads + excluded.leads, page_views = known.page_views + excluded.page_views,
         visitors = known.visitors + excluded.visitors;
  RETURN OLD;
END $$;

CREATE TRIGGER websites_keep_counts BEFORE DELETE ON websites FOR EACH ROW EXECUTE FUNCTION keep_counts_of_website();

CREATE FUNCTION keep_counts_of_form() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM submissions WHERE form_id = OLD.id LIMIT 1 FOR KEY SHARE;
  PERFORM FROM daily_counts WHERE form_id = OLD.id ORDER BY website_id, day, form_id FOR UPDATE;
  INSERT INTO former_counts AS known (team_id, day, leads)
  SELECT OLD.team_id, day, sum(deleted - coalesce(deleted_spam, 0))
    FROM daily_counts
   WHERE form_id = OLD.id AND EXISTS (SELECT FROM teams WHERE id = OLD.team_id)
   GROUP BY day HAVING sum(deleted - coalesce(deleted_spam, 0)) > 0
   ORDER BY day
  ON CONFLICT (team_id, day) DO UPDATE SET leads = known.leads + excluded.leads;
  RETURN OLD;
END $$;

CREATE TRIGGER forms_keep_counts BEFORE DELETE ON forms FOR EACH ROW EXECUTE FUNCTION keep_counts_of_form();

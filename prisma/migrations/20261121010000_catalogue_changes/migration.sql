-- CreateTable
CREATE TABLE "catalogue_changes" (
    "transaction_id" BIGINT NOT NULL,
    "team_id" INTEGER NOT NULL,
    "changed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "catalogue_changes_pkey" PRIMARY KEY ("transaction_id","team_id")
);

-- CreateIndex
CREATE INDEX "catalogue_changes_changed_at_idx" ON "catalogue_changes"("changed_at");

-- Whatever writes to the tables below leaves a row for each team it concerns, once per transaction, and
-- tells the gateways that listen. There is no counter to raise on purpose: writers would wait for one
-- another on its row, and lock each other out for good when they meet in different orders.
--
-- The argument of a trigger reads the teams from the changed rows; 0 stands for all teams.
CREATE FUNCTION note_catalogue_change() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  changed_rows text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT * FROM new_rows'
    WHEN 'UPDATE' THEN 'SELECT * FROM old_rows UNION ALL SELECT * FROM new_rows'
    WHEN 'DELETE' THEN 'SELECT * FROM old_rows'
    ELSE 'SELECT 1'
  END;
  team integer;
BEGIN
  FOR team IN EXECUTE format('WITH changed AS (%s) SELECT DISTINCT * FROM (%s) AS teams', changed_rows, TG_ARGV[0])
  LOOP
    INSERT INTO catalogue_changes (transaction_id, team_id, changed_at)
      VALUES (pg_current_xact_id()::text::bigint, team, clock_timestamp())
      ON CONFLICT DO NOTHING;
    IF FOUND THEN
      PERFORM pg_notify('catalogue_changes', team::text);
      -- Whoever has not looked for a day starts anew. Rows that another transaction removes are left to it.
      DELETE FROM catalogue_changes WHERE (transaction_id, team_id) IN (
        SELECT transaction_id, team_id FROM catalogue_changes
          WHERE changed_at < clock_timestamp() - interval '1 day'
          LIMIT 100 FOR UPDATE SKIP LOCKED
      );
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

DO $$
DECLARE
  watched record;
BEGIN
  FOR watched IN
    SELECT * FROM (VALUES
      -- A plan may be given to a team at the same moment, unseen from here.
      ('plans', 'SELECT 0 FROM changed'),
      ('teams', 'SELECT id FROM changed'),
      ('websites', 'SELECT team_id FROM changed'),
      ('captcha_links', 'SELECT team_id FROM changed JOIN websites ON websites.id = website_id'),
      ('forms', 'SELECT team_id FROM changed'),
      ('form_links', 'SELECT team_id FROM changed'),
      ('form_translations', 'SELECT team_id FROM changed JOIN forms ON forms.id = form_id'),
      ('form_fields', 'SELECT team_id FROM changed JOIN forms ON forms.id = form_id'),
      ('field_translations', 'SELECT team_id FROM changed JOIN form_fields ON form_fields.id = field_id
        JOIN forms ON forms.id = form_id'),
      ('field_options', 'SELECT team_id FROM changed JOIN form_fields ON form_fields.id = field_id
        JOIN forms ON forms.id = form_id'),
      ('option_translations', 'SELECT team_id FROM changed JOIN field_options ON field_options.id = option_id
        JOIN form_fields ON form_fields.id = field_id JOIN forms ON forms.id = form_id')
    ) AS tables (name, teams)
  LOOP
    EXECUTE format('CREATE TRIGGER note_insert AFTER INSERT ON %I REFERENCING NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION note_catalogue_change(%L)', watched.name, watched.teams);
    EXECUTE format('CREATE TRIGGER note_update AFTER UPDATE ON %I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
      FOR EACH STATEMENT EXECUTE FUNCTION note_catalogue_change(%L)', watched.name, watched.teams);
    EXECUTE format('CREATE TRIGGER note_delete AFTER DELETE ON %I REFERENCING OLD TABLE AS old_rows
      FOR EACH STATEMENT EXECUTE FUNCTION note_catalogue_change(%L)', watched.name, watched.teams);
    EXECUTE format('CREATE TRIGGER note_truncate AFTER TRUNCATE ON %I
      FOR EACH STATEMENT EXECUTE FUNCTION note_catalogue_change(%L)', watched.name, 'SELECT 0');
  END LOOP;
END
$$;

-- Columns with a constant default or none, so that no row is rewritten; the version before leaves them alone.
-- CreateEnum
CREATE TYPE "spam_filter" AS ENUM ('off', 'mark', 'quarantine');

-- CreateEnum
CREATE TYPE "spam_rule_kind" AS ENUM ('blocked_sender', 'blocked_domain', 'blocked_word', 'trusted_sender');

-- AlterTable
ALTER TABLE "forms" ADD COLUMN     "spam_filter" "spam_filter";

-- AlterTable
ALTER TABLE "teams" ADD COLUMN     "spam_filter" "spam_filter" NOT NULL DEFAULT 'quarantine',
ADD COLUMN     "spam_kept_days" INTEGER DEFAULT 30,
ADD COLUMN     "spam_threshold" INTEGER NOT NULL DEFAULT 100;

-- CreateTable
CREATE TABLE "spam_verdicts" (
    "submission_id" UUID NOT NULL,
    "team_id" INTEGER NOT NULL,
    "score" INTEGER NOT NULL,
    "threshold" INTEGER NOT NULL,
    "filter" "spam_filter" NOT NULL,
    "reasons" JSONB NOT NULL,
    "judged_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spam_verdicts_pkey" PRIMARY KEY ("submission_id")
);

-- CreateTable
CREATE TABLE "spam_traces" (
    "submission_id" UUID NOT NULL,
    "hash" BIGINT NOT NULL,
    "website_id" UUID NOT NULL,
    "seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spam_traces_pkey" PRIMARY KEY ("submission_id","hash")
);

-- CreateTable
CREATE TABLE "spam_samples" (
    "submission_id" UUID NOT NULL,
    "is_spam" BOOLEAN NOT NULL,
    "features" INTEGER[],
    "taught_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spam_samples_pkey" PRIMARY KEY ("submission_id")
);

-- CreateTable
CREATE TABLE "spam_features" (
    "feature" INTEGER NOT NULL,
    "spam" INTEGER NOT NULL DEFAULT 0,
    "leads" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "spam_features_pkey" PRIMARY KEY ("feature")
);

-- CreateTable
CREATE TABLE "spam_rules" (
    "id" UUID NOT NULL,
    "team_id" INTEGER NOT NULL,
    "kind" "spam_rule_kind" NOT NULL,
    "value" VARCHAR(254) NOT NULL,
    "created_by_id" INTEGER,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spam_rules_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "spam_verdicts_team_id_judged_at_idx" ON "spam_verdicts"("team_id", "judged_at");

-- CreateIndex
CREATE INDEX "spam_traces_hash_seen_at_website_id_idx" ON "spam_traces"("hash", "seen_at", "website_id");

-- CreateIndex
CREATE INDEX "spam_traces_seen_at_idx" ON "spam_traces"("seen_at");

-- CreateIndex
CREATE INDEX "spam_rules_created_by_id_idx" ON "spam_rules"("created_by_id");

-- CreateIndex
CREATE UNIQUE INDEX "spam_rules_team_id_kind_value_key" ON "spam_rules"("team_id", "kind", "value");

-- AddForeignKey
ALTER TABLE "spam_verdicts" ADD CONSTRAINT "spam_verdicts_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spam_traces" ADD CONSTRAINT "spam_traces_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spam_samples" ADD CONSTRAINT "spam_samples_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spam_rules" ADD CONSTRAINT "spam_rules_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spam_rules" ADD CONSTRAINT "spam_rules_created_by_id_fkey" FOREIGN KEY ("created_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- In how many samples each feature is, counted with every change of a sample, so that what is deleted, by whatever
-- cascade, is forgotten. Writers take turns: the features of two samples overlap, in no common order of transactions.
CREATE FUNCTION count_spam_features() RETURNS trigger
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  changed_rows text := CASE TG_OP
    WHEN 'INSERT' THEN 'SELECT features, is_spam, 1 AS change FROM new_rows'
    WHEN 'DELETE' THEN 'SELECT features, is_spam, -1 AS change FROM old_rows'
    ELSE 'SELECT features, is_spam, 1 AS change FROM new_rows
          UNION ALL SELECT features, is_spam, -1 FROM old_rows'
  END;
  is_changed boolean;
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    DELETE FROM spam_features;
    RETURN NULL;
  END IF;
  -- Each deleted submission comes here, most of them without a sample.
  EXECUTE format('SELECT EXISTS (SELECT 1 FROM (%s) AS changed)', changed_rows) INTO is_changed;
  IF NOT is_changed THEN
    RETURN NULL;
  END IF;
  PERFORM pg_advisory_xact_lock('spam_features'::regclass::oid::bigint);
  EXECUTE format('INSERT INTO spam_features AS counted (feature, spam, leads)
    SELECT feature, coalesce(sum(change) FILTER (WHERE is_spam), 0), coalesce(sum(change) FILTER (WHERE NOT is_spam), 0)
      FROM (%s) AS changed, unnest(array_append(features, 0)) AS feature
     GROUP BY feature
    ON CONFLICT (feature) DO UPDATE
      SET spam = counted.spam + EXCLUDED.spam, leads = counted.leads + EXCLUDED.leads', changed_rows);
  IF TG_OP <> 'INSERT' THEN
    EXECUTE 'DELETE FROM spam_features WHERE spam = 0 AND leads = 0
      AND feature IN (SELECT unnest(array_append(features, 0)) FROM old_rows)';
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER count_insert AFTER INSERT ON "spam_samples" REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_spam_features();
CREATE TRIGGER count_update AFTER UPDATE ON "spam_samples" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_spam_features();
CREATE TRIGGER count_delete AFTER DELETE ON "spam_samples" REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION count_spam_features();
CREATE TRIGGER count_truncate AFTER TRUNCATE ON "spam_samples"
  FOR EACH STATEMENT EXECUTE FUNCTION count_spam_features();

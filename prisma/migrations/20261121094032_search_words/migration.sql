-- The inbox is searched by words, of which a submission has some forty, where it was by groups of three letters,
-- of which it has some two hundred. What was recorded before gets the words that the gateway would give it
-- (src/submissions/search-words.ts), but for the ends of telephone numbers.
ALTER TABLE "submissions" ADD COLUMN "search_words" tsvector NOT NULL DEFAULT ''::tsvector;

DROP INDEX "submissions_search_idx";

UPDATE "submissions" SET "search_words" = regexp_replace(
  regexp_replace(lower(regexp_replace(normalize("search_text", NFKD), '[\u0300-\u036f]', '', 'g')),
                 '[^[:alnum:]]+', ' ', 'g'),
  '(\S{100})\S+', '\1', 'g')::tsvector;

ALTER TABLE "submissions" DROP COLUMN "search_text";

CREATE INDEX "submissions_search_idx" ON "submissions" USING GIN ("team_id" int4_ops, "search_words");

-- Whoever fills the list of what is new sorts it into the index: some two hundred submissions, in two or three
-- milliseconds. A longer list saves nothing, and keeps everybody waiting while it is sorted.
ALTER INDEX "submissions_search_idx" SET (gin_pending_list_limit = 256);
ALTER INDEX "submissions_emails_idx" SET (gin_pending_list_limit = 256);

DROP EXTENSION pg_trgm;

-- The website's key carries the team along, and so says the same.
ALTER TABLE "submissions" DROP CONSTRAINT "submissions_team_id_fkey";

-- A proof that was used is never looked up by its website.
ALTER TABLE "used_proofs" DROP COLUMN "website_id";

-- No plan depends on what is in these, and to gather it was most of the half second that an ANALYZE takes.
ALTER TABLE "submissions"
  ALTER COLUMN "values" SET STATISTICS 0,
  ALTER COLUMN "undeclared" SET STATISTICS 0,
  ALTER COLUMN "consents" SET STATISTICS 0,
  ALTER COLUMN "attribution" SET STATISTICS 0,
  ALTER COLUMN "page_url" SET STATISTICS 0,
  ALTER COLUMN "page_title" SET STATISTICS 0,
  ALTER COLUMN "search_words" SET STATISTICS 0;

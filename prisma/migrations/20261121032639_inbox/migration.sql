-- A team's search looks only at the team's own rows. The extension is trusted, like pg_trgm.
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- CreateEnum
CREATE TYPE "captcha_verdict" AS ENUM ('accepted', 'refused', 'unavailable', 'fallback', 'pass_through');

-- DropIndex
DROP INDEX "submissions_form_id_created_at_id_idx";

-- DropIndex
DROP INDEX "submissions_search_text_idx";

-- DropIndex
DROP INDEX "submissions_team_id_locale_created_at_id_idx";

-- DropIndex
DROP INDEX "submissions_website_id_created_at_id_idx";

-- CreateTable
CREATE TABLE "captcha_counts" (
    "website_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "link_key" TEXT NOT NULL,
    "verdict" "captcha_verdict" NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "captcha_counts_pkey" PRIMARY KEY ("website_id","day","link_key","verdict")
);

-- CreateIndex
CREATE INDEX "notifications_unsent_idx" ON "notifications"("state") WHERE (state <> ALL (ARRAY['pending'::notification_state, 'sent'::notification_state]));

-- CreateIndex
CREATE INDEX "submissions_created_at_id_idx" ON "submissions"("created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submissions_team_id_locale_idx" ON "submissions"("team_id", "locale", "created_at" DESC, "id" DESC, "state");

-- CreateIndex
CREATE INDEX "submissions_website_id_idx" ON "submissions"("website_id", "created_at" DESC, "id" DESC, "state", "locale", "form_id");

-- CreateIndex
CREATE INDEX "submissions_form_id_idx" ON "submissions"("form_id", "created_at" DESC, "id" DESC, "state", "locale");

-- CreateIndex
CREATE INDEX "submissions_search_idx" ON "submissions" USING GIN ("team_id" int4_ops, "search_text" gin_trgm_ops);

-- AddForeignKey
ALTER TABLE "captcha_counts" ADD CONSTRAINT "captcha_counts_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

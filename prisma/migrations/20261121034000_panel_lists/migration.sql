-- DropIndex
DROP INDEX "incidents_website_id_last_seen_at_idx";

-- DropIndex
DROP INDEX "websites_team_id_name_idx";

-- CreateIndex
CREATE INDEX "incidents_website_id_minute_id_idx" ON "incidents"("website_id", "minute" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "incidents_minute_id_idx" ON "incidents"("minute" DESC, "id" DESC);

-- Names as people sort them, whatever the locale of the database.
CREATE INDEX "websites_team_id_name_id_idx" ON "websites"("team_id", "name" COLLATE "und-x-icu", "id");

-- CreateIndex
CREATE INDEX "websites_name_id_idx" ON "websites"("name" COLLATE "und-x-icu", "id");

-- CreateIndex
CREATE INDEX "forms_team_id_name_id_idx" ON "forms"("team_id", "name" COLLATE "und-x-icu", "id");

-- CreateIndex
CREATE INDEX "forms_name_id_idx" ON "forms"("name" COLLATE "und-x-icu", "id");

-- AlterTable
ALTER TABLE "users" ADD COLUMN "last_login_at" TIMESTAMPTZ(6),
ADD COLUMN "disabled_at" TIMESTAMPTZ(6),
ADD COLUMN "deleted_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "sessions" ADD COLUMN "view_as_team_id" INTEGER;

-- CreateIndex
CREATE INDEX "sessions_view_as_team_id_idx" ON "sessions"("view_as_team_id");

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_view_as_team_id_fkey" FOREIGN KEY ("view_as_team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

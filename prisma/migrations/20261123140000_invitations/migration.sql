-- AlterTable
ALTER TABLE "account_links" ADD COLUMN     "email" TEXT,
ADD COLUMN     "invited_by_id" INTEGER,
ADD COLUMN     "name" TEXT,
ADD COLUMN     "role" "role",
ALTER COLUMN "user_id" DROP NOT NULL;

-- The latest link of each account that was invited stays good. The others could not all keep the team and address.
UPDATE "account_links" AS link
   SET "email" = account."email", "name" = account."name", "role" = membership."role"
  FROM "users" AS account
  JOIN "memberships" AS membership ON membership."user_id" = account."id"
 WHERE link."purpose" = 'invitation'
   AND account."id" = link."user_id"
   AND membership."team_id" = link."team_id"
   AND NOT EXISTS (
     SELECT 1 FROM "account_links" AS later
      WHERE later."purpose" = 'invitation' AND later."user_id" = link."user_id"
        AND later."team_id" = link."team_id" AND later."id" > link."id"
   );

-- CreateIndex
CREATE INDEX "account_links_email_idx" ON "account_links"("email");

-- CreateIndex
CREATE INDEX "account_links_invited_by_id_idx" ON "account_links"("invited_by_id");

-- CreateIndex
CREATE UNIQUE INDEX "account_links_invitation_key" ON "account_links"("team_id", "email") WHERE (purpose = 'invitation'::account_link_purpose);

-- AddForeignKey
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_invited_by_id_fkey" FOREIGN KEY ("invited_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

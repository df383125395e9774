-- CreateEnum
CREATE TYPE "account_link_purpose" AS ENUM ('invitation', 'password_reset');

-- CreateTable
CREATE TABLE "account_links" (
    "id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,
    "purpose" "account_link_purpose" NOT NULL,
    "team_id" INTEGER,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "state" "notification_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_links_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "account_links_user_id_idx" ON "account_links"("user_id");

-- CreateIndex
CREATE INDEX "account_links_team_id_idx" ON "account_links"("team_id");

-- CreateIndex
CREATE INDEX "account_links_expires_at_idx" ON "account_links"("expires_at");

-- CreateIndex
CREATE INDEX "account_links_pending_idx" ON "account_links"("next_attempt_at") WHERE (state = 'pending'::notification_state);

-- CreateIndex
CREATE INDEX "audit_events_created_at_id_idx" ON "audit_events"("created_at" DESC, "id" DESC);

-- AddForeignKey
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "account_links" ADD CONSTRAINT "account_links_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

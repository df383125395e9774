-- CreateTable
CREATE TABLE "spam_digests" (
    "team_id" INTEGER NOT NULL,
    "week" DATE NOT NULL,
    "user_id" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(6) NOT NULL,
    "until" TIMESTAMPTZ(6) NOT NULL,
    "state" "notification_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "unconfirmed" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "spam_digests_pkey" PRIMARY KEY ("team_id","week","user_id")
);

-- CreateIndex
CREATE INDEX "spam_digests_pending_idx" ON "spam_digests"("next_attempt_at") WHERE (state = 'pending'::notification_state);

-- CreateIndex
CREATE INDEX "spam_digests_user_id_idx" ON "spam_digests"("user_id");

-- AddForeignKey
ALTER TABLE "spam_digests" ADD CONSTRAINT "spam_digests_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "spam_digests" ADD CONSTRAINT "spam_digests_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

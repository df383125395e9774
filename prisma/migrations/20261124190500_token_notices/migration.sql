-- CreateEnum
CREATE TYPE "token_notice_reason" AS ENUM ('unused', 'ending');

-- CreateTable
CREATE TABLE "token_notices" (
    "token_id" INTEGER NOT NULL,
    "reason" "token_notice_reason" NOT NULL,
    "state" "notification_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "unconfirmed" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "token_notices_pkey" PRIMARY KEY ("token_id","reason")
);

-- CreateIndex
CREATE INDEX "token_notices_pending_idx" ON "token_notices"("next_attempt_at") WHERE (state = 'pending'::notification_state);

-- AddForeignKey
ALTER TABLE "token_notices" ADD CONSTRAINT "token_notices_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "tokens"("id") ON DELETE CASCADE ON UPDATE CASCADE;

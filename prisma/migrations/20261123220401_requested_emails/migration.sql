-- CreateEnum
CREATE TYPE "requested_email_kind" AS ENUM ('sent_again', 'forwarded');

-- CreateTable
CREATE TABLE "requested_emails" (
    "email_id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "kind" "requested_email_kind" NOT NULL,
    "recipients" TEXT[],
    "note" TEXT,
    "requested_by_id" INTEGER,
    "state" "notification_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "retries" INTEGER NOT NULL DEFAULT 0,
    "unconfirmed" INTEGER NOT NULL DEFAULT 0,
    "retrying_since" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "quota_claimed_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "delivered_to" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "refused" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "sent_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "requested_emails_pkey" PRIMARY KEY ("email_id")
);

-- CreateTable
CREATE TABLE "requested_email_attempts" (
    "email_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "outcome" "attempt_outcome" NOT NULL,
    "smtp_code" INTEGER,
    "detail" TEXT,
    "answers" JSONB,
    "recipients" TEXT[],
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "finished_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "requested_email_attempts_pkey" PRIMARY KEY ("email_id","number")
);

-- CreateIndex
CREATE INDEX "requested_emails_submission_id_created_at_idx" ON "requested_emails"("submission_id", "created_at");

-- CreateIndex
CREATE INDEX "requested_emails_requested_by_id_idx" ON "requested_emails"("requested_by_id");

-- CreateIndex
CREATE INDEX "requested_emails_pending_idx" ON "requested_emails"("next_attempt_at") WHERE (state = 'pending'::notification_state);

-- AddForeignKey
ALTER TABLE "requested_emails" ADD CONSTRAINT "requested_emails_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requested_emails" ADD CONSTRAINT "requested_emails_requested_by_id_fkey" FOREIGN KEY ("requested_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "requested_email_attempts" ADD CONSTRAINT "requested_email_attempts_email_id_fkey" FOREIGN KEY ("email_id") REFERENCES "requested_emails"("email_id") ON DELETE CASCADE ON UPDATE CASCADE;

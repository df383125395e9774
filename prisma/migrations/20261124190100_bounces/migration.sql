-- CreateEnum
CREATE TYPE "bounce_kind" AS ENUM ('bounced', 'delayed', 'unreadable');

-- CreateEnum
CREATE TYPE "staff_email_kind" AS ENUM ('alert', 'alert_over', 'lead_undelivered', 'digest');

-- CreateTable
CREATE TABLE "bounces" (
    "email_id" UUID NOT NULL,
    "address" TEXT NOT NULL,
    "kind" "bounce_kind" NOT NULL,
    "submission_id" UUID NOT NULL,
    "status" TEXT,
    "detail" TEXT NOT NULL,
    "reported_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "bounces_pkey" PRIMARY KEY ("email_id","address")
);

-- CreateTable
CREATE TABLE "staff_emails" (
    "id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,
    "kind" "staff_email_kind" NOT NULL,
    "occasion" TEXT NOT NULL,
    "content" JSONB NOT NULL,
    "state" "notification_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "unconfirmed" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "staff_emails_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "open_alerts" (
    "name" TEXT NOT NULL,
    "opened_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "open_alerts_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "bounces_submission_id_idx" ON "bounces"("submission_id");

-- CreateIndex
CREATE INDEX "bounces_reported_at_idx" ON "bounces"("reported_at");

-- CreateIndex
CREATE INDEX "staff_emails_pending_idx" ON "staff_emails"("next_attempt_at") WHERE (state = 'pending'::notification_state);

-- CreateIndex
CREATE INDEX "staff_emails_created_at_idx" ON "staff_emails"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "staff_emails_user_id_occasion_key" ON "staff_emails"("user_id", "occasion");

-- AddForeignKey
ALTER TABLE "bounces" ADD CONSTRAINT "bounces_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "staff_emails" ADD CONSTRAINT "staff_emails_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

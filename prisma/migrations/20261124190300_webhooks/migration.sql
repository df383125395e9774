CREATE TYPE "webhook_state" AS ENUM ('active', 'paused', 'gone', 'failing');

-- CreateEnum
CREATE TYPE "webhook_delivery_state" AS ENUM ('pending', 'delivered', 'failed');

-- CreateTable
CREATE TABLE "webhooks" (
    "id" UUID NOT NULL,
    "team_id" INTEGER NOT NULL,
    "url" TEXT NOT NULL,
    "description" VARCHAR(255) NOT NULL DEFAULT '',
    "events" TEXT[],
    "website_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "form_ids" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "state" "webhook_state" NOT NULL DEFAULT 'active',
    "failing_since" TIMESTAMPTZ(6),
    "secret_cipher" BYTEA NOT NULL,
    "previous_cipher" BYTEA,
    "previous_until" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhooks_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_deliveries" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "submission_id" UUID,
    "website_id" UUID,
    "form_id" INTEGER,
    "payload" JSONB,
    "state" "webhook_delivery_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "retries" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "claimed_until" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempts" (
    "delivery_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "status" INTEGER,
    "fault" TEXT,
    "answer" TEXT NOT NULL DEFAULT '',
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "duration_ms" INTEGER NOT NULL,

    CONSTRAINT "webhook_attempts_pkey" PRIMARY KEY ("delivery_id","number")
);

-- CreateTable
CREATE TABLE "webhook_notices" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_id" UUID NOT NULL,
    "reason" "webhook_state" NOT NULL,
    "state" "notification_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "unconfirmed" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "webhook_notices_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhooks_team_id_idx" ON "webhooks"("team_id");

-- CreateIndex
CREATE INDEX "webhook_deliveries_webhook_id_created_at_id_idx" ON "webhook_deliveries"("webhook_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "webhook_deliveries_pending_idx" ON "webhook_deliveries"("webhook_id", "next_attempt_at") WHERE (state = 'pending'::webhook_delivery_state);

-- CreateIndex
CREATE INDEX "webhook_deliveries_claimed_idx" ON "webhook_deliveries"("webhook_id") WHERE (claimed_until IS NOT NULL);

-- CreateIndex
CREATE INDEX "webhook_deliveries_submission_id_idx" ON "webhook_deliveries"("submission_id") WHERE (submission_id IS NOT NULL);

-- CreateIndex
CREATE INDEX "webhook_deliveries_created_at_idx" ON "webhook_deliveries"("created_at");

-- CreateIndex
CREATE INDEX "webhook_notices_webhook_id_idx" ON "webhook_notices"("webhook_id");

-- CreateIndex
CREATE INDEX "webhook_notices_pending_idx" ON "webhook_notices"("next_attempt_at") WHERE (state = 'pending'::notification_state);

-- AddForeignKey
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempts" ADD CONSTRAINT "webhook_attempts_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "webhook_deliveries"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_notices" ADD CONSTRAINT "webhook_notices_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The last former secret stays in "webhooks", where the version before reads and writes it. That version signs with the
-- present and the last former secret alone, and a rotation by it ends that one.
CREATE TABLE "webhook_former_secrets" (
    "id" UUID NOT NULL DEFAULT gen_random_uuid(),
    "webhook_id" UUID NOT NULL,
    "secret_cipher" BYTEA NOT NULL,
    "signs_until" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "webhook_former_secrets_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "webhook_former_secrets_webhook_id_idx" ON "webhook_former_secrets"("webhook_id");

-- AddForeignKey
ALTER TABLE "webhook_former_secrets" ADD CONSTRAINT "webhook_former_secrets_webhook_id_fkey" FOREIGN KEY ("webhook_id") REFERENCES "webhooks"("id") ON DELETE CASCADE ON UPDATE CASCADE;

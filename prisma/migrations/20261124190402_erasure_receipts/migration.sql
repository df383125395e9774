-- CreateTable
CREATE TABLE "erasure_receipts" (
    "id" UUID NOT NULL,
    "team_id" INTEGER NOT NULL,
    "erased_by_id" INTEGER,
    "erased_by_name" TEXT,
    "key_cipher" BYTEA NOT NULL,
    "address_hash" BYTEA NOT NULL,
    "counts" JSONB NOT NULL,
    "websites" JSONB NOT NULL DEFAULT '{}',
    "seal" BYTEA,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "erasure_receipts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "erasure_receipts_team_id_started_at_id_idx" ON "erasure_receipts"("team_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "erasure_receipts_erased_by_id_idx" ON "erasure_receipts"("erased_by_id");

-- AddForeignKey
ALTER TABLE "erasure_receipts" ADD CONSTRAINT "erasure_receipts_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "erasure_receipts" ADD CONSTRAINT "erasure_receipts_erased_by_id_fkey" FOREIGN KEY ("erased_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Nullable and without a default, so that no row is rewritten; the version before leaves the column alone.
ALTER TABLE "submissions" ADD COLUMN "test_recipient" TEXT;

-- CreateTable
CREATE TABLE "probes" (
    "id" UUID NOT NULL,
    "website_id" UUID NOT NULL,
    "steps" JSONB NOT NULL DEFAULT '[]',
    "ok" BOOLEAN,
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "probes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "probes_website_id_started_at_id_idx" ON "probes"("website_id", "started_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "probes_started_at_idx" ON "probes"("started_at");

-- AddForeignKey
ALTER TABLE "probes" ADD CONSTRAINT "probes_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

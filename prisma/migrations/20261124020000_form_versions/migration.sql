-- Empty at first: a backfill keeps the present version of each form, and every save its own. The version before leaves
-- the tables alone, and a form that it deletes takes its rows along.
CREATE TABLE "form_snapshots" (
    "form_id" INTEGER NOT NULL,
    "digest" BYTEA NOT NULL,
    "content" JSONB NOT NULL,

    CONSTRAINT "form_snapshots_pkey" PRIMARY KEY ("form_id","digest")
);

-- CreateTable
CREATE TABLE "form_versions" (
    "form_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "digest" BYTEA NOT NULL,
    "saved_at" TIMESTAMPTZ(6) NOT NULL,
    "saved_by_id" INTEGER,
    "channel" "audit_channel",

    CONSTRAINT "form_versions_pkey" PRIMARY KEY ("form_id","version")
);

-- CreateIndex
CREATE INDEX "form_versions_form_id_digest_idx" ON "form_versions"("form_id", "digest");

-- CreateIndex
CREATE INDEX "form_versions_saved_by_id_idx" ON "form_versions"("saved_by_id");

-- AddForeignKey
ALTER TABLE "form_snapshots" ADD CONSTRAINT "form_snapshots_form_id_fkey" FOREIGN KEY ("form_id") REFERENCES "forms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "form_versions" ADD CONSTRAINT "form_versions_form_id_digest_fkey" FOREIGN KEY ("form_id", "digest") REFERENCES "form_snapshots"("form_id", "digest") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "form_versions" ADD CONSTRAINT "form_versions_saved_by_id_fkey" FOREIGN KEY ("saved_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- Empty at first: workers examine every form. The version before leaves the table alone.
CREATE TABLE "form_findings" (
    "form_id" INTEGER NOT NULL,
    "version" INTEGER NOT NULL,
    "missing_texts" INTEGER NOT NULL,
    "missing_locales" TEXT[],
    "unenforced_fields" TEXT[],
    "examined_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "form_findings_pkey" PRIMARY KEY ("form_id")
);

-- AddForeignKey
ALTER TABLE "form_findings" ADD CONSTRAINT "form_findings_form_id_fkey" FOREIGN KEY ("form_id") REFERENCES "forms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

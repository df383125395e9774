-- The version before leaves the table alone; a website that it deletes takes its rows along.
CREATE TABLE "set_asides" (
    "website_id" UUID NOT NULL,
    "kind" VARCHAR(40) NOT NULL,
    "until" TIMESTAMPTZ(6) NOT NULL,
    "reason" VARCHAR(500) NOT NULL DEFAULT '',
    "set_by_id" INTEGER,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "set_asides_pkey" PRIMARY KEY ("website_id","kind")
);

-- CreateIndex
CREATE INDEX "set_asides_set_by_id_idx" ON "set_asides"("set_by_id");

-- CreateIndex
CREATE INDEX "set_asides_until_idx" ON "set_asides"("until");

-- AddForeignKey
ALTER TABLE "set_asides" ADD CONSTRAINT "set_asides_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "set_asides" ADD CONSTRAINT "set_asides_set_by_id_fkey" FOREIGN KEY ("set_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

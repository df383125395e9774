-- Nullable and without a default, so that no row is rewritten; the version before leaves the column alone.
ALTER TABLE "probes" ADD COLUMN "certificate_expires_at" TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "scheduled_probes" (
    "website_id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "scheduled_probes_pkey" PRIMARY KEY ("website_id")
);

-- CreateTable
CREATE TABLE "daily_tasks" (
    "name" TEXT NOT NULL,
    "due_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "daily_tasks_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "sender_checks" (
    "name" TEXT NOT NULL,
    "is_ok" BOOLEAN NOT NULL,
    "finding" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "since" TIMESTAMPTZ(6) NOT NULL,
    "checked_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "sender_checks_pkey" PRIMARY KEY ("name")
);

-- CreateIndex
CREATE INDEX "scheduled_probes_due_at_idx" ON "scheduled_probes"("due_at");

-- AddForeignKey
ALTER TABLE "scheduled_probes" ADD CONSTRAINT "scheduled_probes_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

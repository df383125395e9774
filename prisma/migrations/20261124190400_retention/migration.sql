-- The default comes after the column, so that the teams there are keep their leads for ever until a person decides
-- otherwise: an upgrade deletes nothing. The version before leaves the columns alone.
ALTER TABLE "teams" ADD COLUMN     "retention_months" INTEGER;
ALTER TABLE "teams" ALTER COLUMN "retention_months" SET DEFAULT 36;

-- AlterTable
ALTER TABLE "forms" ADD COLUMN     "retention_months" INTEGER;

-- CreateTable
CREATE TABLE "retention_runs" (
    "day" DATE NOT NULL,
    "form_id" INTEGER,
    "read_to" TIMESTAMPTZ(6),
    "read_to_id" UUID,
    "submissions" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "retention_runs_pkey" PRIMARY KEY ("day")
);

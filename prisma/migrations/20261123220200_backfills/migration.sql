-- How far the workers are with what a migration leaves to them: rows that are filled or rewritten in portions.
CREATE TABLE "backfills" (
    "name" VARCHAR(100) NOT NULL,
    "cursor" TEXT,
    "remaining" INTEGER NOT NULL DEFAULT 0,
    "passes" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "done_at" TIMESTAMPTZ(6),

    CONSTRAINT "backfills_pkey" PRIMARY KEY ("name")
);

-- Nullable and without a default, so that no row is rewritten; the version before leaves the columns alone.
ALTER TABLE "submissions" ADD COLUMN     "legal_hold_at" TIMESTAMPTZ(6),
ADD COLUMN     "legal_hold_reason" TEXT;

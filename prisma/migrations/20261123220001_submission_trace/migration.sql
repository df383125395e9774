-- Nullable and without a default, so that no row is rewritten; the version before leaves the column alone.
ALTER TABLE "submissions" ADD COLUMN "trace_parent" VARCHAR(55);

-- The version before writes "failing_since" alone, so what is older than that says nothing. An endpoint that fails during
-- the upgrade has five days from its next failure.
ALTER TABLE "webhooks" ADD COLUMN "last_failed_at" TIMESTAMPTZ(6),
ADD COLUMN "disable_at" TIMESTAMPTZ(6);

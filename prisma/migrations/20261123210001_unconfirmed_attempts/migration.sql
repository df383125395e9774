-- Constant defaults, so that no row is rewritten; the version before leaves the columns alone.
ALTER TABLE "notifications" ADD COLUMN "unconfirmed" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "quota_notices" ADD COLUMN "unconfirmed" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "account_links" ADD COLUMN "unconfirmed" INTEGER NOT NULL DEFAULT 0;

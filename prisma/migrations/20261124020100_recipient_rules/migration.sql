-- Constant defaults, so that no row is written; the version before leaves the columns alone.
ALTER TABLE "forms" ADD COLUMN "recipient_rules" JSONB NOT NULL DEFAULT '[]';
ALTER TABLE "form_links" ADD COLUMN "recipient_rules" JSONB NOT NULL DEFAULT '[]';

-- Null in the rows there are, and in those of the version before: the default recipients get the e-mail.
ALTER TABLE "notifications" ADD COLUMN "matched_rules" JSONB;

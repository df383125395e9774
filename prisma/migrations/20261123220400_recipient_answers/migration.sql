-- Null in the rows there are; the version before leaves the column alone.
ALTER TABLE "notification_attempts" ADD COLUMN "answers" JSONB;

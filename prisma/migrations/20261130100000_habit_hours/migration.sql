-- Without a default, so that no row is rewritten. The version before leaves the column alone; the first count of an hour by
-- this one fills it.
ALTER TABLE "lead_habits" ADD COLUMN "hours" INTEGER[];

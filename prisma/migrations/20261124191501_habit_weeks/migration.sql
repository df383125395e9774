-- Without a default, so that no row is rewritten. The version before leaves the column alone; a website is counted by it
-- with its next lead.
ALTER TABLE "lead_habits" ADD COLUMN "weeks" INTEGER[];

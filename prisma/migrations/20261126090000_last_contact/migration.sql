-- Null in the rows there are: which later leads of the person retention has deleted is not known.
ALTER TABLE "submissions" ADD COLUMN "last_contact_at" TIMESTAMPTZ(6);

-- Null in the rows there are: how fast they were filled in is not known.
ALTER TABLE "submissions" ADD COLUMN "signature_age_s" INTEGER;

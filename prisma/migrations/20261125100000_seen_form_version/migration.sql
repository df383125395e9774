-- Null in the rows there are: which version of the form the visitor saw is not known.
ALTER TABLE "submissions" ADD COLUMN "current_form_version" INTEGER;

-- A submission has one or two addresses, so a list of new ones saves little; but one submission in five thousand had to
-- sort the list into the index, and all that came in those 16 ms were answered late.
ALTER INDEX "submissions_emails_idx" SET (fastupdate = off);
SELECT gin_clean_pending_list('submissions_emails_idx');

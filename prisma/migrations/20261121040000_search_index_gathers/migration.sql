-- What is new waits in a list before it is sorted into these indexes. With the default of 4 MB a submission in
-- some hundred would have to do that for all the others; workers do it every second instead
-- (src/submissions/search-index.ts), and this is where it happens when none is running.
ALTER INDEX "submissions_search_idx" SET (gin_pending_list_limit = 32768);
ALTER INDEX "submissions_emails_idx" SET (gin_pending_list_limit = 32768);

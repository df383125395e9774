-- DropIndex
DROP INDEX "spam_traces_hash_seen_at_website_id_idx";

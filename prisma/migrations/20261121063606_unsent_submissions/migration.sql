-- DropIndex
DROP INDEX "notifications_unsent_idx";

-- CreateIndex
CREATE INDEX "notifications_unsent_idx" ON "notifications"("state", "submission_id") WHERE (state <> ALL (ARRAY['pending'::notification_state, 'sent'::notification_state]));

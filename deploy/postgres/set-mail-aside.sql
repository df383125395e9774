-- For a restored copy, before a worker starts: sets aside every e-mail and every webhook delivery that is pending in it,
-- so that none is sent a second time. `psql` prints how many. E-mails about submissions and deliveries end as `failed`,
-- with the reason among their attempts; send-mail-set-aside.sql makes them pending again. An invitation that is set aside
-- is sent by repeating it; links for a new password and notices to accounts are not sent.
BEGIN;

WITH aside AS (
  UPDATE notifications SET state = 'failed', attempts = attempts + 1
   WHERE state = 'pending'
  RETURNING submission_id, attempts
)
INSERT INTO notification_attempts (submission_id, number, outcome, detail, recipients, started_at, finished_at)
SELECT submission_id, attempts, 'failed', 'Set aside when a backup was restored', '{}', now(), now() FROM aside;

WITH aside AS (
  UPDATE requested_emails SET state = 'failed', attempts = attempts + 1
   WHERE state = 'pending'
  RETURNING email_id, attempts
)
INSERT INTO requested_email_attempts (email_id, number, outcome, detail, recipients, started_at, finished_at)
SELECT email_id, attempts, 'failed', 'Set aside when a backup was restored', '{}', now(), now() FROM aside;

WITH aside AS (
  UPDATE webhook_deliveries SET state = 'failed', attempts = attempts + 1, claimed_until = NULL
   WHERE state = 'pending'
  RETURNING id, attempts
)
INSERT INTO webhook_attempts (delivery_id, number, fault, answer, started_at, duration_ms)
SELECT id, attempts, 'set_aside', 'Set aside when a backup was restored', now(), 0 FROM aside;

-- Ends redeliveries that were under way, which would make more deliveries pending.
UPDATE webhooks SET redeliver_since = NULL WHERE redeliver_since IS NOT NULL;

UPDATE quota_notices SET state = 'failed' WHERE state = 'pending';
UPDATE token_notices SET state = 'failed' WHERE state = 'pending';
UPDATE webhook_notices SET state = 'failed' WHERE state = 'pending';
UPDATE monthly_reports SET state = 'failed' WHERE state = 'pending';
UPDATE spam_digests SET state = 'failed' WHERE state = 'pending';
UPDATE staff_emails SET state = 'failed' WHERE state = 'pending';
UPDATE account_links SET state = 'failed' WHERE state = 'pending';

COMMIT;

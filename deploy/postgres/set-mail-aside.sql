-- For a restored copy, before a worker starts: sets aside every e-mail and every webhook delivery that is pending in it,
-- so that none is sent a second time. `psql` prints how many. E-mails about submissions and deliveries end as `failed`,
-- with the reason among their attempts; one that has reached some of its recipients goes to the others alone when it is sent
-- again. send-mail-set-aside.sql makes them pending again. An invitation that is set aside is sent by repeating it; links for
-- a new password and notices to accounts are not sent.
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

-- Ends redeliveries that were in flight, which would make more deliveries pending.
UPDATE webhooks SET redeliver_since = NULL WHERE redeliver_since IS NOT NULL;

UPDATE quota_notices SET state = 'failed' WHERE state = 'pending';
UPDATE token_notices SET state = 'failed' WHERE state = 'pending';
UPDATE webhook_notices SET state = 'failed' WHERE state = 'pending';
UPDATE monthly_reports SET state = 'failed' WHERE state = 'pending';
UPDATE spam_digests SET state = 'failed' WHERE state = 'pending';
UPDATE staff_emails SET state = 'failed' WHERE state = 'pending';
UPDATE account_links SET state = 'failed' WHERE state = 'pending';

-- What a worker would write because its time has come since the backup: digests wait for their next time, and the reports
-- of a month that are due (29 hours after its end) are failed ones.
DELETE FROM daily_tasks WHERE due_at <= now();
INSERT INTO monthly_reports (team_id, month, user_id, state)
SELECT teams.id, due.month, memberships.user_id, 'failed'
  FROM (SELECT (date_trunc('month', (now() - interval '29 hours') AT TIME ZONE 'UTC') - interval '1 month')::date AS month) due
 CROSS JOIN teams
  JOIN memberships ON memberships.team_id = teams.id AND memberships.role = 'owner'
 WHERE teams.monthly_report_since < (due.month + interval '1 month') AT TIME ZONE 'UTC'
   AND NOT EXISTS (SELECT FROM monthly_reports known WHERE known.team_id = teams.id AND known.month = due.month)
ON CONFLICT DO NOTHING;

COMMIT;

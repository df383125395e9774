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

-- What a worker would write because its time has come since the backup: the digest for staff waits for its next time, and the
-- reports of a month that are due (29 hours after its end) and the notices about tokens (14 days before their end, or after
-- 90 days without use) are failed ones. The weekly digest of spam is written, as it may not have been: a second one harms less
-- than leads that no owner is told of.
DELETE FROM daily_tasks WHERE name = 'digest' AND due_at <= now();
INSERT INTO monthly_reports (team_id, month, user_id, state)
SELECT teams.id, due.month, memberships.user_id, 'failed'
  FROM (SELECT (date_trunc('month', (now() - interval '29 hours') AT TIME ZONE 'UTC') - interval '1 month')::date AS month) due
 CROSS JOIN teams
  JOIN memberships ON memberships.team_id = teams.id AND memberships.role = 'owner'
 WHERE teams.monthly_report_since < (due.month + interval '1 month') AT TIME ZONE 'UTC'
   AND NOT EXISTS (SELECT FROM monthly_reports known WHERE known.team_id = teams.id AND known.month = due.month)
ON CONFLICT DO NOTHING;
WITH live AS (
  SELECT t.id, t.expires_at, coalesce(t.last_used_at, t.created_at) AS used_at
    FROM tokens t
    JOIN teams ON teams.id = t.team_id AND teams.active
    JOIN memberships m ON m.team_id = t.team_id AND m.user_id = t.user_id AND m.role <> 'member'
    JOIN users u ON u.id = t.user_id AND u.disabled_at IS NULL
   WHERE t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
)
INSERT INTO token_notices (token_id, reason, state)
SELECT id, 'ending'::token_notice_reason, 'failed'::notification_state FROM live WHERE expires_at <= now() + interval '14 days'
UNION ALL
SELECT id, 'unused', 'failed' FROM live WHERE used_at <= now() - interval '90 days'
ON CONFLICT DO NOTHING;

COMMIT;

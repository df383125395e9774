-- For a restored copy, before a worker starts: sets aside every e-mail that is pending in it, so that none is sent a
-- second time. `psql` prints how many. Those about submissions end as `failed`, with the reason among their attempts;
-- send-mail-set-aside.sql makes them pending again. An invitation that is set aside is sent by repeating it.
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

UPDATE quota_notices SET state = 'failed' WHERE state = 'pending';
UPDATE token_notices SET state = 'failed' WHERE state = 'pending';
UPDATE account_links SET state = 'failed' WHERE state = 'pending';

COMMIT;

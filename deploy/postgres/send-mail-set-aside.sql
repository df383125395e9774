-- Makes pending again what set-mail-aside.sql set aside and has not been sent since. `psql` prints how many.
-- What is spam by now stays withheld.
UPDATE notifications n
   SET state = 'withheld'
  FROM notification_attempts a, submissions s
 WHERE a.submission_id = n.submission_id AND a.number = n.attempts AND n.state = 'failed'
   AND a.detail = 'Set aside when a backup was restored' AND s.id = n.submission_id AND s.state = 'spam';

UPDATE notifications n
   SET state = 'pending', refused = '{}', retries = 0, unconfirmed = 0, retrying_since = now(), next_attempt_at = now()
  FROM notification_attempts a
 WHERE a.submission_id = n.submission_id AND a.number = n.attempts AND n.state = 'failed'
   AND a.detail = 'Set aside when a backup was restored';

UPDATE requested_emails r
   SET state = 'pending', refused = '{}', retries = 0, unconfirmed = 0, retrying_since = now(), next_attempt_at = now()
  FROM requested_email_attempts a
 WHERE a.email_id = r.email_id AND a.number = r.attempts AND r.state = 'failed'
   AND a.detail = 'Set aside when a backup was restored';

UPDATE webhook_deliveries d
   SET state = 'pending', retries = 0, next_attempt_at = now()
  FROM webhook_attempts a
 WHERE a.delivery_id = d.id AND a.number = d.attempts AND d.state = 'failed' AND a.fault = 'set_aside';

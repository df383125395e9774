-- For a restored copy that is only looked at: disables every webhook in it and ends what is pending for them, so that a
-- worker that is started by mistake tells no receiver anything. `psql` prints how many.
BEGIN;

UPDATE webhooks SET state = 'paused', redeliver_since = NULL WHERE state = 'active';

UPDATE webhook_deliveries SET state = 'failed', claimed_until = NULL WHERE state = 'pending';

COMMIT;

-- Alone, because a value of an enum cannot be used in the transaction that adds it.
ALTER TYPE "notification_state" ADD VALUE 'bounced';

-- Alone, because a value of an enum cannot be used in the transaction that adds it.
ALTER TYPE "attempt_outcome" ADD VALUE 'unknown';

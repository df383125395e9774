-- Alone, because a value of an enum cannot be used in the transaction that adds it.
ALTER TYPE "account_link_purpose" ADD VALUE 'email_change_notice' BEFORE 'login';

-- What an account prefers in the panel. Null follows the browser, and the system.
CREATE TYPE "panel_language" AS ENUM ('en', 'fr');
CREATE TYPE "panel_theme" AS ENUM ('light', 'dark');
ALTER TABLE "users" ADD COLUMN "language" "panel_language",
ADD COLUMN "theme" "panel_theme";

-- Nothing here uses the values, which this transaction could not.
ALTER TYPE "account_link_purpose" ADD VALUE 'email_change';
ALTER TYPE "account_link_purpose" ADD VALUE 'login';

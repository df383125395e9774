ALTER TABLE "account_links" ADD COLUMN "language" "panel_language";

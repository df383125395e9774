-- AlterTable
ALTER TABLE "notifications" ADD COLUMN "held_back_until" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "requested_emails" ADD COLUMN "held_back_until" TIMESTAMPTZ(6);

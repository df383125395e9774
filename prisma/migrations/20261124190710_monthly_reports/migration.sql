-- Nullable and without a default, so that no row is rewritten; the version before leaves the column alone.
ALTER TABLE "teams" ADD COLUMN "monthly_report_since" TIMESTAMPTZ(6);

-- CreateTable
CREATE TABLE "monthly_reports" (
    "team_id" INTEGER NOT NULL,
    "month" DATE NOT NULL,
    "user_id" INTEGER NOT NULL,
    "state" "notification_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "unconfirmed" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "monthly_reports_pkey" PRIMARY KEY ("team_id","month","user_id")
);

-- CreateIndex
CREATE INDEX "monthly_reports_pending_idx" ON "monthly_reports"("next_attempt_at") WHERE (state = 'pending'::notification_state);

-- CreateIndex
CREATE INDEX "monthly_reports_user_id_idx" ON "monthly_reports"("user_id");

-- AddForeignKey
ALTER TABLE "monthly_reports" ADD CONSTRAINT "monthly_reports_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "monthly_reports" ADD CONSTRAINT "monthly_reports_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

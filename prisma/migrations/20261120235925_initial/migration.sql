-- Substring search in the inbox. The extension is trusted: the owner of the database may create it.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- CreateEnum
CREATE TYPE "role" AS ENUM ('owner', 'admin', 'member');

-- CreateEnum
CREATE TYPE "field_type" AS ENUM ('text', 'textarea', 'email', 'tel', 'url', 'number', 'date', 'time', 'select', 'radio', 'checkbox', 'consent', 'hidden');

-- CreateEnum
CREATE TYPE "injection_position" AS ENUM ('inside');

-- CreateEnum
CREATE TYPE "captcha_type" AS ENUM ('altcha', 'recaptcha_v3', 'recaptcha_enterprise', 'turnstile', 'hcaptcha');

-- CreateEnum
CREATE TYPE "submission_state" AS ENUM ('new', 'in_progress', 'done', 'spam', 'archived');

-- CreateEnum
CREATE TYPE "captcha_ground" AS ENUM ('none', 'first', 'designated', 'altcha', 'pass_through');

-- CreateEnum
CREATE TYPE "notification_state" AS ENUM ('pending', 'sent', 'failed', 'skipped_quota', 'no_recipient');

-- CreateEnum
CREATE TYPE "attempt_outcome" AS ENUM ('sent', 'deferred', 'failed');

-- CreateEnum
CREATE TYPE "audit_channel" AS ENUM ('api', 'panel', 'command_line', 'provision', 'system');

-- CreateTable
CREATE TABLE "users" (
    "id" SERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT,
    "staff" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "sessions" (
    "id" UUID NOT NULL,
    "user_id" INTEGER NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "ip" TEXT,
    "user_agent" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "plans" (
    "id" SERIAL NOT NULL,
    "code" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "notifications_per_month" INTEGER,
    "submissions_per_minute" INTEGER NOT NULL DEFAULT 5,
    "submissions_per_hour" INTEGER NOT NULL DEFAULT 1000,

    CONSTRAINT "plans_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "teams" (
    "id" SERIAL NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "plan_id" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "teams_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "team_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "role" "role" NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("team_id","user_id")
);

-- CreateTable
CREATE TABLE "tokens" (
    "id" SERIAL NOT NULL,
    "team_id" INTEGER NOT NULL,
    "user_id" INTEGER NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "abilities" TEXT[],
    "secret_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_used_at" TIMESTAMPTZ(6),
    "expires_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),
    "revoked_by_id" INTEGER,

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "departments" (
    "code" VARCHAR(16) NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "departments_pkey" PRIMARY KEY ("code")
);

-- CreateTable
CREATE TABLE "websites" (
    "id" UUID NOT NULL,
    "team_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "host" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "locale" VARCHAR(10) NOT NULL,
    "time_zone" TEXT NOT NULL DEFAULT 'UTC',
    "email" TEXT NOT NULL,
    "company" TEXT NOT NULL DEFAULT '',
    "address" TEXT NOT NULL DEFAULT '',
    "zipcode" TEXT NOT NULL DEFAULT '',
    "city" TEXT NOT NULL DEFAULT '',
    "country" TEXT NOT NULL DEFAULT '',
    "phone" TEXT NOT NULL DEFAULT '',
    "logo" TEXT NOT NULL DEFAULT '',
    "disabled" BOOLEAN NOT NULL DEFAULT false,
    "signature_key_cipher" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "websites_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "website_departments" (
    "website_id" UUID NOT NULL,
    "department_code" VARCHAR(16) NOT NULL,

    CONSTRAINT "website_departments_pkey" PRIMARY KEY ("website_id","department_code")
);

-- CreateTable
CREATE TABLE "forms" (
    "id" SERIAL NOT NULL,
    "team_id" INTEGER NOT NULL,
    "slug" VARCHAR(100) NOT NULL,
    "name" TEXT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "source_locale" VARCHAR(10) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "submit_button_text" TEXT NOT NULL,
    "confirmation_message" TEXT NOT NULL,
    "privacy_notice_text" TEXT,
    "privacy_notice_url" TEXT,
    "recipients" TEXT[],
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "forms_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "form_fields" (
    "id" SERIAL NOT NULL,
    "form_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "name" VARCHAR(100) NOT NULL,
    "type" "field_type" NOT NULL,
    "label" TEXT NOT NULL,
    "is_required" BOOLEAN NOT NULL DEFAULT false,
    "show_label" BOOLEAN NOT NULL DEFAULT true,
    "is_multiple" BOOLEAN NOT NULL DEFAULT false,
    "placeholder" TEXT,
    "help_text" TEXT,
    "link_url" TEXT,
    "attributes" JSONB NOT NULL DEFAULT '{}',
    "visibility" JSONB,

    CONSTRAINT "form_fields_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "field_options" (
    "id" SERIAL NOT NULL,
    "field_id" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "value" TEXT NOT NULL,
    "label" TEXT NOT NULL,

    CONSTRAINT "field_options_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "form_translations" (
    "form_id" INTEGER NOT NULL,
    "locale" VARCHAR(10) NOT NULL,
    "submit_button_text" TEXT,
    "confirmation_message" TEXT,
    "privacy_notice_text" TEXT,
    "privacy_notice_url" TEXT,

    CONSTRAINT "form_translations_pkey" PRIMARY KEY ("form_id","locale")
);

-- CreateTable
CREATE TABLE "field_translations" (
    "field_id" INTEGER NOT NULL,
    "locale" VARCHAR(10) NOT NULL,
    "label" TEXT,
    "placeholder" TEXT,
    "help_text" TEXT,
    "link_url" TEXT,

    CONSTRAINT "field_translations_pkey" PRIMARY KEY ("field_id","locale")
);

-- CreateTable
CREATE TABLE "option_translations" (
    "option_id" INTEGER NOT NULL,
    "locale" VARCHAR(10) NOT NULL,
    "label" TEXT NOT NULL,

    CONSTRAINT "option_translations_pkey" PRIMARY KEY ("option_id","locale")
);

-- CreateTable
CREATE TABLE "form_links" (
    "website_id" UUID NOT NULL,
    "form_id" INTEGER NOT NULL,
    "team_id" INTEGER NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "css_selector" TEXT,
    "injection_position" "injection_position" NOT NULL DEFAULT 'inside',
    "html_wrapper" TEXT,
    "appearance" JSONB NOT NULL DEFAULT '{}',
    "confirmation_message" TEXT,
    "recipients" TEXT[],

    CONSTRAINT "form_links_pkey" PRIMARY KEY ("website_id","form_id")
);

-- CreateTable
CREATE TABLE "captcha_links" (
    "id" SERIAL NOT NULL,
    "website_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,
    "type" "captcha_type" NOT NULL,
    "identifier" VARCHAR(100) NOT NULL DEFAULT '',
    "site_key" TEXT,
    "secret_cipher" BYTEA,
    "project_id" TEXT,
    "api_key_cipher" BYTEA,
    "min_score" DOUBLE PRECISION,

    CONSTRAINT "captcha_links_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "incidents" (
    "id" UUID NOT NULL,
    "website_id" UUID NOT NULL,
    "link_key" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "minute" TIMESTAMPTZ(6) NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "request_id" TEXT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "incidents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "used_proofs" (
    "challenge" BYTEA NOT NULL,
    "website_id" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "used_proofs_pkey" PRIMARY KEY ("challenge")
);

-- CreateTable
CREATE TABLE "visits" (
    "id" UUID NOT NULL,
    "website_id" UUID NOT NULL,
    "visitor_hash" VARCHAR(64) NOT NULL,
    "page_url" TEXT NOT NULL,
    "page_title" TEXT,
    "page_locale" VARCHAR(35),
    "referrer" TEXT,
    "utm_source" TEXT,
    "utm_medium" TEXT,
    "utm_campaign" TEXT,
    "utm_term" TEXT,
    "utm_content" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "visits_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "daily_salts" (
    "day" DATE NOT NULL,
    "salt" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "daily_salts_pkey" PRIMARY KEY ("day")
);

-- CreateTable
CREATE TABLE "submissions" (
    "id" UUID NOT NULL,
    "team_id" INTEGER NOT NULL,
    "website_id" UUID NOT NULL,
    "form_id" INTEGER NOT NULL,
    "form_version" INTEGER NOT NULL,
    "locale" VARCHAR(10) NOT NULL,
    "state" "submission_state" NOT NULL DEFAULT 'new',
    "state_changed_at" TIMESTAMPTZ(6),
    "state_changed_by_id" INTEGER,
    "values" JSONB NOT NULL,
    "undeclared" JSONB NOT NULL DEFAULT '{}',
    "consents" JSONB NOT NULL DEFAULT '{}',
    "page_url" TEXT,
    "page_title" TEXT,
    "page_locale" VARCHAR(35),
    "attribution" JSONB,
    "captcha_key" TEXT,
    "captcha_ground" "captcha_ground" NOT NULL DEFAULT 'none',
    "needs_review" BOOLEAN NOT NULL DEFAULT false,
    "token_id" INTEGER,
    "emails" TEXT[],
    "search_text" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "submissions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "submission_notes" (
    "id" UUID NOT NULL,
    "submission_id" UUID NOT NULL,
    "author_id" INTEGER,
    "text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "submission_notes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "website_id" UUID NOT NULL,
    "form_id" INTEGER NOT NULL,
    "key" VARCHAR(255) NOT NULL,
    "body_hash" BYTEA NOT NULL,
    "submission_id" UUID NOT NULL,
    "message" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("website_id","form_id","key")
);

-- CreateTable
CREATE TABLE "notifications" (
    "submission_id" UUID NOT NULL,
    "state" "notification_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "quota_claimed_at" TIMESTAMPTZ(6),
    "sent_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("submission_id")
);

-- CreateTable
CREATE TABLE "notification_attempts" (
    "submission_id" UUID NOT NULL,
    "number" INTEGER NOT NULL,
    "outcome" "attempt_outcome" NOT NULL,
    "smtp_code" INTEGER,
    "detail" TEXT,
    "recipients" TEXT[],
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "finished_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "notification_attempts_pkey" PRIMARY KEY ("submission_id","number")
);

-- CreateTable
CREATE TABLE "quota_usages" (
    "team_id" INTEGER NOT NULL,
    "month" DATE NOT NULL,
    "used" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "quota_usages_pkey" PRIMARY KEY ("team_id","month")
);

-- CreateTable
CREATE TABLE "quota_notices" (
    "team_id" INTEGER NOT NULL,
    "month" DATE NOT NULL,
    "percent" INTEGER NOT NULL,
    "state" "notification_state" NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sent_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "quota_notices_pkey" PRIMARY KEY ("team_id","month","percent")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "id" UUID NOT NULL,
    "team_id" INTEGER,
    "actor_id" INTEGER,
    "channel" "audit_channel" NOT NULL,
    "action" TEXT NOT NULL,
    "subject_type" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "ip" TEXT,
    "detail" JSONB NOT NULL DEFAULT '{}',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "users_email_key" ON "users"("email");

-- CreateIndex
CREATE UNIQUE INDEX "sessions_secret_hash_key" ON "sessions"("secret_hash");

-- CreateIndex
CREATE INDEX "sessions_user_id_idx" ON "sessions"("user_id");

-- CreateIndex
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "plans_code_key" ON "plans"("code");

-- CreateIndex
CREATE UNIQUE INDEX "teams_slug_key" ON "teams"("slug");

-- CreateIndex
CREATE INDEX "teams_plan_id_idx" ON "teams"("plan_id");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE INDEX "tokens_team_id_user_id_idx" ON "tokens"("team_id", "user_id");

-- CreateIndex
CREATE INDEX "tokens_user_id_idx" ON "tokens"("user_id");

-- CreateIndex
CREATE INDEX "tokens_revoked_by_id_idx" ON "tokens"("revoked_by_id");

-- CreateIndex
CREATE INDEX "websites_team_id_name_idx" ON "websites"("team_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "websites_team_id_host_key" ON "websites"("team_id", "host");

-- CreateIndex
CREATE UNIQUE INDEX "websites_id_team_id_key" ON "websites"("id", "team_id");

-- CreateIndex
CREATE INDEX "website_departments_department_code_idx" ON "website_departments"("department_code");

-- CreateIndex
CREATE UNIQUE INDEX "forms_team_id_slug_key" ON "forms"("team_id", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "forms_id_team_id_key" ON "forms"("id", "team_id");

-- CreateIndex
CREATE UNIQUE INDEX "form_fields_form_id_name_key" ON "form_fields"("form_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "field_options_field_id_value_key" ON "field_options"("field_id", "value");

-- CreateIndex
CREATE INDEX "form_links_form_id_idx" ON "form_links"("form_id");

-- CreateIndex
CREATE INDEX "form_links_team_id_idx" ON "form_links"("team_id");

-- CreateIndex
CREATE UNIQUE INDEX "captcha_links_website_id_type_identifier_key" ON "captcha_links"("website_id", "type", "identifier");

-- CreateIndex
CREATE INDEX "incidents_website_id_last_seen_at_idx" ON "incidents"("website_id", "last_seen_at" DESC);

-- CreateIndex
CREATE UNIQUE INDEX "incidents_website_id_link_key_reason_minute_key" ON "incidents"("website_id", "link_key", "reason", "minute");

-- CreateIndex
CREATE INDEX "used_proofs_expires_at_idx" ON "used_proofs"("expires_at");

-- CreateIndex
CREATE INDEX "visits_website_id_visitor_hash_created_at_idx" ON "visits"("website_id", "visitor_hash", "created_at");

-- CreateIndex
CREATE INDEX "visits_website_id_created_at_idx" ON "visits"("website_id", "created_at");

-- CreateIndex
CREATE INDEX "submissions_team_id_created_at_id_idx" ON "submissions"("team_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submissions_team_id_state_created_at_id_idx" ON "submissions"("team_id", "state", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submissions_website_id_created_at_id_idx" ON "submissions"("website_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submissions_form_id_created_at_id_idx" ON "submissions"("form_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submissions_team_id_locale_created_at_id_idx" ON "submissions"("team_id", "locale", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "submissions_needs_review_idx" ON "submissions"("team_id", "created_at" DESC) WHERE (needs_review);

-- CreateIndex
CREATE INDEX "submissions_emails_idx" ON "submissions" USING GIN ("emails");

-- CreateIndex
CREATE INDEX "submissions_search_text_idx" ON "submissions" USING GIN ("search_text" gin_trgm_ops);

-- CreateIndex
CREATE INDEX "submission_notes_submission_id_created_at_idx" ON "submission_notes"("submission_id", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "idempotency_keys_submission_id_key" ON "idempotency_keys"("submission_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE INDEX "notifications_pending_idx" ON "notifications"("next_attempt_at") WHERE (state = 'pending'::notification_state);

-- CreateIndex
CREATE INDEX "quota_notices_pending_idx" ON "quota_notices"("next_attempt_at") WHERE (state = 'pending'::notification_state);

-- CreateIndex
CREATE INDEX "audit_events_team_id_created_at_id_idx" ON "audit_events"("team_id", "created_at" DESC, "id" DESC);

-- CreateIndex
CREATE INDEX "audit_events_subject_type_subject_id_idx" ON "audit_events"("subject_type", "subject_id");

-- CreateIndex
CREATE INDEX "audit_events_actor_id_idx" ON "audit_events"("actor_id");

-- AddForeignKey
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "teams" ADD CONSTRAINT "teams_plan_id_fkey" FOREIGN KEY ("plan_id") REFERENCES "plans"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_revoked_by_id_fkey" FOREIGN KEY ("revoked_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "websites" ADD CONSTRAINT "websites_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "website_departments" ADD CONSTRAINT "website_departments_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "website_departments" ADD CONSTRAINT "website_departments_department_code_fkey" FOREIGN KEY ("department_code") REFERENCES "departments"("code") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "forms" ADD CONSTRAINT "forms_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "form_fields" ADD CONSTRAINT "form_fields_form_id_fkey" FOREIGN KEY ("form_id") REFERENCES "forms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "field_options" ADD CONSTRAINT "field_options_field_id_fkey" FOREIGN KEY ("field_id") REFERENCES "form_fields"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "form_translations" ADD CONSTRAINT "form_translations_form_id_fkey" FOREIGN KEY ("form_id") REFERENCES "forms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "field_translations" ADD CONSTRAINT "field_translations_field_id_fkey" FOREIGN KEY ("field_id") REFERENCES "form_fields"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "option_translations" ADD CONSTRAINT "option_translations_option_id_fkey" FOREIGN KEY ("option_id") REFERENCES "field_options"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "form_links" ADD CONSTRAINT "form_links_website_id_team_id_fkey" FOREIGN KEY ("website_id", "team_id") REFERENCES "websites"("id", "team_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "form_links" ADD CONSTRAINT "form_links_form_id_team_id_fkey" FOREIGN KEY ("form_id", "team_id") REFERENCES "forms"("id", "team_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "form_links" ADD CONSTRAINT "form_links_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "captcha_links" ADD CONSTRAINT "captcha_links_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "incidents" ADD CONSTRAINT "incidents_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "used_proofs" ADD CONSTRAINT "used_proofs_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "visits" ADD CONSTRAINT "visits_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_website_id_team_id_fkey" FOREIGN KEY ("website_id", "team_id") REFERENCES "websites"("id", "team_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_form_id_team_id_fkey" FOREIGN KEY ("form_id", "team_id") REFERENCES "forms"("id", "team_id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_state_changed_by_id_fkey" FOREIGN KEY ("state_changed_by_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_token_id_fkey" FOREIGN KEY ("token_id") REFERENCES "tokens"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submission_notes" ADD CONSTRAINT "submission_notes_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "submission_notes" ADD CONSTRAINT "submission_notes_author_id_fkey" FOREIGN KEY ("author_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_form_id_fkey" FOREIGN KEY ("form_id") REFERENCES "forms"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notifications" ADD CONSTRAINT "notifications_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "submissions"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notification_attempts" ADD CONSTRAINT "notification_attempts_submission_id_fkey" FOREIGN KEY ("submission_id") REFERENCES "notifications"("submission_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "quota_usages" ADD CONSTRAINT "quota_usages_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "quota_notices" ADD CONSTRAINT "quota_notices_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_team_id_fkey" FOREIGN KEY ("team_id") REFERENCES "teams"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_actor_id_fkey" FOREIGN KEY ("actor_id") REFERENCES "users"("id") ON DELETE SET NULL ON UPDATE CASCADE;

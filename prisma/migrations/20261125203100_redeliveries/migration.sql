-- How far the redelivery of an endpoint has come, which workers carry out in portions.
ALTER TABLE "webhooks" ADD COLUMN "redeliver_since" TIMESTAMPTZ(6),
ADD COLUMN "redeliver_before" TIMESTAMPTZ(6),
ADD COLUMN "redeliver_before_id" UUID;

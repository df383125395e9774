-- AlterTable
ALTER TABLE "teams" ADD COLUMN     "directory_version" UUID NOT NULL DEFAULT gen_random_uuid();

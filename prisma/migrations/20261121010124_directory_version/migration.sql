-- AlterTable
ALTER TABLE "teams" ADD COLUMN     "directory_version" INTEGER NOT NULL DEFAULT 0;

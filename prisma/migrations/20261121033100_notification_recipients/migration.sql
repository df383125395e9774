-- AlterTable
ALTER TABLE "notifications" ADD COLUMN     "delivered_to" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "refused" TEXT[] DEFAULT ARRAY[]::TEXT[];

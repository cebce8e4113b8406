-- AlterTable
ALTER TABLE "Change" ADD COLUMN "groups" TEXT;

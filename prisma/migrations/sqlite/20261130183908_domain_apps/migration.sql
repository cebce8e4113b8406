-- AlterTable
ALTER TABLE "Domain" ADD COLUMN "apps" TEXT;

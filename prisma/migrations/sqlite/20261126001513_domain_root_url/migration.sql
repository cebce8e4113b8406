-- AlterTable
ALTER TABLE "Domain" ADD COLUMN "rootUrl" TEXT;

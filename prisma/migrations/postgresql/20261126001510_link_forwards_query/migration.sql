-- AlterTable
ALTER TABLE "Link" ADD COLUMN     "forwardsQuery" BOOLEAN NOT NULL DEFAULT true;

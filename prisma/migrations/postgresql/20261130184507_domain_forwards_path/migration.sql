-- AlterTable
ALTER TABLE "Domain" ADD COLUMN     "forwardsPath" BOOLEAN NOT NULL DEFAULT false;

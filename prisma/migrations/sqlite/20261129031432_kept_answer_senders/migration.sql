-- AlterTable
ALTER TABLE "KeptAnswer" ADD COLUMN "sender" TEXT;

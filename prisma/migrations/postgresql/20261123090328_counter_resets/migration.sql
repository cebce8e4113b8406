-- AlterTable
ALTER TABLE "LinkCounter" ADD COLUMN     "resets" INTEGER NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "Link" ADD COLUMN     "note" TEXT;

-- AlterTable
ALTER TABLE "Account" ADD COLUMN "defaultPrivacy" TEXT NOT NULL DEFAULT 'PUBLIC';

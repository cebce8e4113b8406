-- AlterTable
ALTER TABLE "Account" ADD COLUMN     "defaultPrivacy" TEXT COLLATE "C" NOT NULL DEFAULT 'PUBLIC';

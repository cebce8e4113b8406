-- AlterTable
ALTER TABLE "Account" ADD COLUMN "brandColour" TEXT;
ALTER TABLE "Account" ADD COLUMN "brandHelpUrl" TEXT;
ALTER TABLE "Account" ADD COLUMN "brandLogo" TEXT;
ALTER TABLE "Account" ADD COLUMN "brandName" TEXT;

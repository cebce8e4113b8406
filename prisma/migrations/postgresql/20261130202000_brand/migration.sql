-- AlterTable
ALTER TABLE "Account" ADD COLUMN     "brandColour" TEXT COLLATE "C",
ADD COLUMN     "brandHelpUrl" TEXT COLLATE "C",
ADD COLUMN     "brandLogo" TEXT COLLATE "C",
ADD COLUMN     "brandName" TEXT COLLATE "C";

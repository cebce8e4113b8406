-- AlterTable
ALTER TABLE "Link" ADD COLUMN     "ruleTests" TEXT NOT NULL DEFAULT '[]',
ADD COLUMN     "rules" TEXT NOT NULL DEFAULT '{"next":1,"rules":[]}';

-- AlterTable
ALTER TABLE "VisitValue" ADD COLUMN     "variant" TEXT;

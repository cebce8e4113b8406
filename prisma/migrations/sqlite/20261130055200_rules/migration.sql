-- AlterTable
ALTER TABLE "Link" ADD COLUMN "rules" TEXT NOT NULL DEFAULT '{"next":1,"rules":[]}';
ALTER TABLE "Link" ADD COLUMN "ruleTests" TEXT NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "VisitValue" ADD COLUMN "variant" TEXT;

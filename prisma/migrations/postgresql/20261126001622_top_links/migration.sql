-- CreateIndex
CREATE INDEX "LinkDay_day_idx" ON "LinkDay"("day");

-- CreateIndex
CREATE INDEX "LinkMonthValue_valueId_month_idx" ON "LinkMonthValue"("valueId", "month");

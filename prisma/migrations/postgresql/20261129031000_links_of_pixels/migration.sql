-- The links of a pixel are read by ascending id, some at a time.
DROP INDEX "LinkPixel_pixelId_idx";
CREATE INDEX "LinkPixel_pixelId_linkId_idx" ON "LinkPixel"("pixelId", "linkId");

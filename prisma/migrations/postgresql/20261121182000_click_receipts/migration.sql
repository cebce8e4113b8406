-- Which of its writes of clicks each process is known to have made last: one that has to be sent again, since no answer came,
-- counts once.
CREATE TABLE "ClickReceipt" ("processId" UUID PRIMARY KEY, "number" INTEGER NOT NULL, "at" TIMESTAMP(3) NOT NULL);

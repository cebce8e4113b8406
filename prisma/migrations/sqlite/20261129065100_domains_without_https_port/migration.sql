-- No browser names the port of https: a domain with it never served its host. Where the host has a domain of its own, both stay.
UPDATE "Domain" SET "name" = "hostKey"
  WHERE "name" = "hostKey" || ':443' AND "isDefault" IS NULL AND "hostKey" NOT IN (SELECT "name" FROM "Domain");

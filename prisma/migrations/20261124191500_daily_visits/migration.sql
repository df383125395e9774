-- Empty at first: workers count the days there are, the oldest first. The version before leaves the table alone, and may
-- delete visits of 13 months ago that are not counted yet.
CREATE TABLE "daily_visits" (
    "website_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "page_views" INTEGER NOT NULL,
    "visitors" INTEGER NOT NULL,

    CONSTRAINT "daily_visits_pkey" PRIMARY KEY ("website_id","day")
);

-- AddForeignKey
ALTER TABLE "daily_visits" ADD CONSTRAINT "daily_visits_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

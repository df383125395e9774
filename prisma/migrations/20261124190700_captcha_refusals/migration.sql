-- CreateTable
CREATE TABLE "captcha_refusals" (
    "website_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "link_key" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "captcha_refusals_pkey" PRIMARY KEY ("website_id","day","link_key","reason")
);

-- AddForeignKey
ALTER TABLE "captcha_refusals" ADD CONSTRAINT "captcha_refusals_website_id_fkey" FOREIGN KEY ("website_id") REFERENCES "websites"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- CreateTable
CREATE TABLE "key_checks" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "word_cipher" BYTEA NOT NULL,

    CONSTRAINT "key_checks_pkey" PRIMARY KEY ("id")
);

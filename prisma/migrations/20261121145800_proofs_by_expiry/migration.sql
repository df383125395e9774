-- With its expiry first in the key new proofs come at the end, and what has expired is found by it.
ALTER TABLE "used_proofs" DROP CONSTRAINT "used_proofs_pkey";
DROP INDEX "used_proofs_expires_at_idx";
ALTER TABLE "used_proofs" ADD CONSTRAINT "used_proofs_pkey" PRIMARY KEY ("expires_at", "challenge");

import { z } from 'zod';
import type { Db } from '../db/client.js';
import { defineJob } from '../queue/define-job.js';
import type { Proof } from './providers/altcha.js';

/** The job that deletes the marks of expired proofs of work. */
export const purgeProofsJob = defineJob('captcha-purge-proofs', z.object({}));

/** Tolerated difference between the machines' clocks, in seconds. */
const GRACE_S = 600;

/** Tells whether a proof of work has admitted a submission before. */
export async function isProofUsed(db: Db, { challenge, expiresAt }: Proof): Promise<boolean> {
  const count = await db.orm.usedProof.count({ where: { expiresAt, challenge: new Uint8Array(challenge) } });
  return count > 0;
}

/** Deletes the marks of expired proofs, which are refused without them. */
export async function purgeProofs(db: Db, now: Date): Promise<number> {
  const { count } = await db.orm.usedProof.deleteMany({
    where: { expiresAt: { lt: new Date(now.getTime() - GRACE_S * 1000) } },
  });
  return count;
}

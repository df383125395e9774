import { type Actor, recordAudit } from '../../audit/audit.js';
import type { Db, Transaction } from '../../db/client.js';
import { lockRow } from '../../db/row-lock.js';
import { conflict } from '../../errors.js';
import type { Clock } from '../../lib/clock.js';
import type { Cipher } from '../../lib/crypto/cipher.js';
import { generateRecoveryCodes, hashRecoveryCode, readRecoveryCode } from './recovery-codes.js';
import { secretPurpose } from './second-factor-secret.js';
import { isSecondFactorRequired } from './second-factor-setting.js';
import { describeTotpSecret, generateTotpSecret, type TotpSecret, totpStep } from './totp.js';

/** What a code was: one of the authenticator app, or a recovery code. */
export type CodeKind = 'totp' | 'recovery_code';

/** The second factor of an account as its owner may see it. */
export type SecondFactorState = Readonly<{
  /** Since when the account needs codes; null: it needs none. */
  enabledAt: Date | null;
  recoveryCodesLeft: number;
  /** Whether the account cannot do without. */
  required: boolean;
}>;

type Account = Readonly<{ userId: number; email: string }>;

type Services = { db: Db; cipher: Pick<Cipher, 'encrypt' | 'decrypt'>; clock: Clock };

export type SecondFactors = ReturnType<typeof createSecondFactors>;

/** Digits of a code as typed, which apps show in two groups. */
const readTotpCode = (typed: string): string | null => /^\d{6}$/.exec(typed.replace(/\s/g, ''))?.[0] ?? null;

/** Manages authenticator apps (TOTP) and recovery codes, the second factor of a login. */
export function createSecondFactors({ db, cipher, clock }: Services) {
  /** Draws new recovery codes in place of those before. @returns the codes, of which only hashes are kept. */
  async function drawRecoveryCodes(tx: Transaction, userId: number): Promise<string[]> {
    const codes = generateRecoveryCodes();
    await tx.recoveryCode.deleteMany({ where: { userId } });
    await tx.recoveryCode.createMany({
      data: codes.map((code) => ({ userId, codeHash: hashRecoveryCode(code) })),
    });
    return codes;
  }

  /** Accepts a code of the app and uses up its time step, in one statement, so that it is accepted once. */
  async function acceptTotp(
    tx: Transaction,
    { userId, code, isConfirmed }: Readonly<{ userId: number; code: string; isConfirmed: boolean }>,
  ): Promise<boolean> {
    const stored = await tx.secondFactor.findUnique({ where: { userId } });
    if (!stored || (stored.confirmedAt !== null) !== isConfirmed) return false;
    const secret = cipher.decrypt(stored.secretCipher, secretPurpose(userId)).toString();
    const step = totpStep(secret, code, clock());
    if (step === null) return false;
    const { count } = await tx.secondFactor.updateMany({
      where: {
        id: stored.id,
        confirmedAt: stored.confirmedAt,
        OR: [{ lastStep: null }, { lastStep: { lt: step } }],
      },
      data: { lastStep: step, ...(!isConfirmed && { confirmedAt: clock() }) },
    });
    return count > 0;
  }

  async function verifyWithin(tx: Transaction, userId: number, typed: string): Promise<CodeKind | null> {
    const code = readTotpCode(typed);
    if (code) return (await acceptTotp(tx, { userId, code, isConfirmed: true })) ? 'totp' : null;
    const recovery = readRecoveryCode(typed);
    if (!recovery) return null;
    const { count } = await tx.recoveryCode.deleteMany({
      where: { userId, codeHash: hashRecoveryCode(recovery) },
    });
    return count > 0 ? 'recovery_code' : null;
  }

  async function removeWithin(tx: Transaction, userId: number): Promise<boolean> {
    await tx.recoveryCode.deleteMany({ where: { userId } });
    const { count } = await tx.secondFactor.deleteMany({ where: { userId, confirmedAt: { not: null } } });
    return count > 0;
  }

  const subject = (userId: number) => ({ teamId: null, subject: ['user', userId] }) as const;

  return {
    /** Reads the state of an account's second factor. */
    async stateOf(userId: number): Promise<SecondFactorState> {
      const [user, recoveryCodesLeft] = await Promise.all([
        db.orm.user.findUniqueOrThrow({ where: { id: userId }, include: { secondFactor: true } }),
        db.orm.recoveryCode.count({ where: { userId } }),
      ]);
      const required = user.staff && (await isSecondFactorRequired(db.orm));
      return { enabledAt: user.secondFactor?.confirmedAt ?? null, recoveryCodesLeft, required };
    },

    /**
     * Draws the secret of an authenticator app, in place of one that was never confirmed.
     *
     * @throws 409 when the account has a confirmed one.
     */
    start: ({ userId, email }: Account): Promise<TotpSecret> =>
      db.orm.$transaction(async (tx) => {
        await lockRow(tx, 'users', userId);
        const stored = await tx.secondFactor.findUnique({ where: { userId } });
        if (stored?.confirmedAt) throw conflict('This account has an authenticator app already.');
        const secret = generateTotpSecret();
        const secretCipher = cipher.encrypt(secret, secretPurpose(userId));
        await tx.secondFactor.upsert({
          where: { userId },
          create: { userId, secretCipher, createdAt: clock() },
          update: { secretCipher, lastStep: null, createdAt: clock() },
        });
        return describeTotpSecret(secret, email);
      }),

    /**
     * Confirms the authenticator app of an account by its first code, within the caller's transaction.
     *
     * @returns the recovery codes, which cannot be shown again; null when the code is wrong.
     */
    async confirmWithin(
      tx: Transaction,
      userId: number,
      typed: string,
      actor: Actor,
    ): Promise<string[] | null> {
      const code = readTotpCode(typed);
      if (!code || !(await acceptTotp(tx, { userId, code, isConfirmed: false }))) return null;
      await recordAudit(tx, actor, { ...subject(userId), action: 'user.second_factor_enabled' });
      return drawRecoveryCodes(tx, userId);
    },

    /**
     * Verifies a code of the authenticator app or a recovery code, and uses it up, within the caller's transaction.
     *
     * @returns what it was; null when it is wrong or was used before.
     */
    verifyWithin,

    /** Draws new recovery codes for an account by a code. @returns null when the code is wrong. */
    renewCodes: (userId: number, typed: string, actor: Actor): Promise<string[] | null> =>
      db.orm.$transaction(async (tx) => {
        // Of two renewals at once the later one would not see the codes of the earlier one, and leave them.
        await lockRow(tx, 'users', userId);
        if (!(await verifyWithin(tx, userId, typed))) return null;
        await recordAudit(tx, actor, { ...subject(userId), action: 'user.recovery_codes_renewed' });
        return drawRecoveryCodes(tx, userId);
      }),

    /**
     * Removes the second factor of an account by a code.
     *
     * @returns false when the code is wrong.
     * @throws 409 when the account must have one.
     */
    remove: (userId: number, typed: string, actor: Actor): Promise<boolean> =>
      db.orm.$transaction(async (tx) => {
        await lockRow(tx, 'users', userId);
        const { staff } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
        if (staff && (await isSecondFactorRequired(tx))) {
          throw conflict('Staff need a second factor in this installation.');
        }
        if (!(await verifyWithin(tx, userId, typed))) return false;
        await removeWithin(tx, userId);
        await recordAudit(tx, actor, { ...subject(userId), action: 'user.second_factor_removed' });
        return true;
      }),

    /**
     * Removes the second factor of an account whose owner has lost it, within the caller's transaction.
     *
     * @returns whether there was one.
     */
    async resetWithin(tx: Transaction, userId: number, actor: Actor): Promise<boolean> {
      if (!(await removeWithin(tx, userId))) return false;
      await recordAudit(tx, actor, { ...subject(userId), action: 'user.second_factor_reset' });
      return true;
    },
  };
}

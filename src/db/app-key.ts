import { StartError } from '../errors.js';
import { Prisma } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/crypto/cipher.js';
import type { Keyring } from '../lib/crypto/keyring.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import type { Db } from './client.js';

/** Plaintext of every check value: only its encryption matters. */
const CHECK_TEXT = 'formgate';
const PURPOSE = 'app-key-check';

/** Row of the check value under the key of this database; a rotation adds a further row until it ends. */
const FIRST_ID = 1;

/** Interval at which a process that still encrypts with the previous key checks whether a rotation has begun. */
const POLL_ROTATION_EVERY_MS = 1_000;

/** Time within which every process has noticed that a rotation has begun: an interval and a statement's timeout. */
export const ROTATION_NOTICED_WITHIN_MS = 4_000;

type Services = Readonly<{ db: Db; keyring: Keyring; cipher: Cipher; log: Logger }>;

/**
 * Keeps the keys of a process and of the database in step, by check values: a known text encrypted under each key that
 * secrets may be under.
 *
 * A process must be able to decrypt every check value, and encrypts and signs with the key of the last one. So
 * processes with APP_KEY_PREVIOUS go on with that key, which those not yet restarted know as well, until a rotation
 * begins.
 */
export function createAppKeyCheck({ db, keyring, cipher, log }: Services) {
  const warn = limitLog(log);
  let timer: NodeJS.Timeout | undefined;

  const encryptCheckValue = () => cipher.encrypt(CHECK_TEXT, PURPOSE);

  /** Reads the check values in their order, each with its key. @throws StartError when one is under another key. */
  async function readCheckValues(): Promise<{ id: number; key: Buffer }[]> {
    // Through the driver: where a pooler refuses its connections, the process does not start.
    const checkValues = await db.sql<{ id: number; wordCipher: Buffer }>(
      Prisma.sql`SELECT id, word_cipher AS "wordCipher" FROM key_checks ORDER BY id`,
    );
    try {
      return checkValues.map(({ id, wordCipher }) => ({ id, key: cipher.keyOf(wordCipher, PURPOSE) }));
    } catch {
      throw new StartError(
        'APP_KEY is not the key under which the secrets in this database are encrypted. ' +
          'Restore that key, or name it in APP_KEY_PREVIOUS to replace it.',
      );
    }
  }

  /** Encrypts and signs with the key of the last check value from now on. */
  async function encryptWithLastKey(): Promise<void> {
    const { key } = (await readCheckValues()).at(-1)!;
    keyring.encryptWith(key);
    if (key === keyring.appKey) clearInterval(timer);
  }

  return {
    /**
     * Verifies the same as `verify`, and writes nothing.
     *
     * @returns whether a process has begun with a key.
     * @throws StartError for another key.
     */
    async isKnown(): Promise<boolean> {
      return (await readCheckValues()).length > 0;
    },

    /**
     * Verifies that this process has the keys of the database, whose first process stores a check value under its
     * own. While the key in use is the previous one, it polls for a rotation until `close`.
     *
     * @throws StartError for another key: going on would make captcha secrets and signature keys unreadable.
     */
    async verify(): Promise<void> {
      await db.orm.$executeRaw`
        INSERT INTO key_checks (id, word_cipher) SELECT ${FIRST_ID}::int, ${encryptCheckValue()}
         WHERE NOT EXISTS (SELECT FROM key_checks) ON CONFLICT DO NOTHING`;
      await encryptWithLastKey();
      if (keyring.issuing() === keyring.appKey) return;
      const pollRotation = () =>
        encryptWithLastKey().catch((error) => warn(error, 'Rotation of APP_KEY not followed'));
      timer = setInterval(pollRotation, POLL_ROTATION_EVERY_MS).unref();
    },

    /** Makes every process encrypt and sign with APP_KEY. @returns whether some may not have noticed yet. */
    async beginRotation(): Promise<boolean> {
      const checkValues = await readCheckValues();
      if (checkValues.every(({ key }) => key === keyring.appKey)) return false;
      keyring.encryptWith(keyring.appKey);
      const last = checkValues.at(-1)!;
      if (last.key !== keyring.appKey) {
        const data = { id: last.id + 1, wordCipher: encryptCheckValue() };
        await db.orm.keyCheck.createMany({ data, skipDuplicates: true });
      }
      return true;
    },

    /** Lets processes with APP_KEY alone start, as no secret is under the previous key any more. */
    async endRotation(): Promise<void> {
      await db.orm.$transaction([
        db.orm.keyCheck.update({ where: { id: FIRST_ID }, data: { wordCipher: encryptCheckValue() } }),
        db.orm.keyCheck.deleteMany({ where: { id: { gt: FIRST_ID } } }),
      ]);
    },

    close: (): void => clearInterval(timer),
  };
}

import { StartError } from '../errors.js';
import { Prisma } from '../generated/prisma/client.js';
import type { Cipher } from '../lib/crypto/cipher.js';
import type { Keyring } from '../lib/crypto/keyring.js';
import { limitLog } from '../lib/telemetry/limited-log.js';
import type { Logger } from '../lib/telemetry/logger.js';
import type { Db } from './client.js';

const WORD = 'formgate';
const PURPOSE = 'app-key-check';

/** Row of the word under the key of this database; a rotation adds a further row until it ends. */
const FIRST_ID = 1;

/** Interval at which a process that still issues with the previous key checks whether a rotation has begun. */
const FOLLOW_EVERY_MS = 1_000;

/** Time within which every process has noticed that a rotation has begun: an interval and a statement's timeout. */
export const FOLLOWED_WITHIN_MS = 4_000;

type Services = Readonly<{ db: Db; keyring: Keyring; cipher: Cipher; log: Logger }>;

/**
 * Keeps the keys of a process and of the database in step, by words encrypted under the keys that secrets may be under.
 *
 * A process must be able to read every word, and encrypts and signs with the key of the last one. So processes with
 * APP_KEY_PREVIOUS go on with that key, which those not yet restarted know as well, until a rotation begins.
 */
export function createAppKeyCheck({ db, keyring, cipher, log }: Services) {
  const warn = limitLog(log);
  let timer: NodeJS.Timeout | undefined;

  const encryptWord = () => cipher.encrypt(WORD, PURPOSE);

  /** Reads the words in their order, each with its key. @throws StartError when one is under another key. */
  async function readWords(): Promise<{ id: number; key: Buffer }[]> {
    // Through the driver: where a pooler refuses its connections, the process does not start.
    const words = await db.sql<{ id: number; wordCipher: Buffer }>(
      Prisma.sql`SELECT id, word_cipher AS "wordCipher" FROM key_checks ORDER BY id`,
    );
    try {
      return words.map(({ id, wordCipher }) => ({ id, key: cipher.keyOf(wordCipher, PURPOSE) }));
    } catch {
      throw new StartError(
        'APP_KEY is not the key under which the secrets in this database are encrypted. ' +
          'Restore that key, or name it in APP_KEY_PREVIOUS to replace it.',
      );
    }
  }

  /** Adopts the key of the last word. */
  async function adopt(): Promise<void> {
    const { key } = (await readWords()).at(-1)!;
    keyring.issueWith(key);
    if (key === keyring.appKey) clearInterval(timer);
  }

  return {
    /**
     * Verifies that this process has the keys of the database, whose first process stores a word under its own. While
     * the key in use is the previous one, it follows the rotation until `close`.
     *
     * @throws StartError for another key: going on would make captcha secrets and signature keys unreadable.
     */
    async verify(): Promise<void> {
      await db.orm.$executeRaw`
        INSERT INTO key_checks (id, word_cipher) SELECT ${FIRST_ID}::int, ${encryptWord()}
         WHERE NOT EXISTS (SELECT FROM key_checks) ON CONFLICT DO NOTHING`;
      await adopt();
      if (keyring.issuing() === keyring.appKey) return;
      const follow = () => adopt().catch((error) => warn(error, 'Rotation of APP_KEY not followed'));
      timer = setInterval(follow, FOLLOW_EVERY_MS).unref();
    },

    /** Makes every process encrypt and sign with APP_KEY. @returns whether some may not have noticed yet. */
    async beginRotation(): Promise<boolean> {
      const words = await readWords();
      if (words.every(({ key }) => key === keyring.appKey)) return false;
      keyring.issueWith(keyring.appKey);
      const last = words.at(-1)!;
      if (last.key !== keyring.appKey) {
        const data = { id: last.id + 1, wordCipher: encryptWord() };
        await db.orm.keyCheck.createMany({ data, skipDuplicates: true });
      }
      return true;
    },

    /** Lets processes with APP_KEY alone start, as no secret is under the previous key any more. */
    async endRotation(): Promise<void> {
      await db.orm.$transaction([
        db.orm.keyCheck.update({ where: { id: FIRST_ID }, data: { wordCipher: encryptWord() } }),
        db.orm.keyCheck.deleteMany({ where: { id: { gt: FIRST_ID } } }),
      ]);
    },

    close: (): void => clearInterval(timer),
  };
}

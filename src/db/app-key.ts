import { StartError } from '../errors.js';
import type { Cipher } from '../lib/cipher.js';
import type { Db } from './client.js';

const WORD = 'formgate';
const PURPOSE = 'app-key-check';

/**
 * Verifies that APP_KEY is the key under which the database's secrets are encrypted. The first process stores a
 * word encrypted with its key; a process that cannot decrypt the word has another key.
 *
 * @throws StartError for another key: going on would make captcha secrets and signature keys unreadable.
 */
export async function verifyAppKey({ db, cipher }: { db: Db; cipher: Cipher }): Promise<void> {
  const word = cipher.encrypt(WORD, PURPOSE);
  await db.orm
    .$executeRaw`INSERT INTO key_checks (id, word_cipher) VALUES (1, ${word}) ON CONFLICT DO NOTHING`;
  const { wordCipher } = await db.orm.keyCheck.findUniqueOrThrow({ where: { id: 1 } });
  try {
    cipher.decrypt(wordCipher, PURPOSE);
  } catch {
    throw new StartError(
      'APP_KEY is not the key under which the secrets in this database are encrypted. Restore that key.',
    );
  }
}

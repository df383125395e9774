import { randomInt } from 'node:crypto';
import { sha256 } from '../../lib/crypto/sha256.js';

/** Letters and digits that nobody confuses on paper: no 0, 1, i, l, o, and no u. */
const ALPHABET = '23456789abcdefghjkmnpqrstvwxyz';

const COUNT = 10;
const GROUP = 5;
const LENGTH = 4 * GROUP;

/** Generates ten recovery codes of 98 bits each, in four groups. */
export const generateRecoveryCodes = (): string[] =>
  Array.from({ length: COUNT }, () => {
    const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
    return letters.match(new RegExp(`.{${GROUP}}`, 'g'))!.join('-');
  });

/** Reads a recovery code as typed, in any case and with any separators; null when it is none. */
export function readRecoveryCode(typed: string): string | null {
  const letters = typed.slice(0, 100).toLowerCase().replace(/[\s-]/g, '');
  return letters.length === LENGTH && [...letters].every((letter) => ALPHABET.includes(letter))
    ? letters
    : null;
}

/** Hashes a recovery code; it is random and long, so a fast hash is enough. */
export const hashRecoveryCode = (code: string): Uint8Array<ArrayBuffer> => sha256(code.replaceAll('-', ''));

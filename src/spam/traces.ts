import { createHash } from 'node:crypto';
import type { Message } from './message.js';
import { plainText } from './plain-text.js';
import type { SeenElsewhere } from './signals/signal.js';

/** Words that a text needs to be recognised on another website: shorter ones are written by many. */
const MIN_WORDS = 5;

/** What is stored of a message for a day. */
export type Trace = Readonly<{ kind: keyof SeenElsewhere; hash: number }>;

/** Hashes to 53 bits, which a number holds and PostgreSQL reads as a bigint. */
const hashOf = (kind: string, value: string): number => {
  const digest = createHash('sha256').update(`${kind}\0${value}`).digest();
  return digest.readUIntBE(0, 6) * 32 + (digest.readUInt8(6) >> 3);
};

/** Lists what a message says that may be said on other websites. */
export function tracesOf({ body, links, emails, phones }: Message): Trace[] {
  const words = plainText(body).split(' ');
  const said: [keyof SeenElsewhere, string][] = [
    ...(words.length >= MIN_WORDS ? [['text', words.join(' ')] as [keyof SeenElsewhere, string]] : []),
    ...emails.map((email): [keyof SeenElsewhere, string] => ['email', email]),
    ...phones.map((phone): [keyof SeenElsewhere, string] => ['phone', phone]),
    ...links.map((link): [keyof SeenElsewhere, string] => ['link', link]),
  ];
  return said.map(([kind, value]) => ({ kind, hash: hashOf(kind, value) }));
}

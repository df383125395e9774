import type { SpamRuleKind } from '../../generated/prisma/client.js';
import { domainOf } from '../../lib/text/email-address.js';
import { type Message, plainOf, withoutOwnLinks } from '../message.js';
import { plainText, wordsOf } from '../plain-text.js';
import type { Evidence } from '../signals/signal.js';

/** A rule of the team that a message is for. */
export type Rule = Readonly<{ kind: SpamRuleKind; value: string }>;

/** What a team's rules say about a message. */
export type RuleMatch = Readonly<{
  /** Whether the team never wants its sender judged. */
  isTrusted: boolean;
  blocked: Evidence['blocked'];
}>;

/** Lists a domain and those above it, without the top level. */
function domainsUp(domain: string): string[] {
  const labels = domain.split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

/** Lists the addresses and domains by which rules can name a sender. */
export const sendersOf = (emails: readonly string[]): string[] => [
  ...emails,
  ...emails.flatMap((email) => domainsUp(domainOf(email))),
];

/** Writes words so that one text can be looked for in another, word by word. */
const spaced = (words: readonly string[]): string => ` ${words.join(' ')} `;

/** Finds which of a team's rules a message matches. The function is pure. */
export function matchRules(rules: readonly Rule[], { emails, plain, text, host }: Message): RuleMatch {
  const senders = new Set(sendersOf(emails));
  const hasWords = rules.some(({ kind }) => kind === 'blocked_word');
  // With the links to other websites, which name what is advertised.
  const written = hasWords ? spaced(wordsOf(plainOf(withoutOwnLinks(text, host)))) : '';
  const has = (value: string): boolean => {
    const blocked = plainText(value);
    const parts = wordsOf(blocked);
    return parts.length > 0 ? written.includes(spaced(parts)) : plain.includes(blocked);
  };
  const find = (kind: SpamRuleKind): string | null =>
    rules.find(
      (rule) => rule.kind === kind && (kind === 'blocked_word' ? has(rule.value) : senders.has(rule.value)),
    )?.value ?? null;
  return {
    isTrusted: find('trusted_sender') !== null,
    blocked: {
      sender: find('blocked_sender'),
      domain: find('blocked_domain'),
      word: find('blocked_word'),
    },
  };
}

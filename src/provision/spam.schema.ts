import { z } from 'zod';
import type { SpamRuleKind } from '../generated/prisma/client.js';
import { MAX_SPAM_RULES, ruleValue } from '../spam/rules/spam-rule.schema.js';
import { spamFilter, spamKeptDays, spamThreshold } from '../spam/settings/spam-settings.schema.js';

/** Lists of the document by the kind of their rules. */
export const SPAM_LISTS = {
  blocked_senders: 'blocked_sender',
  blocked_domains: 'blocked_domain',
  blocked_words: 'blocked_word',
  trusted_senders: 'trusted_sender',
} as const satisfies Record<string, SpamRuleKind>;

const rules = (kind: SpamRuleKind) => z.array(ruleValue(kind)).max(MAX_SPAM_RULES).optional();

/** How a team wants spam to be handled, in the document. */
export const spamSchema = z.strictObject({
  filter: spamFilter.optional(),
  threshold: spamThreshold.optional().describe('Points from which a submission is spam'),
  kept_days: spamKeptDays.optional().describe('Days after which spam is deleted; null: never'),
  blocked_senders: rules('blocked_sender'),
  blocked_domains: rules('blocked_domain'),
  blocked_words: rules('blocked_word'),
  trusted_senders: rules('trusted_sender').describe('Addresses that are never judged'),
});

export type SpamEntry = z.output<typeof spamSchema>;

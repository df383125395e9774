import { z } from 'zod';
import type { SpamRuleKind } from '../../generated/prisma/client.js';
import { email, text } from '../../lib/input.schema.js';
import { isFreeMail } from '../../lib/text/free-mail.js';

/** Maximum number of rules of a team: its words are all read with each batch of its submissions. */
export const MAX_SPAM_RULES = 500;

const domain = z
  .string()
  .trim()
  .toLowerCase()
  .transform((value) => value.replace(/^@/, ''))
  .pipe(
    z
      .string()
      .max(253)
      .regex(/^(?:[a-z0-9-]+\.)+[a-z0-9-]{2,}$/, { error: 'must be a domain such as example.com' })
      .refine((value) => !isFreeMail(value), {
        error: 'is a domain of free mail, which leads come from as well: block the address instead',
      }),
  );

const sender = z.string().trim().toLowerCase().pipe(email);

const VALUES = {
  blocked_sender: sender,
  trusted_sender: sender,
  blocked_domain: domain,
  blocked_word: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(text(100).refine((value) => value.length >= 3, { error: 'must have 3 characters at least' })),
} satisfies Record<SpamRuleKind, z.ZodType<string>>;

/** The value of a rule of a kind: an address, a domain, or words. */
export const ruleValue = (kind: SpamRuleKind) => VALUES[kind];

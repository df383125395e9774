import { z } from 'zod';
import type { SpamRuleKind } from '../../generated/prisma/client.js';
import { email, text } from '../../lib/schemas.js';

/** Domains of free mail, from which so many leads come that none of them is blocked whole. */
const FREE_MAIL = new Set(
  [
    'gmail.com googlemail.com outlook.com outlook.fr hotmail.com hotmail.fr live.com live.fr msn.com yahoo.com',
    'yahoo.fr yahoo.de yahoo.es yahoo.it icloud.com me.com mac.com aol.com proton.me protonmail.com gmx.de gmx.net',
    'gmx.com web.de t-online.de freenet.de orange.fr wanadoo.fr free.fr sfr.fr laposte.net bbox.fr neuf.fr libero.it',
    'virgilio.it tiscali.it alice.it ziggo.nl kpnmail.nl hetnet.nl xs4all.nl planet.nl sapo.pt mail.com btinternet.com',
    'telefonica.net terra.es bluewin.ch skynet.be telenet.be',
  ]
    .join(' ')
    .split(' '),
);

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
      .refine((value) => !FREE_MAIL.has(value), {
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

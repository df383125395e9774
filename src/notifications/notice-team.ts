import type { Prisma } from '../generated/prisma/client.js';

/** Language of an e-mail to an account or a team that has no website yet. */
export const DEFAULT_LOCALE = 'fr';

/** What a notice to the owners of a team needs: who can still log in, and the website whose language it is in. */
export const NOTICE_TEAM = {
  memberships: {
    where: { role: 'owner', user: { disabledAt: null } },
    include: { user: true },
    orderBy: { userId: 'asc' },
  },
  websites: { orderBy: [{ createdAt: 'asc' }, { id: 'asc' }], take: 1 },
} satisfies Prisma.TeamInclude;

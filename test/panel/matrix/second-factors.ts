import { hashPassword } from '../../../src/auth/passwords.js';
import { totpCode } from '../../../src/auth/second-factor/totp.js';
import type { Services } from '../../../src/services.js';
import { type Caller, type Rows, WHO } from './row.js';

const LOGGED_IN = WHO.filter((who) => who !== 'nobody');

const PASSWORD = 'correct horse battery';
const passwordHash = hashPassword(PASSWORD);

/** Prepares an account with an authenticator app that is not confirmed yet. */
async function started(services: Services, { userId, email }: Caller) {
  if (!userId || !email) return { code: '000000' };
  await services.db.orm.secondFactor.deleteMany({ where: { userId } });
  const { secret } = await services.secondFactors.start({ userId, email });
  return { code: totpCode(secret, services.clock()) };
}

/** Prepares an account with a confirmed authenticator app. */
async function confirmed(services: Services, caller: Caller) {
  const { userId } = caller;
  const { code } = await started(services, caller);
  if (!userId) return { code };
  const actor = { userId, channel: 'panel' } as const;
  const codes = await services.db.orm.$transaction((tx) =>
    services.secondFactors.confirmWithin(tx, userId, code, actor),
  );
  return { code: codes![0]! };
}

const rows: Rows = {
  'Query.loginStep': {
    query: '{ loginStep }',
    variables: () => ({}),
    allowed: WHO,
    scope: 'viewer',
  },
  // Only a browser with a challenge is answered, which `second-factor.test.ts` tries.
  'Mutation.confirmLogin': {
    query: 'mutation { confirmLogin(code: "000000") }',
    variables: () => ({}),
    allowed: [],
    refusal: Object.fromEntries(LOGGED_IN.map((who) => [who, 'UNAUTHENTICATED'])),
    scope: 'viewer',
  },
  'Mutation.startSecondFactor': {
    query: 'mutation { startSecondFactor(password: "correct horse battery") { secret uri } }',
    prepare: async ({ db }, _ids, { userId }) => {
      if (userId) {
        await db.orm.user.update({ where: { id: userId }, data: { passwordHash: await passwordHash } });
        await db.orm.secondFactor.deleteMany({ where: { userId } });
      }
      return {};
    },
    variables: () => ({}),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.confirmSecondFactor': {
    query: 'mutation ($code: String!) { confirmSecondFactor(code: $code) }',
    prepare: (services, _ids, caller) => started(services, caller),
    variables: (_ids, { code }) => ({ code }),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.renewRecoveryCodes': {
    query: 'mutation ($code: String!) { renewRecoveryCodes(code: $code) }',
    prepare: (services, _ids, caller) => confirmed(services, caller),
    variables: (_ids, { code }) => ({ code }),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.removeSecondFactor': {
    query: 'mutation ($code: String!) { removeSecondFactor(code: $code) }',
    prepare: (services, _ids, caller) => confirmed(services, caller),
    variables: (_ids, { code }) => ({ code }),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
};

export default rows;

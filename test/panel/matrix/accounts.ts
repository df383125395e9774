import { randomBytes } from 'node:crypto';
import { hashPassword } from '../../../src/auth/passwords.js';
import type { Transaction } from '../../../src/db/client.js';
import type { Services } from '../../../src/services.js';
import { TEST_ACTOR } from '../../support/factories.js';
import { createAccount } from '../../support/panel.js';
import { type Rows, WHO } from './row.js';

const LOGGED_IN = WHO.filter((who) => who !== 'nobody');

const PASSWORD = 'correct horse battery';
const passwordHash = hashPassword(PASSWORD);

const freshEmail = () => `${randomBytes(6).toString('hex')}@fresh.test`;

/** Issues a link to a new account. @returns its token. */
const linkToken =
  (issue: (links: Services['oneTimeLinks'], tx: Transaction, userId: number) => Promise<unknown>) =>
  async ({ db, oneTimeLinks }: Services) => {
    const userId = await createAccount({ db }, { email: freshEmail() });
    await db.orm.$transaction((tx) => issue(oneTimeLinks, tx, userId));
    const link = await db.orm.oneTimeLink.findFirstOrThrow({ where: { userId } });
    return { token: oneTimeLinks.addressOf(link).split('#')[1]! };
  };

const resetToken = linkToken((links, tx, userId) => links.issueReset(tx, userId));
const emailChangeToken = linkToken((links, tx, userId) =>
  links.issueEmailChange(tx, userId, freshEmail(), TEST_ACTOR),
);

const rows: Rows = {
  'Query.me': {
    query: '{ me { userId email name staff teams { role team { id slug } } } }',
    variables: () => ({}),
    allowed: WHO,
    scope: 'viewer',
  },
  'Mutation.login': {
    query: 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }',
    prepare: async ({ db }) => {
      const email = freshEmail();
      await db.orm.user.create({ data: { email, name: email, passwordHash: await passwordHash } });
      return { email };
    },
    variables: (_ids, { email }) => ({ email, password: PASSWORD }),
    allowed: WHO,
    scope: 'viewer',
  },
  // Of the demo alone, which `start.test.ts` runs.
  'Mutation.loginByLink': {
    query: 'mutation ($token: String!) { loginByLink(token: $token) }',
    prepare: async ({ db, oneTimeLinks }) => {
      const userId = await createAccount({ db }, { email: freshEmail() });
      const link = await db.orm.$transaction((tx) => oneTimeLinks.issueLogin(tx, userId));
      return { token: oneTimeLinks.addressOf(link).split('#')[1]! };
    },
    variables: (_ids, { token }) => ({ token }),
    allowed: [],
    refusal: { nobody: 'FORBIDDEN' },
    scope: 'viewer',
  },
  'Mutation.updateViewer': {
    query: 'mutation { updateViewer(input: { name: "Renamed", language: fr, theme: dark }) { name } }',
    variables: () => ({}),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.logout': {
    query: 'mutation { logout }',
    variables: () => ({}),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.changePassword': {
    query: 'mutation ($new: String!) { changePassword(current: "correct horse battery", new: $new) }',
    prepare: async ({ db }, _ids, { userId }) => {
      if (userId)
        await db.orm.user.update({ where: { id: userId }, data: { passwordHash: await passwordHash } });
      return {};
    },
    variables: () => ({ new: 'battery staple, correct' }),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.requestEmailChange': {
    query: `mutation ($email: String!) {
      requestEmailChange(email: $email, password: "correct horse battery")
    }`,
    prepare: async ({ db }, _ids, { userId }) => {
      if (userId)
        await db.orm.user.update({ where: { id: userId }, data: { passwordHash: await passwordHash } });
      return {};
    },
    variables: () => ({ email: freshEmail() }),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.confirmEmailChange': {
    query: 'mutation ($token: String!) { confirmEmailChange(token: $token) }',
    prepare: emailChangeToken,
    variables: (_ids, { token }) => ({ token }),
    allowed: WHO,
    scope: 'viewer',
  },
  'Query.followedEmailChange': {
    query: 'query ($token: String!) { followedEmailChange(token: $token) }',
    prepare: emailChangeToken,
    variables: (_ids, { token }) => ({ token }),
    allowed: WHO,
    scope: 'viewer',
  },
  'Mutation.requestPasswordReset': {
    query: 'mutation ($email: String!) { requestPasswordReset(email: $email) }',
    variables: () => ({ email: freshEmail() }),
    allowed: WHO,
    scope: 'viewer',
  },
  'Query.followedReset': {
    query: 'query ($token: String!) { followedReset(token: $token) }',
    prepare: resetToken,
    variables: (_ids, { token }) => ({ token }),
    allowed: WHO,
    scope: 'viewer',
  },
  'Mutation.resetPassword': {
    query: 'mutation ($token: String!) { resetPassword(token: $token, password: "battery staple") }',
    prepare: resetToken,
    variables: (_ids, { token }) => ({ token }),
    allowed: WHO,
    scope: 'viewer',
  },
  'Query.installation': {
    query: '{ installation { demo locales captchaByDefault } }',
    variables: () => ({}),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Query.sessions': {
    query: '{ sessions { id current } }',
    variables: () => ({}),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.revokeSession': {
    query: 'mutation ($id: ID!) { revokeSession(id: $id) }',
    prepare: async ({ db, sessions }, { ownerId }, { userId }) => {
      await sessions.open(db.orm, userId ?? ownerId, { ip: '127.0.0.1', userAgent: 'another' });
      const { id } = await db.orm.session.findFirstOrThrow({
        where: { userId: userId ?? ownerId },
        orderBy: { createdAt: 'desc' },
      });
      return { id };
    },
    variables: (_ids, { id }) => ({ id }),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.revokeOtherSessions': {
    query: 'mutation { revokeOtherSessions }',
    variables: () => ({}),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Query.users': {
    query: '{ users(first: 2) { edges { node { id email access { lastLoginAt } memberships { role } } } } }',
    variables: () => ({}),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.createUser': {
    query: 'mutation ($email: String!) { createUser(input: { email: $email, name: "N" }) { password } }',
    variables: () => ({ email: freshEmail() }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.updateUser': {
    query: 'mutation ($id: ID!) { updateUser(id: $id, input: { name: "Renamed", staff: true }) { staff } }',
    prepare: async (services) => ({ id: await createAccount(services, { email: freshEmail() }) }),
    variables: (_ids, { id }) => ({ id }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.requestUserEmailChange': {
    query: 'mutation ($id: ID!, $email: String!) { requestUserEmailChange(id: $id, email: $email) }',
    prepare: async (services) => ({ id: await createAccount(services, { email: freshEmail() }) }),
    variables: (_ids, { id }) => ({ id, email: freshEmail() }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.setUserDisabled': {
    query:
      'mutation ($id: ID!) { setUserDisabled(id: $id, disabled: true) { canLogIn access { disabledAt } } }',
    prepare: async (services) => ({ id: await createAccount(services, { email: freshEmail() }) }),
    variables: (_ids, { id }) => ({ id }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.resetUserSecondFactor': {
    query: 'mutation ($id: ID!) { resetUserSecondFactor(id: $id) }',
    prepare: async (services) => ({ id: await createAccount(services, { email: freshEmail() }) }),
    variables: (_ids, { id }) => ({ id }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.deleteUser': {
    query: 'mutation ($id: ID!) { deleteUser(id: $id) }',
    prepare: async (services) => ({ id: await createAccount(services, { email: freshEmail() }) }),
    variables: (_ids, { id }) => ({ id }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.requireStaffSecondFactor': {
    query: 'mutation { requireStaffSecondFactor(required: false) }',
    variables: () => ({}),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.viewAs': {
    query: 'mutation ($teamId: ID!) { viewAs(teamId: $teamId) }',
    variables: ({ teamId }) => ({ teamId }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Mutation.endViewAs': {
    query: 'mutation { endViewAs }',
    variables: () => ({}),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
  'Mutation.resetUserPassword': {
    query: 'mutation ($id: ID!) { resetUserPassword(id: $id) { password } }',
    prepare: async (services) => ({ id: await createAccount(services, { email: freshEmail() }) }),
    variables: (_ids, { id }) => ({ id }),
    allowed: ['staff'],
    scope: 'staff',
  },
  'Query.auditActors': {
    query: 'query ($teamId: ID!) { auditActors(teamId: $teamId) { id name } }',
    variables: ({ teamId }) => ({ teamId }),
    allowed: ['staff', 'owner', 'admin'],
    scope: 'team',
  },
  'Query.auditEvents': {
    query:
      'query ($teamId: ID) { auditEvents(teamId: $teamId, first: 2) { edges { node { action actor { email } } } } }',
    variables: ({ teamId }) => ({ teamId }),
    allowed: ['staff', 'owner', 'admin'],
    scope: 'team',
  },
};

export default rows;

import { createAccount } from '../../support/panel.js';
import { type Rows, WHO } from './row.js';

const LOGGED_IN = WHO.filter((who) => who !== 'nobody');

const rows: Rows = {
  'Query.me': { query: '{ me { userId email } }', variables: () => ({}), allowed: WHO, scope: 'viewer' },
  'Mutation.login': {
    query: 'mutation ($email: String!, $password: String!) { login(email: $email, password: $password) }',
    prepare: async (services, { slug }, { who }) => {
      const email = `login-${who}@${slug}.test`;
      await createAccount(services, { email, password: 'correct horse battery' });
      return { email };
    },
    variables: (_ids, { email }) => ({ email, password: 'correct horse battery' }),
    allowed: WHO,
    scope: 'viewer',
  },
  'Mutation.logout': {
    query: 'mutation { logout }',
    variables: () => ({}),
    allowed: LOGGED_IN,
    scope: 'viewer',
  },
};

export default rows;

import { hashPassword } from '../../src/auth/passwords.js';
import { SESSION_TTL_S } from '../../src/auth/sessions.service.js';
import type { Services } from '../../src/services.js';

export type PanelError = Readonly<{
  message: string;
  path?: readonly (string | number)[];
  extensions: Readonly<{ code: string; errors?: Readonly<Record<string, readonly string[]>> }>;
}>;

// biome-ignore lint/suspicious/noExplicitAny: what a query answers is known to the test that wrote it.
export type PanelData = any;

/** One browser at the panel, with the cookie that the server gave it. */
export type PanelClient = Readonly<{
  /** Sends an operation, as it is. */
  send(query: string, variables?: object): Promise<{ data: PanelData; errors?: PanelError[] }>;
  /** Sends an operation that must succeed. */
  ask(query: string, variables?: object): Promise<PanelData>;
  /** Sends an operation that must fail. @returns the code of its first error. */
  refused(query: string, variables?: object): Promise<string>;
  /** Any other request with the cookie, for downloads. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  cookie(): string;
}>;

/**
 * A panel client; without a cookie nobody is logged in.
 *
 * @param changeFeed Of the gateway: its next read sees what an operation changed, before the notification arrives.
 */
export function panelClient(
  url: string,
  cookie = '',
  changeFeed?: Pick<Services['changeFeed'], 'expire'>,
): PanelClient {
  let current = cookie;
  const request = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${url}${path}`, { ...init, headers: { ...init.headers, cookie: current } });
    const given = response.headers.getSetCookie().at(-1);
    if (given !== undefined) current = given.split(';')[0]!;
    return response;
  };
  const client: PanelClient = {
    async send(query, variables = {}) {
      const response = await request('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables }),
      });
      changeFeed?.expire();
      return (await response.json()) as { data: PanelData; errors?: PanelError[] };
    },
    async ask(query, variables) {
      const { data, errors } = await client.send(query, variables);
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
    async refused(query, variables) {
      const { data, errors } = await client.send(query, variables);
      if (!errors?.[0]) throw new Error(`It was answered: ${JSON.stringify(data)}`);
      return errors[0].extensions.code;
    },
    fetch: request,
    cookie: () => current,
  };
  return client;
}

/** A client in whose name a session was opened, which spares the time that a password takes. */
export async function loggedIn(
  url: string,
  { db, sessions, changeFeed }: Pick<Services, 'db' | 'sessions' | 'changeFeed'>,
  email: string,
): Promise<PanelClient> {
  const { id } = await db.orm.user.findUniqueOrThrow({ where: { email } });
  const secret = await sessions.open(db.orm, id, { ip: '127.0.0.1', userAgent: 'test' });
  return panelClient(url, `formgate=${secret}; Max-Age=${SESSION_TTL_S}`.split(';')[0], changeFeed);
}

/** Creates an account that may log in. */
export async function createAccount(
  { db }: Pick<Services, 'db'>,
  account: { email: string; password?: string; staff?: boolean },
): Promise<number> {
  const { email, password, staff = false } = account;
  const passwordHash = password ? await hashPassword(password) : null;
  return (await db.orm.user.create({ data: { email, name: email, staff, passwordHash } })).id;
}

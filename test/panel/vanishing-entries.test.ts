import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { startTestApp, type TestApp } from '../support/app.js';
import { contactForm, provision, team, website, websiteId } from '../support/factories.js';
import { recordedLeads } from '../support/leads.js';
import { loggedIn, type PanelClient } from '../support/panel.js';

let app: TestApp;
let owner: PanelClient;
let webhookId: string;

const query = pg.Client.prototype.query;

/** What happens before the next statement that is like a pattern. */
let interruption: { pattern: RegExp; happen(): Promise<unknown> } | null = null;

beforeAll(async () => {
  app = await startTestApp();
  const forms = ['contact', 'a', 'b', 'c'].map((slug) => contactForm({ slug }));
  const websites = ['www', 'a', 'b', 'c'].map((name) => website(`${name}.acme.test`));
  await provision(app.services, [team('acme', { forms, websites })]);
  owner = await loggedIn(app.url, app.services, 'owner@acme.test');
  const { orm } = app.services.db;
  const { id: teamId } = await orm.team.findUniqueOrThrow({ where: { slug: 'acme' } });
  // Without links, so that websites and forms can be deleted.
  await orm.placement.deleteMany({ where: { website: { host: { not: 'www.acme.test' } } } });
  await recordedLeads(app.services, await websiteId(app.services, 'www.acme.test'), 4);
  const webhook = await orm.webhook.create({
    data: {
      id: randomUUID(),
      teamId,
      url: 'https://hooks.test/',
      events: [],
      secretCipher: new Uint8Array(),
    },
  });
  webhookId = webhook.id;
  await orm.webhookDelivery.createMany({
    data: Array.from({ length: 4 }, () => ({ webhookId, type: 'webhook.test', state: 'delivered' as const })),
  });
  pg.Client.prototype.query = async function interrupted(
    this: pg.Client,
    ...given: [string | { text: string }]
  ) {
    const [asked] = given;
    const text = typeof asked === 'string' ? asked : asked.text;
    if (interruption?.pattern.test(text)) {
      const { happen } = interruption;
      interruption = null;
      await happen();
    }
    return Reflect.apply(query, this, given as never);
  } as typeof query;
});

afterAll(async () => {
  pg.Client.prototype.query = query;
  await app.close();
});

type List = Readonly<{
  list: string;
  args?: string;
  /** Its second statement. */
  pattern: RegExp;
  remove(id: string): Promise<unknown>;
}>;

const orm = () => app.services.db.orm;
const LISTS: readonly List[] = [
  {
    list: 'submissions',
    args: 'filter: { text: "test" }',
    pattern: /unnest\(.*JOIN submissions/s,
    remove: (id) => orm().submission.delete({ where: { id } }),
  },
  {
    list: 'websites',
    pattern: /FROM "public"."websites"/,
    remove: (id) => orm().website.delete({ where: { id } }),
  },
  {
    list: 'forms',
    pattern: /FROM "public"."forms"/,
    remove: (id) => orm().form.delete({ where: { id: Number(id) } }),
  },
  {
    list: 'webhookDeliveries',
    args: 'webhookId: $webhookId',
    pattern: /FROM "public"."webhook_deliveries"/,
    remove: (id) => orm().webhookDelivery.delete({ where: { id } }),
  },
];

test.each(LISTS)('$list go on where an entry is deleted while a page is read', async (of) => {
  const { list, args, pattern, remove } = of;
  const [parameters, variables] =
    list === 'webhookDeliveries' ? ['($webhookId: ID!)', { webhookId }] : ['', {}];
  const page = async (more: string) => {
    const answer = await owner.ask(
      `query ${parameters} { ${list}(${[args, more].filter(Boolean).join(', ')}) {
        edges { node { id } } pageInfo { hasNextPage endCursor }
      } }`,
      variables,
    );
    const { edges, pageInfo } = answer[list];
    return { ids: edges.map(({ node }: { node: { id: string } }) => node.id) as string[], pageInfo };
  };
  const [first = '', second = '', ...rest] = (await page('first: 4')).ids;
  interruption = { pattern, happen: () => remove(second) };
  const { ids, pageInfo } = await page('first: 2');
  expect(interruption).toBeNull();
  expect(ids).toEqual([first]);
  expect(pageInfo.hasNextPage).toBe(true);
  expect((await page(`first: 2, after: "${pageInfo.endCursor}"`)).ids).toEqual(rest);
});

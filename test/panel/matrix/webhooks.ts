import { randomUUID } from 'node:crypto';
import type { Services } from '../../../src/services.js';
import { generateSecret } from '../../../src/webhooks/signing.js';
import type { MatrixIds, Row, Rows, Who } from './row.js';

const MANAGERS = ['staff', 'owner', 'admin'] as const satisfies readonly Who[];

/** An endpoint of the team with a delivery that has ended, whatever endpoints it has besides. */
async function endpoint({ db, cipher }: Services, { teamId }: MatrixIds) {
  const id = randomUUID();
  const { secretCipher } = generateSecret(cipher, id);
  await db.orm.webhook.create({
    data: { id, teamId, secretCipher, url: 'https://hooks.example.com/', events: ['form.changed'] },
  });
  const delivery = await db.orm.webhookDelivery.create({
    data: { webhookId: id, type: 'form.changed', state: 'failed' },
  });
  return { id, deliveryId: delivery.id };
}

/** An operation on an endpoint, for those who manage its team. */
const onEndpoint = (query: string): Row => ({
  query,
  allowed: MANAGERS,
  scope: 'team',
  prepare: endpoint,
  variables: (_ids, made) => made,
});

const INPUT = '{ url: "https://hooks.example.com/", events: [form_changed] }';

const rows: Rows = {
  'Query.webhooks': {
    query: 'query ($id: ID!) { webhooks(teamId: $id) { id url events state } }',
    variables: ({ teamId }) => ({ id: teamId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Query.webhookDeliveries': onEndpoint(
    'query ($id: ID!) { webhookDeliveries(webhookId: $id) { edges { node { id body attempts { status } } } } }',
  ),
  'Mutation.createWebhook': {
    query: `mutation ($id: ID!) { createWebhook(teamId: $id, input: ${INPUT}) { webhook { id } secret } }`,
    // A team has ten at most. What the refused cases need is made before, and they have had it.
    prepare: async ({ db }, { teamId, slug }, { who }) => {
      const isAnswered = slug === 'own' && (MANAGERS as readonly Who[]).includes(who);
      if (isAnswered) await db.orm.webhook.deleteMany({ where: { teamId } });
      return {};
    },
    variables: ({ teamId }) => ({ id: teamId }),
    allowed: MANAGERS,
    scope: 'team',
  },
  'Mutation.updateWebhook': onEndpoint(
    `mutation ($id: ID!) { updateWebhook(id: $id, input: ${INPUT}) { id } }`,
  ),
  'Mutation.deleteWebhook': onEndpoint('mutation ($id: ID!) { deleteWebhook(id: $id) }'),
  'Mutation.rotateWebhookSecret': onEndpoint(
    'mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }',
  ),
  'Mutation.sendTestWebhook': onEndpoint('mutation ($id: ID!) { sendTestWebhook(id: $id) { id state } }'),
  'Mutation.redeliver': onEndpoint(
    'mutation ($id: ID!, $deliveryId: ID!) { redeliver(webhookId: $id, deliveryIds: [$deliveryId]) }',
  ),
};

export default rows;

import { expect, test } from '@jest/globals';
import { webhookSettings } from '../../../src/webhooks/webhook.schema.js';

const settings = { url: 'https://crm.acme.test/leads', events: ['submission.created'] };

test('an endpoint can be narrowed to any website and form, however its id is written', () => {
  // PostgreSQL takes it, and a website that is provisioned may have it, though it is of no version of RFC 9562.
  const id = '1111ABCD-1111-1111-1111-111111111111';
  const read = webhookSettings(null).parse({
    ...settings,
    websiteIds: [id, id.toLowerCase()],
    formIds: ['7'],
  });
  expect(read).toMatchObject({ websiteIds: [id.toLowerCase()], formIds: [7] });
});

test.each([
  ['websiteIds', 'acme'],
  ['formIds', '0'],
  ['formIds', String(2 ** 31)],
])('%s takes no %s', (name, id) => {
  expect(webhookSettings(null).safeParse({ ...settings, [name]: [id] }).success).toBe(false);
});

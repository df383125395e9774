import { describe, expect, test } from '@jest/globals';
import { validateWebhook } from 'replicate';
import { Webhook } from 'standardwebhooks';
import { signedHeaders } from '../../../src/webhooks/signing.js';

/** Messages that others publish with their signatures, so that implementations can be compared. */
const PUBLISHED = [
  {
    by: 'the libraries of the specification (2021)',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  {
    by: "Svix's manual (2024)",
    secret: 'whsec_plJ3nmyCDGBKInavdOK15jsl',
    id: 'msg_loFOjxBNrRLzqYUf',
    timestamp: 1_731_705_121,
    body: '{"event_type":"ping","data":{"success":true}}',
    signature: 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
  },
  {
    by: 'client libraries of an API in seven languages (2025)',
    secret: 'whsec_RdvaYFYUXuIFuEbvZHwMfYFhUf7aMYjYcmM24+Aj40c=',
    id: 'wh_685c059ae39c8190af8c71ed1022a24d',
    timestamp: 1_750_861_210,
    body:
      '{"id": "evt_685c059ae3a481909bdc86819b066fb6", "object": "event", "created_at": 1750861210, ' +
      '"type": "response.completed", "data": {"id": "resp_123"}}',
    signature: 'v1,gUAg4R2hWouRZqRQG4uJypNS8YK885G838+EHb4nKBY=',
  },
] as const;

/** A secret under which none of the messages is signed. */
const OTHER = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

describe.each(PUBLISHED)('the message that $by publish', ({ secret, id, timestamp, body, signature }) => {
  const at = new Date(timestamp * 1_000);

  test('gets the headers with the published signature', () => {
    expect(signedHeaders(id, body, [secret], at)).toEqual({
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signature,
    });
  });

  test('is taken by an implementation that shares no code with the one that signs', async () => {
    const isTaken = (headers: Record<string, string>, bytes: string, under: string = secret) =>
      validateWebhook({
        id: headers['webhook-id']!,
        timestamp: headers['webhook-timestamp']!,
        signature: headers['webhook-signature']!,
        body: bytes,
        secret: under,
      });
    const headers = signedHeaders(id, body, [secret], at);
    expect(await isTaken(headers, body)).toBe(true);
    expect(await isTaken(headers, `${body} `)).toBe(false);
    expect(await isTaken(headers, body, OTHER)).toBe(false);
    expect(await isTaken({ ...headers, 'webhook-id': `${id}0` }, body)).toBe(false);
    expect(await isTaken({ ...headers, 'webhook-timestamp': String(timestamp + 1) }, body)).toBe(false);
    // As for a day after a rotation.
    const both = signedHeaders(id, body, [OTHER, secret], at);
    expect([await isTaken(both, body), await isTaken(both, body, OTHER)]).toEqual([true, true]);
  });
});

test('a message of now is taken by the library of the specification, and an old one is not', () => {
  const [{ secret, id, body }] = PUBLISHED;
  const verify = (at: Date) => new Webhook(secret).verify(body, signedHeaders(id, body, [secret], at));
  expect(verify(new Date())).toEqual({ test: 2_432_232_314 });
  expect(() => verify(new Date(Date.now() - 6 * 60_000))).toThrow();
});

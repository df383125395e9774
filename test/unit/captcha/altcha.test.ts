import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createChallenge, solveChallenge, verifySolution } from 'altcha-lib/v1';
import fc from 'fast-check';
import { issueChallenge, verifyProof } from '../../../src/captcha/providers/altcha.js';
import { payloadOf, solve, solveNumber } from '../../support/solve.js';

const KEY = 'a key that both sides share';
const WEBSITE = '018f2b5e-7c1a-7000-8000-000000000001';
const OTHER_WEBSITE = '018f2b5e-7c1a-7000-8000-000000000002';
const MAX = 500;
const NOW = new Date();
const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

const terms = { key: KEY, websiteId: WEBSITE, maxNumber: MAX, now: NOW };
const draw = (overrides: Partial<typeof terms> = {}) => issueChallenge({ ...terms, ...overrides });
const verify = (token: string, overrides: Partial<typeof terms> = {}) =>
  verifyProof(token, { ...terms, ...overrides });

describe('a challenge', () => {
  test('has the documented shape and carries website and expiry', async () => {
    const challenge = await draw();
    expect(challenge).toEqual({
      algorithm: 'SHA-256',
      challenge: expect.stringMatching(/^[0-9a-f]{64}$/),
      salt: expect.stringMatching(new RegExp(`^[0-9a-f]{24}\\?website=${WEBSITE}&expires=\\d{10}&$`)),
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
      maxnumber: MAX,
    });
    expect(solveNumber(challenge)).toBeLessThanOrEqual(MAX);
  });

  test('is accepted with its solution, and identified by its digest', async () => {
    const challenge = await draw();
    const proof = await verify(solve(challenge));
    expect(proof?.challenge.toString('hex')).toBe(challenge.challenge);
    expect(proof?.expiresAt).toEqual(new Date(Math.floor(NOW.getTime() / 1000) * 1000 + 600_000));
  });

  test('is accepted with its solution when challenges have become easier since', async () => {
    let challenge = await draw();
    while (solveNumber(challenge) <= 100) challenge = await draw();
    expect(await verify(solve(challenge), { maxNumber: 100 })).not.toBeNull();
  });

  test('expires after 600 seconds', async () => {
    const token = solve(await draw());
    expect(await verify(token, { now: later(598) })).not.toBeNull();
    expect(await verify(token, { now: later(600) })).toBeNull();
  });

  test('is refused on another website and under another key', async () => {
    const token = solve(await draw());
    expect(await verify(token, { websiteId: OTHER_WEBSITE })).toBeNull();
    expect(await verify(token, { key: 'another' })).toBeNull();
    expect(await verify(solve(await draw({ websiteId: OTHER_WEBSITE })))).toBeNull();
  });
});

describe('in comparison with the library alone', () => {
  test('a challenge is solved by its solver and accepted by its check', async () => {
    const challenge = await draw();
    const solution = await solveChallenge(challenge.challenge, challenge.salt, 'SHA-256', MAX).promise;
    expect(solution?.number).toBe(solveNumber(challenge));
    expect(await verifySolution(solve(challenge), KEY)).toBe(true);
  });

  test('no altered solution is accepted that the library refuses', async () => {
    const challenge = await draw();
    const key = fc.constantFrom('algorithm', 'challenge', 'number', 'salt', 'signature');
    const value = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.constant('0'.repeat(64)));
    await fc.assert(
      fc.asyncProperty(key, value, async (name, other) => {
        const token = solve(challenge, { [name]: other });
        const theirs = await verifySolution(token, KEY).catch(() => false);
        if (!theirs) expect(await verify(token)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });

  test('an expired challenge whose expiry moved into the number passes the library and is refused', async () => {
    const past = new Date(NOW.getTime() - 700_000);
    const challenge = await draw({ now: past });
    const [, start, expires] = /^(.*&)(expires=\d+&)$/.exec(challenge.salt)!;
    const token = solve(challenge, { salt: start, number: `${expires}${solveNumber(challenge)}` });
    expect(await verifySolution(token, KEY)).toBe(true);
    expect(await verify(token)).toBeNull();
  });

  test.each<[string, Parameters<typeof createChallenge>[0]]>([
    ['has no expiry', { hmacKey: KEY, maxnumber: MAX, params: { website: WEBSITE } }],
    ['has no website', { hmacKey: KEY, maxnumber: MAX, expires: later(600) }],
    [
      'has a longer salt',
      { hmacKey: KEY, maxnumber: MAX, expires: later(600), params: { website: WEBSITE }, saltLength: 13 },
    ],
  ])('a challenge under our key that %s passes the library and is refused', async (_case, options) => {
    const challenge = { ...(await createChallenge(options)), maxnumber: MAX };
    expect(await verifySolution(solve(challenge), KEY)).toBe(true);
    expect(await verify(solve(challenge))).toBeNull();
  });
});

const challenge = await draw();

describe('verification refuses', () => {
  const number = solveNumber(challenge);
  const { salt } = challenge;
  const nonce = salt.slice(0, 24);
  const expires = /expires=(\d+)/.exec(salt)![1]!;
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');

  test.each<[string, Record<string, unknown>]>([
    ['a number as a string', { number: String(number) }],
    ['a number with a fraction', { number: number + 0.5 }],
    ['a negative number', { number: -1 }],
    ['a number over the maximum', { number: MAX + 1 }],
    ['an unsafe number', { number: 2 ** 60 }],
    ['a number in a list', { number: [number] }],
    ['no number', { number: undefined }],
    ['another algorithm', { algorithm: 'SHA-512' }],
    ['an algorithm in lower case', { algorithm: 'sha-256' }],
    ['no algorithm', { algorithm: undefined }],
    ['no salt', { salt: undefined }],
    ['a salt in a list', { salt: [salt] }],
    ['no website', { salt: `${nonce}?expires=${expires}&` }],
    ['no expiry', { salt: `${nonce}?website=${WEBSITE}&` }],
    ['the website twice', { salt: `${nonce}?website=${WEBSITE}&website=${WEBSITE}&expires=${expires}&` }],
    ['the expiry twice', { salt: `${salt}expires=9999999999&` }],
    ['a later expiry', { salt: salt.replace(expires, '9999999999') }],
    ['another website in the salt', { salt: salt.replace(WEBSITE, OTHER_WEBSITE) }],
    ['a newline after the salt', { salt: `${salt}\n` }],
    ['no final delimiter', { salt: salt.slice(0, -1) }],
    ['a challenge of its own', { challenge: digest(`${salt}${number + 1}`), number: number + 1 }],
    ['the challenge in upper case', { challenge: challenge.challenge.toUpperCase() }],
    ['a challenge that is no string', { challenge: 1 }],
    ['another signature', { signature: 'f'.repeat(64) }],
    ['an empty signature', { signature: '' }],
    ['no signature', { signature: undefined }],
  ])('%s', async (_case, overrides) => {
    expect(await verify(solve(challenge, overrides))).toBeNull();
  });

  const good = solve(challenge);
  test.each([
    ['no Base64', '%%%'],
    ['a space in front', ` ${good}`],
    ['a newline behind', `${good}\n`],
    ['padding added', `${good}=`],
    ['null', payloadOf(null)],
    ['a list', payloadOf([challenge])],
    ['a text', payloadOf('x')],
    ['a number', payloadOf(1)],
    ['no JSON', Buffer.from('{').toString('base64')],
    ['Base64 twice', Buffer.from(good).toString('base64')],
  ])('a payload that is %s', async (_case, token) => {
    expect(await verify(token)).toBeNull();
  });

  test('another encoding of the same bytes', async () => {
    const unpadded = solve(challenge, { pad: '' });
    const token = [unpadded, solve(challenge, { pad: 'x' }), solve(challenge, { pad: 'xx' })].find((text) =>
      text.endsWith('='),
    )!;
    expect(await verify(token)).not.toBeNull();
    expect(await verify(token.replace(/=+$/, ''))).toBeNull();
  });
});

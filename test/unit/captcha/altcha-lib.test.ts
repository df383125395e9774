import { expect, jest, test } from '@jest/globals';
import { solve } from '../../support/solve.js';

const library = await import('altcha-lib/v1');
const createChallenge = jest.fn(library.createChallenge);
const verifySolution = jest.fn(library.verifySolution);
jest.unstable_mockModule('altcha-lib/v1', () => ({ ...library, createChallenge, verifySolution }));
const { issueChallenge, verifyProof } = await import('../../../src/captcha/providers/altcha.js');

test('altcha-lib issues each challenge and verifies each solution', async () => {
  const websiteId = '018f2b5e-7c1a-7000-8000-000000000001';
  const terms = { key: 'a key', websiteId, maxNumber: 500, now: new Date() };
  const challenge = await issueChallenge(terms);
  expect(createChallenge).toHaveBeenCalledTimes(1);
  expect(await createChallenge.mock.results[0]?.value).toEqual(challenge);

  expect(await verifyProof(solve(challenge), terms)).not.toBeNull();
  verifySolution.mockResolvedValueOnce(false);
  expect(await verifyProof(solve(challenge), terms)).toBeNull();
  expect(verifySolution).toHaveBeenCalledTimes(2);
});

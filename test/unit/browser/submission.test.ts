import { describe, expect, test } from '@jest/globals';
import type { Answer, CaptchaStep } from '../../../web/script/gateway.js';
import {
  type Attempt,
  failure,
  firstAttempt,
  nextAttempt,
  stepAfter,
} from '../../../web/script/submission.js';

const step = (key: string): CaptchaStep => ({ key, type: key.split(':')[0]!, site_key: null });
const chain = ['turnstile:a', 'hcaptcha:b', 'altcha:c', 'recaptcha_v3:d', 'altcha:e'].map(step);

const answer = (status: number, body: Answer['body'] = {}): Answer => ({ status, body, waitS: null });
const fallback = (next: unknown, token: unknown = 'token') =>
  answer(403, { error: 'captcha_fallback', next, fallback_token: token });

const start = firstAttempt(chain);

describe('the attempt after an answer', () => {
  test('is first that of the first step, or of none', () => {
    expect(start).toEqual({
      step: 'turnstile:a',
      fallbackToken: null,
      hasNewSignature: false,
      replayed: [],
    });
    expect(firstAttempt([]).step).toBeNull();
  });

  test('a signature is renewed once, also after other answers', () => {
    const renewed = nextAttempt(start, answer(403, { error: 'invalid_signature' }));
    expect(renewed).toEqual({ ...start, hasNewSignature: true });
    const replayed = nextAttempt(renewed!, fallback('hcaptcha:b'));
    expect(nextAttempt(replayed!, answer(403, { error: 'invalid_signature' }))).toBeNull();
  });

  test('a fallback is followed once for each step, with its token', () => {
    const second = nextAttempt(start, fallback('hcaptcha:b', 'one'))!;
    expect(second).toEqual({ ...start, step: 'hcaptcha:b', fallbackToken: 'one', replayed: ['hcaptcha:b'] });
    const third = nextAttempt(second, fallback('altcha:c', 'two'))!;
    expect(third).toMatchObject({ step: 'altcha:c', fallbackToken: 'two' });
    expect(nextAttempt(third, fallback('hcaptcha:b'))).toBeNull();
  });

  test('a renewed signature keeps the step and its token', () => {
    const second = nextAttempt(start, fallback('hcaptcha:b', 'one'))!;
    expect(nextAttempt(second, answer(403, { error: 'invalid_signature' }))).toEqual({
      ...second,
      hasNewSignature: true,
    });
  });

  test.each<[string, Answer]>([
    ['nothing', answer(0)],
    ['413', answer(413, { error: 'payload_too_large' })],
    ['422', answer(422, { message: 'x', errors: {} })],
    ['429', answer(429, { message: 'x' })],
    ['500', answer(500)],
    ['503 with a code', answer(503, { error: 'invalid_signature' })],
    ['captcha_failed', answer(403, { error: 'captcha_failed' })],
    ['captcha_required', answer(403, { error: 'captcha_required' })],
    ['captcha_provider_not_allowed', answer(403, { error: 'captcha_provider_not_allowed' })],
    ['origin_not_allowed', answer(403, { error: 'origin_not_allowed' })],
    ['a disabled website', answer(403, { message: 'This website is disabled.' })],
    ['a fallback without a step', fallback(undefined)],
    ['a fallback without a token', fallback('hcaptcha:b', null)],
  ])('%s is final', (_case, final) => {
    expect(nextAttempt(start as Attempt, final)).toBeNull();
  });
});

test.each([
  [0, 'unreachable'],
  [408, 'unreachable'],
  [400, 'refused'],
  [413, 'too_large'],
  [429, 'too_many'],
  [503, 'unavailable'],
] as const)('a failure with status %d is %s', (status, reason) => {
  expect(failure(answer(status, { message: 'x' })).reason).toBe(reason);
});

describe('the step after one that this page cannot solve', () => {
  test.each([
    ['turnstile:a', 'unloadable', 'altcha:c'],
    ['altcha:c', 'unloadable', 'altcha:e'],
    ['altcha:e', 'unloadable', null],
    ['altcha:c', 'insecure', 'recaptcha_v3:d'],
    ['altcha:e', 'insecure', null],
  ] as const)('is, where %s is %s, %s', (key, why, next) => {
    expect(stepAfter(chain, key, why)).toBe(next);
  });
});

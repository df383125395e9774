import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideOn, effectiveChain, type Ground, type Step, selectStep } from '../../../src/captcha/chain.js';
import { accepted, refused, unavailable, type Verdict } from '../../../src/captcha/providers/provider.js';
import { parseStepKey } from '../../../src/captcha/step.js';

const steps = (...keys: string[]): Step[] => keys.map((key) => ({ key, type: parseStepKey(key)!.type }));

const CHAIN = steps('turnstile:main', 'hcaptcha:eu', 'altcha:own', 'recaptcha_v3:g');

type Case = {
  chain?: Step[];
  token?: string;
  designated?: string;
  fallback?: string | null;
};

const select = ({ chain = CHAIN, token = 't', designated, fallback = null }: Case) => {
  const selection = selectStep(chain, { token, designated, fallback });
  return selection.outcome === 'selected'
    ? `${selection.step.key} on ${selection.ground}`
    : selection.outcome;
};

describe('the chain that applies to a submission', () => {
  test.each([
    ['an empty one is the proof of work', [], false, 'altcha', ['altcha']],
    ['an empty one with an integration token asks for nothing', [], true, 'altcha', []],
    ['an empty one with the default off asks for nothing', [], false, 'off', []],
    ['a chain counts for a visitor', ['turnstile:main'], false, 'altcha', ['turnstile:main']],
    ['a chain counts with an integration token', ['turnstile:main'], true, 'altcha', ['turnstile:main']],
    ['a chain counts with the default off', ['turnstile:main'], false, 'off', ['turnstile:main']],
  ] as const)('%s', (_case, stored, hasBearer, captchaDefault, expected) => {
    const chain = effectiveChain(steps(...stored), { hasBearer, captchaDefault });
    expect(chain.map(({ key }) => key)).toEqual(expected);
  });
});

describe('selecting a step', () => {
  test.each<[string, Case, string]>([
    ['a chain without steps asks for nothing', { chain: [], token: '' }, 'not_asked'],
    [
      'a chain without steps asks for nothing, whatever is sent',
      { chain: [], designated: 'altcha' },
      'not_asked',
    ],
    ['a missing token is required', { token: '' }, 'required'],
    [
      'a missing token counts before a step that is not allowed',
      { token: '', designated: 'x:y' },
      'required',
    ],
    ['a token of 4,096 characters is accepted', { token: 'x'.repeat(4096) }, 'turnstile:main on first'],
    ['a token of 4,097 characters has failed', { token: 'x'.repeat(4097) }, 'failed'],
    [
      'a token of 4,097 characters counts before a step that is not allowed',
      { token: 'x'.repeat(4097), designated: 'x:y' },
      'failed',
    ],
    ['no key means the first step', {}, 'turnstile:main on first'],
    ['an empty key means the first step', { designated: '' }, 'turnstile:main on first'],
    ['the first step is accepted by its key', { designated: 'turnstile:main' }, 'turnstile:main on first'],
    [
      'the default step is accepted by its key',
      { chain: steps('altcha'), designated: 'altcha' },
      'altcha on first',
    ],
    ['the next step is not allowed without a fallback token', { designated: 'hcaptcha:eu' }, 'not_allowed'],
    [
      'the next step is designated by its fallback token',
      { designated: 'hcaptcha:eu', fallback: 'hcaptcha:eu' },
      'hcaptcha:eu on designated',
    ],
    [
      'another step than the fallback token names is not allowed',
      { designated: 'recaptcha_v3:g', fallback: 'hcaptcha:eu' },
      'not_allowed',
    ],
    ['a fallback token does not replace the key', { fallback: 'hcaptcha:eu' }, 'turnstile:main on first'],
    ['a proof of work is accepted out of order', { designated: 'altcha:own' }, 'altcha:own on altcha'],
    [
      'a proof of work may be designated',
      { designated: 'altcha:own', fallback: 'altcha:own' },
      'altcha:own on designated',
    ],
    [
      'the first step stays the first with a fallback token for it',
      { fallback: 'turnstile:main' },
      'turnstile:main on first',
    ],
    ['a step that is not of the chain is not allowed', { designated: 'hcaptcha:us' }, 'not_allowed'],
    ['a proof of work that is not of the chain is not allowed', { designated: 'altcha' }, 'not_allowed'],
    [
      'a step that has left the chain since it was designated is not allowed',
      { designated: 'hcaptcha:us', fallback: 'hcaptcha:us' },
      'not_allowed',
    ],
    ['a type without identifier is not allowed', { designated: 'turnstile' }, 'not_allowed'],
    ['a key in another case is not allowed', { designated: 'Turnstile:main' }, 'not_allowed'],
  ])('%s', (_case, input, expected) => {
    expect(select(input)).toBe(expected);
  });
});

describe('the consequence of a verdict', () => {
  test.each<[string, string[], string, Ground, Verdict, object]>([
    [
      'an accepted token admits the submission',
      ['turnstile:a', 'altcha:b'],
      'turnstile:a',
      'first',
      accepted,
      { outcome: 'accepted' },
    ],
    [
      'a refused token never opens a fallback',
      ['turnstile:a', 'altcha:b'],
      'turnstile:a',
      'first',
      refused('rejected'),
      { outcome: 'failed' },
    ],
    [
      'a refused token on the last step does not go through',
      ['turnstile:a'],
      'turnstile:a',
      'first',
      refused('secret_refused'),
      { outcome: 'failed' },
    ],
    [
      'a first step that is down falls back to the next',
      ['turnstile:a', 'hcaptcha:b', 'altcha:c'],
      'turnstile:a',
      'first',
      unavailable('timeout'),
      { outcome: 'fallback', next: 'hcaptcha:b' },
    ],
    [
      'a designated step that is down falls back to the next',
      ['turnstile:a', 'hcaptcha:b', 'altcha:c'],
      'hcaptcha:b',
      'designated',
      unavailable('server_error'),
      { outcome: 'fallback', next: 'altcha:c' },
    ],
    [
      'the only step lets the submission through when it is down',
      ['turnstile:a'],
      'turnstile:a',
      'first',
      unavailable('timeout'),
      { outcome: 'pass_through' },
    ],
    [
      'a designated last step lets the submission through when it is down',
      ['turnstile:a', 'hcaptcha:b'],
      'hcaptcha:b',
      'designated',
      unavailable('network_error'),
      { outcome: 'pass_through' },
    ],
    [
      'a proof of work out of order opens no fallback',
      ['turnstile:a', 'altcha:b', 'hcaptcha:c'],
      'altcha:b',
      'altcha',
      unavailable('timeout'),
      { outcome: 'failed' },
    ],
    [
      'a proof of work out of order does not go through',
      ['turnstile:a', 'altcha:b'],
      'altcha:b',
      'altcha',
      unavailable('timeout'),
      { outcome: 'failed' },
    ],
  ])('%s', (_case, keys, key, ground, verdict, expected) => {
    const chain = steps(...keys);
    const step = chain.find((candidate) => candidate.key === key)!;
    expect(decideOn(chain, step, ground, verdict)).toEqual(expected);
  });
});

describe('any chain and request', () => {
  const type = fc.constantFrom('turnstile', 'hcaptcha', 'recaptcha_v3', 'recaptcha_enterprise', 'altcha');
  const key = fc.tuple(type, fc.constantFrom('a', 'b')).map(([name, id]) => `${name}:${id}`);
  const chain = fc.uniqueArray(key, { maxLength: 6 }).map((keys) => steps(...keys));
  const verdict = fc.constantFrom(
    accepted,
    refused('rejected'),
    refused('secret_missing'),
    unavailable('timeout'),
  );
  const presented = fc.record({
    token: fc.option(fc.string({ maxLength: 20 }), { nil: undefined }),
    designated: fc.option(fc.oneof(key, fc.string()), { nil: undefined }),
    fallback: fc.option(key),
  });

  test('selects a step only when it is first, designated by the fallback token, or a proof of work', () => {
    fc.assert(
      fc.property(chain, presented, (someChain, what) => {
        const selection = selectStep(someChain, what);
        if (selection.outcome !== 'selected') return;
        const { step } = selection;
        expect(someChain).toContain(step);
        expect(step.key).toBe(what.designated || someChain[0]!.key);
        expect(step === someChain[0] || step.key === what.fallback || step.type === 'altcha').toBe(true);
      }),
    );
  });

  test('falls back or passes through only after a failure of a first or designated step', () => {
    fc.assert(
      fc.property(chain, presented, verdict, (someChain, what, given) => {
        const selection = selectStep(someChain, what);
        if (selection.outcome !== 'selected') return;
        const { step, ground } = selection;
        const decision = decideOn(someChain, step, ground, given);
        const next = someChain[someChain.indexOf(step) + 1];
        const benefits = given.outcome === 'unavailable' && ground !== 'altcha';
        expect(decision.outcome === 'pass_through').toBe(benefits && !next);
        expect(decision).toEqual(benefits && next ? { outcome: 'fallback', next: next.key } : decision);
        expect(decision.outcome === 'accepted').toBe(given.outcome === 'accepted');
      }),
    );
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { IntlMessageFormat } from 'intl-messageformat';
import { chainSchema } from '../../../src/captcha/editing/step.schema.js';
import {
  addStep,
  draftOf,
  type FieldFault,
  faultsOf,
  fieldAt,
  inputOf,
  isChainChanged,
  isStepChanged,
  keyOf,
  readScore,
  type StepDraft,
  type StoredStep,
  settingsOf,
  TYPES,
} from '../../../web/panel/pages/website/captcha/chain/draft.js';
import {
  type NamedStep,
  visitorStory,
} from '../../../web/panel/pages/website/captcha/chain/visitor-words.js';
import {
  type Incident,
  incidentRuns,
  incidentWords,
  MAX_PAUSE_MS,
  type Sentence,
} from '../../../web/panel/parts/incidents/incident-runs.js';
import { moved } from '../../../web/panel/parts/moved.js';

const speak = (language: 'en' | 'fr') => {
  const texts = JSON.parse(readFileSync(`web/panel/texts/${language}.json`, 'utf8'));
  return ({ id, values }: Sentence) =>
    String(new IntlMessageFormat(texts[id], language).format({ ...values }));
};
const english = speak('en');
const french = speak('fr');

const turnstile: NamedStep = { type: 'turnstile', name: 'Turnstile', minScore: null };
const v3: NamedStep = { type: 'recaptcha_v3', name: 'reCAPTCHA v3', minScore: 0.7 };
const enterprise: NamedStep = { type: 'recaptcha_enterprise', name: 'reCAPTCHA Enterprise', minScore: null };
const hcaptcha: NamedStep = { type: 'hcaptcha', name: 'hCaptcha', minScore: null };
const proof: NamedStep = { type: 'altcha', name: 'Proof of work', minScore: null };

const tell = (chain: NamedStep[], say = english, proofByDefault = true) => {
  const story = visitorStory(chain, { proofByDefault, proofName: proof.name });
  return {
    introduction: story.introduction && say(story.introduction),
    steps: story.steps.map((sentences) => sentences.map(say).join(' ')),
    rules: story.rules.map(say).join(' '),
  };
};

describe('what a visitor sees', () => {
  test('is told step by step', () => {
    expect(tell([v3, turnstile, proof])).toEqual({
      introduction: null,
      steps: [
        'reCAPTCHA v3 comes first. It shows nothing but its badge at the edge of the page, and rates the visitor from 0 to 1: less than 0.7 is refused.',
        'When reCAPTCHA v3 is not available, Turnstile takes over. It works unseen, and shows a box only where the visitor has to confirm.',
        'When Turnstile is not available, the proof of work takes over. The visitor’s browser computes for about half a second while the form is filled in. Nothing shows, and no other company is asked.',
      ],
      rules: expect.stringContaining('The next step is not asked: a robot would choose the easiest one.'),
    });
  });

  test.each<[string, NamedStep[], RegExp[], RegExp[]]>([
    [
      'a proof of work alone',
      [proof],
      [/always available/, /needs a page over HTTPS/],
      [/either/, /Not available means/, /blocker/],
    ],
    [
      'a provider alone',
      [turnstile],
      [
        /When Turnstile is not available, the lead is accepted without a check/,
        /reads that the form is not available/,
      ],
      [/HTTPS/, /next step is not asked/],
    ],
    [
      'two providers',
      [turnstile, hcaptcha],
      [/When hCaptcha is not available either, the lead is accepted/, /cannot load Turnstile/],
      [/HTTPS/, /no lead comes in unchecked/],
    ],
    [
      'a provider before a proof of work',
      [hcaptcha, proof],
      [/cannot load hCaptcha.*proof of work takes over at once/, /no lead comes in unchecked/],
      [/accepted without a check/],
    ],
    [
      'a step after a proof of work',
      [proof, turnstile],
      [/Turnstile is never asked/, /no lead comes in unchecked/],
      [/accepted without a check/, /Not available means/],
    ],
  ])('tells the rules of %s', (_what, chain, told, untold) => {
    const { rules } = tell(chain);
    for (const words of told) expect(rules).toMatch(words);
    for (const words of untold) expect(rules).not.toMatch(words);
  });

  test('with an empty chain follows the installation', () => {
    expect(tell([])).toEqual({
      ...tell([proof]),
      introduction: expect.stringContaining('default of this installation'),
    });
    expect(tell([], english, false)).toEqual({
      introduction:
        'The chain is empty, and this installation asks for no captcha then: every lead is accepted.',
      steps: [],
      rules: '',
    });
  });

  test('names the usual threshold, and fractions as the language writes them', () => {
    expect(tell([enterprise]).steps[0]).toContain('less than 0.5 is refused');
    expect(tell([v3], french).steps[0]).toContain('moins de 0,7 est refusé');
  });

  test('is the same in French, sentence for sentence', () => {
    for (const chain of [[], [proof], [v3, hcaptcha], [hcaptcha, proof, turnstile]]) {
      const [one, other] = [tell(chain), tell(chain, french)];
      expect(other.steps.length).toBe(one.steps.length);
      expect(other.rules).not.toBe('');
      expect(other.rules).not.toBe(one.rules);
    }
  });
});

describe('an incident in words', () => {
  const words = (reason: string, count: number) => {
    const { cause, advice } = incidentWords({ reason, count }, 'Turnstile');
    return [english(cause), english(advice)];
  };

  test.each([
    ['timeout', 1, 'Turnstile did not answer within three seconds.', /status page/],
    ['timeout', 1234, 'Turnstile did not answer within three seconds, 1,234 times.', /status page/],
    ['network_error', 2, 'The gateway could not reach Turnstile, 2 times.', /firewall/],
    ['server_error', 1, 'Turnstile answered with an error of its own.', /another step to the front/],
    [
      'secret_missing',
      3,
      '3 visitors were refused: Turnstile has no secret that the gateway can read.',
      /Enter the secret of Turnstile/,
    ],
    [
      'secret_refused',
      1,
      'One visitor was refused: the provider does not accept the secret or API key of Turnstile.',
      /check the credentials/,
    ],
    [
      'pass_through',
      2,
      '2 leads were accepted without a check: Turnstile, the last step, was not available.',
      /marked for review/,
    ],
    ['strange', 2, 'Turnstile: strange, 2 times.', /Tell the agency/],
  ])('%s, %d times', (reason, count, cause, advice) => {
    expect(words(reason, count)).toEqual([cause, expect.stringMatching(advice)]);
  });
});

describe('incidents of the same kind', () => {
  const START = Date.UTC(2026, 10, 1);
  const incident = (minute: number, over: Partial<Incident> = {}): Incident => {
    const at = new Date(START + minute * 60_000).toISOString();
    return {
      id: `${minute}`,
      linkKey: 'turnstile:main',
      reason: 'timeout',
      count: 1,
      firstSeenAt: at,
      lastSeenAt: at,
      ...over,
    };
  };

  test('are one for as long as they go on', () => {
    const other = incident(59, { reason: 'pass_through', id: 'other' });
    expect(
      incidentRuns([incident(60), other, incident(50, { count: 5 }), incident(35), incident(19)]),
    ).toEqual([{ ...incident(60), count: 7, firstSeenAt: incident(35).firstSeenAt }, other, incident(19)]);
  });

  test('keep their counts, and runs of a kind are further apart than the pause', () => {
    const list = fc.array(
      fc.record({
        minute: fc.nat(500),
        count: fc.integer({ min: 1, max: 9 }),
        reason: fc.constantFrom('timeout', 'pass_through'),
      }),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(list, (entries) => {
        const incidents = entries
          .toSorted((a, b) => b.minute - a.minute)
          .map(({ minute, ...over }, index) => incident(minute, { ...over, id: `${index}` }));
        const runs = incidentRuns(incidents);
        const sum = (all: readonly Incident[]) => all.reduce((total, { count }) => total + count, 0);
        expect(sum(runs)).toBe(sum(incidents));
        for (const reason of ['timeout', 'pass_through']) {
          const kind = runs.filter((run) => run.reason === reason);
          for (const [index, run] of kind.slice(1).entries()) {
            const pause = Date.parse(kind[index]!.firstSeenAt) - Date.parse(run.lastSeenAt);
            expect(pause).toBeGreaterThan(MAX_PAUSE_MS);
          }
        }
      }),
    );
  });
});

const stored = (over: Partial<StoredStep> & Pick<StoredStep, 'key' | 'type'>): StoredStep => ({
  siteKey: null,
  hasSecret: false,
  projectId: null,
  hasApiKey: false,
  minScore: null,
  ...over,
});

const STORED = [
  stored({ key: 'turnstile:main', type: 'turnstile', siteKey: 'site-ts', hasSecret: true }),
  stored({ key: 'recaptcha_v3:c', type: 'recaptcha_v3', siteKey: 'site-v3', hasSecret: true, minScore: 0.7 }),
  stored({ key: 'altcha', type: 'altcha' }),
];

const changed = (steps: readonly StepDraft[], id: string, changes: Partial<StepDraft>) =>
  steps.map((step) => (step.id === id ? { ...step, ...changes } : step));

describe('a chain that is edited', () => {
  const before = draftOf(STORED, ',');

  test('holds no secret, and saves none that was not typed', () => {
    expect(before.map(({ secret, apiKey }) => [secret, apiKey])).toEqual(before.map(() => ['', '']));
    expect(inputOf(before)).toEqual([
      {
        key: 'turnstile:main',
        siteKey: 'site-ts',
        secret: null,
        projectId: null,
        apiKey: null,
        minScore: null,
      },
      {
        key: 'recaptcha_v3:c',
        siteKey: 'site-v3',
        secret: null,
        projectId: null,
        apiKey: null,
        minScore: 0.7,
      },
      { key: 'altcha', siteKey: null, secret: null, projectId: null, apiKey: null, minScore: null },
    ]);
    const typed = changed(before, 'turnstile:main', { secret: ' secret-new ' });
    expect(inputOf(typed)[0]?.secret).toBe('secret-new');
    expect([
      isChainChanged(typed, before),
      isStepChanged(typed[0]!, before),
      isStepChanged(typed[1]!, before),
    ]).toEqual([true, true, false]);
  });

  test('names a new step as no other of its provider', () => {
    const steps = addStep(
      addStep(addStep(before, 'turnstile', 'new-1'), 'turnstile', 'new-2'),
      'altcha',
      'new-3',
    );
    expect(steps.map(keyOf)).toEqual([
      'turnstile:main',
      'recaptcha_v3:c',
      'altcha',
      'turnstile:main2',
      'turnstile:main3',
      'altcha:main2',
    ]);
    expect(addStep([], 'altcha', 'new-1').map(keyOf)).toEqual(['altcha']);
  });

  test.each<[string, StepDraft[], Omit<FieldFault, 'id'>[]]>([
    ['nothing', before, []],
    [
      'a site key that is removed',
      changed(before, 'turnstile:main', { siteKey: ' ' }),
      [{ field: 'siteKey', fault: 'missing' }],
    ],
    [
      'a threshold beyond 1',
      changed(before, 'recaptcha_v3:c', { minScore: '1,1' }),
      [{ field: 'minScore', fault: 'unusable' }],
    ],
    [
      'a threshold in words',
      changed(before, 'recaptcha_v3:c', { minScore: 'half' }),
      [{ field: 'minScore', fault: 'unusable' }],
    ],
    [
      'a new step without settings',
      addStep([], 'hcaptcha', 'n'),
      [
        { field: 'siteKey', fault: 'missing' },
        { field: 'secret', fault: 'missing' },
      ],
    ],
    [
      'a new step of Enterprise',
      addStep([], 'recaptcha_enterprise', 'n'),
      [
        { field: 'siteKey', fault: 'missing' },
        { field: 'projectId', fault: 'missing' },
        { field: 'apiKey', fault: 'missing' },
      ],
    ],
    [
      'a name that is none',
      changed(addStep(before, 'altcha', 'n'), 'n', { identifier: 'é' }),
      [{ field: 'key', fault: 'unusable' }],
    ],
    [
      'a name twice',
      changed(addStep(before, 'altcha', 'n'), 'n', { identifier: '' }),
      [{ field: 'key', fault: 'taken' }],
    ],
  ])('has faults: %s', (_what, steps, faults) => {
    expect(faultsOf(steps).map(({ field, fault }) => ({ field, fault }))).toEqual(faults);
  });

  test('without faults is a chain that the gateway reads; with all secrets it lacks nothing', () => {
    const step = fc.record({
      type: fc.constantFrom(...TYPES),
      identifier: fc.stringMatching(/^[\w-]{0,4}$/),
      siteKey: fc.constantFrom('', 'site'),
      secret: fc.constantFrom('', 'secret'),
      projectId: fc.constantFrom('', 'project'),
      apiKey: fc.constantFrom('', 'key'),
      minScore: fc.constantFrom('', '0', '0,5', '1', '2', 'x'),
      hasSecret: fc.boolean(),
      hasApiKey: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), (steps) => {
        const chain = steps.map((one, index) => ({ ...one, id: String(index), isStored: false }));
        const isRight = faultsOf(chain).length === 0;
        const isRead = chainSchema.safeParse(inputOf(chain)).success;
        // The gateway knows by itself which secrets are stored.
        const lacksSecret = faultsOf(chain).every(({ field }) => field === 'secret' || field === 'apiKey');
        if (isRight) expect(isRead).toBe(true);
        if (isRead && faultsOf(chain).every(({ fault }) => fault !== 'unusable'))
          expect(lacksSecret).toBe(true);
      }),
    );
  });

  test('finds the field of a fault by its path', () => {
    expect(fieldAt(before, 'links.1.minScore')).toEqual({ id: 'recaptcha_v3:c', field: 'minScore' });
    expect(['links.9.key', 'links.0.other', 'links', 'version'].map((path) => fieldAt(before, path))).toEqual(
      [null, null, null, null],
    );
  });

  test('shows the settings of each type', () => {
    expect(TYPES.map((type) => [type, settingsOf(type).join(' ')])).toEqual([
      ['altcha', ''],
      ['turnstile', 'siteKey secret'],
      ['hcaptcha', 'siteKey secret'],
      ['recaptcha_v3', 'siteKey secret minScore'],
      ['recaptcha_enterprise', 'siteKey projectId secret apiKey minScore'],
    ]);
  });
});

test.each([
  ['', null],
  [' 0,25 ', 0.25],
  ['0.25', 0.25],
  ['1', 1],
  ['1.01', undefined],
  ['-0.1', undefined],
  ['none', undefined],
])('a threshold of “%s” is %s', (text, score) => {
  expect(readScore(text)).toBe(score);
});

test('moving steps keeps each of them, and puts them beside the target', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const chain = ids.map((id) => ({ ...draftOf([STORED[2]!], '.')[0]!, id }));
  fc.assert(
    fc.property(
      fc.subarray(ids, { minLength: 1, maxLength: 4 }),
      fc.constantFrom(...ids),
      fc.constantFrom('before' as const, 'after' as const),
      (chosen, key, position) => {
        const result = moved(chain, ({ id }) => id, new Set(chosen), { key, position }).map(({ id }) => id);
        expect(result.toSorted()).toEqual(ids);
        if (chosen.includes(key)) return expect(result).toEqual(ids);
        const at = result.indexOf(key);
        const beside =
          position === 'before'
            ? result.slice(at - chosen.length, at)
            : result.slice(at + 1, at + 1 + chosen.length);
        expect(beside).toEqual(chosen);
        const others = (list: readonly string[]) => list.filter((id) => !chosen.includes(id));
        expect(others(result)).toEqual(others(ids));
      },
    ),
  );
});

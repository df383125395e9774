import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { v7 as uuid } from 'uuid';
import { createLogger } from '../../../src/lib/telemetry/logger.js';
import { createServices, type Services } from '../../../src/services.js';
import { createRecorder, recordAlone } from '../../../src/submissions/submit/record.js';
import type { RecordOutcome, SubmissionRecord } from '../../../src/submissions/submit/record.queries.js';
import { storedText } from '../../../src/websites/signatures/signature-key.js';
import { testConfig } from '../../support/app.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { createToken, provision, team, website, websiteId } from '../../support/factories.js';

let database: TestDatabase;
let services: Services;
let run: Services['db']['sql'];
let record: (submission: SubmissionRecord) => Promise<RecordOutcome>;
/** Statements that recorded together, by how many submissions each was to record. */
let batches: number[];
let common: Pick<SubmissionRecord, 'teamId' | 'websiteId' | 'formId' | 'storedSignatureKey'>;

beforeAll(async () => {
  database = await createTestDatabase();
  services = createServices(
    testConfig({ DATABASE_URL: database.url, SMTP_URL: 'smtp://127.0.0.1:1' }),
    createLogger('silent'),
  );
  await provision(services, [team('acme', { websites: [website('www.acme.test')] })]);
  const site = await services.db.orm.website.findUniqueOrThrow({
    where: { id: await websiteId(services, 'www.acme.test') },
  });
  const form = await services.db.orm.form.findFirstOrThrow();
  common = {
    teamId: site.teamId,
    websiteId: site.id,
    formId: form.id,
    storedSignatureKey: storedText(site),
  };
  const { db } = services;
  run = db.sql;
  batches = [];
  const recorder = createRecorder((sql, name) => {
    if (name === 'record-together') batches.push(JSON.parse(sql.values[0] as string).length);
    return db.sql(sql, name);
  });
  record = (each) => recorder(each, async () => async () => undefined);
  await db.orm.visit.create({
    data: {
      websiteId: site.id,
      visitorHash: 'known',
      pageUrl: 'https://www.acme.test/',
      referrer: 'https://search.test/',
      utmSource: 'ads',
    },
  });
});

afterAll(async () => {
  await services.close();
  await database.drop();
});

const proof = () => ({ challenge: randomBytes(32), expiresAt: new Date('2030-01-01T00:00:00Z') });

const idempotency = (key: string) => ({ key, bodyHash: new Uint8Array(randomBytes(32)) });

const submission = (overrides: Partial<SubmissionRecord> = {}): SubmissionRecord => ({
  ...common,
  id: uuid(),
  formVersion: 3,
  currentFormVersion: 4,
  locale: 'en',
  createdAt: new Date('2026-11-21T12:00:00.123Z'),
  values: { email: 'Ann@x.test', note: 'naïve “quotes” \\ "x" \n', amount: 12.5, many: ['a', 'b'] },
  undeclared: { deep: { list: [1, null, true] } },
  consents: { gdpr: { label: 'I agree', locale: 'en' } },
  pageUrl: 'https://www.acme.test/contact',
  pageTitle: 'Contact',
  pageLocale: 'en-GB',
  visitorHash: null,
  matchedRules: [],
  captchaKey: 'altcha',
  captchaGround: 'first',
  needsReview: false,
  proof: proof(),
  idempotency: null,
  message: 'Thank you.',
  tokenId: null,
  signatureAgeS: 40,
  requestId: '7f9c2a4e5b6d4c3e8f1a2b3c4d5e6f70',
  traceParent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  emails: ['ann@x.test', 'b,"{}@x.test'],
  searchWords: 'ann x test naive',
  testRecipient: null,
  ...overrides,
});

/** Everything that is kept of a submission, but for what is its own. */
async function kept({ id, proof: used, idempotency: taken }: SubmissionRecord) {
  const row = await services.db.orm.submission.findUnique({
    where: { id },
    include: {
      notification: {
        omit: { submissionId: true, createdAt: true, nextAttemptAt: true, retryingSince: true },
      },
    },
    omit: { id: true },
  });
  const mark =
    used &&
    (await services.db.orm.usedProof.findFirst({ where: { challenge: new Uint8Array(used.challenge) } }));
  const key = taken && (await services.db.orm.idempotencyKey.findFirst({ where: { key: taken.key } }));
  return {
    row,
    proofExpiresAt: mark?.expiresAt,
    key: key && { isOwn: key.submissionId === id, message: key.message, at: key.createdAt },
  };
}

test('a batch and a single record write the same rows', async () => {
  const kinds: (() => Partial<SubmissionRecord>)[] = [
    () => ({}),
    () => ({ idempotency: idempotency(uuid()) }),
    () => ({ proof: null, captchaKey: null, captchaGround: 'none', storedSignatureKey: null }),
    () => ({ visitorHash: 'known', needsReview: true, captchaGround: 'pass_through' }),
    () => ({
      matchedRules: [
        {
          scope: 'form',
          index: 1,
          recipients: ['sales@acme.test'],
          when: { match: 'any', rules: [{ field: 'many', operator: 'in', value: ['a'] }] },
        },
      ],
    }),
    () => ({ visitorHash: 'unknown', pageUrl: null, pageTitle: null, pageLocale: null, emails: [] }),
  ];
  const alone = kinds.map((kind) => submission(kind()));
  const together = kinds.map((kind) => submission(kind()));
  for (const each of alone) expect(await recordAlone(run, each)).toBe('recorded');
  batches.length = 0;
  expect(await Promise.all(together.map(record))).toEqual(kinds.map(() => 'recorded'));
  expect(batches).toEqual([kinds.length]);
  for (const [index, each] of alone.entries()) {
    const expected = await kept(each);
    expect(expected.row?.values).toEqual(each.values);
    const rules = expected.row?.notification?.matchedRules;
    expect(rules ?? []).toEqual(each.matchedRules);
    expect(await kept(together[index]!)).toEqual(expected);
  }
});

describe('a submission that is not recorded does not affect the rest of its batch', () => {
  test.each<[string, () => Promise<Partial<SubmissionRecord>>, string | RegExp]>([
    [
      'its proof has been used',
      async () => {
        const former = submission();
        await recordAlone(run, former);
        return { proof: former.proof, idempotency: idempotency('with a used proof') };
      },
      'proof_used',
    ],
    [
      'its key has been answered',
      async () => {
        await recordAlone(run, submission({ idempotency: idempotency('answered') }));
        return { idempotency: idempotency('answered') };
      },
      'key_taken',
    ],
    [
      'its proof and key have been used by the same request',
      async () => {
        const former = submission({ idempotency: idempotency('sent twice') });
        await recordAlone(run, former);
        return { proof: former.proof, idempotency: former.idempotency };
      },
      'key_taken',
    ],
    [
      'its proof has been used, and its key has expired',
      async () => {
        const former = submission({
          idempotency: idempotency('expired'),
          createdAt: new Date('2026-11-20T12:00:00.123Z'),
        });
        await recordAlone(run, former);
        return { proof: former.proof, idempotency: former.idempotency };
      },
      'proof_used',
    ],
    [
      'the signature key is another by now',
      async () => ({ storedSignatureKey: `\\x${randomBytes(61).toString('hex')}` }),
      'unsigned',
    ],
    [
      'its token has been revoked',
      async () => {
        const value = await createToken(services, 'acme', 'owner@acme.test');
        const tokenId = Number(value.split('|')[0]);
        await services.db.orm.token.update({ where: { id: tokenId }, data: { revokedAt: new Date() } });
        return { tokenId, storedSignatureKey: null };
      },
      'revoked',
    ],
    ['its form is gone', async () => ({ formId: 2_000_000_000 }), 'form_gone'],
    ['a column cannot hold it', async () => ({ locale: 'x'.repeat(11) }), /too long/],
    ['PostgreSQL cannot hold it', async () => ({ pageTitle: 'a\u0000b' }), /22P05|unsupported Unicode/],
  ])('%s', async (_why, make, outcome) => {
    const bad = submission(await make());
    const good = [submission(), submission({ idempotency: idempotency(uuid()) })];
    const settled = await Promise.allSettled([good[0]!, bad, good[1]!].map(record));
    const [first, middle, last] = settled.map((each) =>
      each.status === 'fulfilled' ? each.value : String(each.reason),
    );
    expect([first, last]).toEqual(['recorded', 'recorded']);
    expect(middle).toMatch(outcome);
    for (const each of good) expect((await kept(each)).row?.notification).toMatchObject({ state: 'pending' });
    expect((await kept(bad)).row).toBeNull();
    expect((await kept(bad)).key?.isOwn ?? false).toBe(false);
  });
});

test('of submissions with one proof or one key exactly one is recorded, and the others use up neither', async () => {
  const shared = proof();
  const sameProof = Array.from({ length: 20 }, () => submission({ proof: shared }));
  const sameKey = Array.from({ length: 20 }, () => submission({ idempotency: idempotency('shared') }));
  const both = Array.from({ length: 5 }, (_, i) =>
    submission({ proof: shared, idempotency: idempotency(`own ${i}`) }),
  );
  const outcomes = await Promise.all([...sameProof, ...sameKey, ...both].map(record));
  expect(outcomes.slice(20, 40).filter((outcome) => outcome === 'recorded')).toHaveLength(1);
  expect(outcomes.filter((outcome, i) => outcome === 'recorded' && (i < 20 || i >= 40))).toHaveLength(1);
  const losers = sameKey.filter((_, i) => outcomes[20 + i] !== 'recorded');
  for (const { proofExpiresAt } of await Promise.all(losers.map(kept)))
    expect(proofExpiresAt).toBeUndefined();
  const keys = await services.db.orm.idempotencyKey.findMany({ where: { key: { startsWith: 'own' } } });
  expect(keys.length).toBe(outcomes.slice(40).filter((outcome) => outcome === 'recorded').length);
});

test('a submission whose token is being revoked waits, and is refused once it is', async () => {
  const value = await createToken(services, 'acme', 'owner@acme.test');
  const tokenId = Number(value.split('|')[0]);
  const late = submission({ tokenId, storedSignatureKey: null });
  const other = submission();
  let isSettled = false;
  const outcome = await services.db.orm.$transaction(async (tx) => {
    await tx.token.update({ where: { id: tokenId }, data: { revokedAt: new Date() } });
    const waiting = record(late).finally(() => {
      isSettled = true;
    });
    // Others of the same statement do not wait along.
    expect(await record(other)).toBe('recorded');
    expect(isSettled).toBe(false);
    return { waiting };
  });
  expect(await outcome.waiting).toBe('revoked');
  expect((await kept(late)).row).toBeNull();
});

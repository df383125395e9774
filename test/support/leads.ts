import { NIL, v7 as uuid } from 'uuid';
import { markDays } from '../../src/rollups/daily-counts.queries.js';
import type { Services } from '../../src/services.js';
import { recordAlone } from '../../src/submissions/submit/record.js';

/** Records submissions of a website's only form as of a moment, as if they had not been handed over. */
export async function recordedLeads(
  { db }: Pick<Services, 'db'>,
  websiteId: string,
  count: number,
  createdAt = new Date(),
): Promise<string[]> {
  const link = await db.orm.placement.findFirstOrThrow({ where: { websiteId }, include: { form: true } });
  const ids = Array.from({ length: count }, () => uuid());
  for (const id of ids) {
    await recordAlone(db.sql, {
      id,
      websiteId,
      createdAt,
      teamId: link.form.teamId,
      formId: link.formId,
      formVersion: 1,
      currentFormVersion: null,
      locale: 'fr',
      values: { email: 'v@x.test' },
      undeclared: {},
      consents: {},
      pageUrl: null,
      pageTitle: null,
      pageLocale: null,
      captchaKey: null,
      captchaGround: 'none',
      matchedRules: [],
      storedSignatureKey: null,
      signatureAgeS: null,
      visitorHash: null,
      proof: null,
      idempotency: null,
      message: 'Merci.',
      needsReview: false,
      tokenId: null,
      requestId: 'recorded-by-test',
      traceParent: null,
      testRecipient: null,
      emails: ['v@x.test'],
      searchWords: 'v x test',
    });
  }
  return ids;
}

/** Counts all days anew, as the workers do after an upgrade, and looks for silent websites. */
export async function countAllDays({
  db,
  dailyCounts,
  silence,
}: Pick<Services, 'db' | 'dailyCounts' | 'silence'>): Promise<void> {
  await db.orm.$transaction((tx) => markDays(tx, NIL, 10_000));
  // A run ends after its time, in which a busy machine may not count all of them.
  do await dailyCounts.run();
  while ((await db.orm.dailyCount.count({ where: { isStale: true } })) > 0);
  await silence.run();
}

/** Lets the inbox search find a submission by these words, in the form in which they are recorded. */
export async function setSearchWords(db: Services['db'], id: string, words: string): Promise<void> {
  await db.orm.$executeRaw`UPDATE submissions SET search_words = ${words}::tsvector WHERE id = ${id}::uuid`;
}

/** Adds submissions of each website's only form as of a moment, without e-mails, as many as it takes. */
export async function addSubmissions(
  { db }: Pick<Services, 'db'>,
  websiteIds: string | readonly string[],
  count: number,
  createdAt: Date,
): Promise<void> {
  await db.orm.$executeRaw`
    INSERT INTO submissions (id, team_id, website_id, form_id, form_version, locale, "values", emails, created_at)
    SELECT gen_random_uuid(), w.team_id, w.id, l.form_id, 1, 'en', '{}', '{}', ${createdAt}
      FROM websites w JOIN form_links l ON l.website_id = w.id, generate_series(1, ${count}::int)
     WHERE w.id = ANY (${[websiteIds].flat()}::uuid[])`;
}

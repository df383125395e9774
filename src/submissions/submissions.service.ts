import { v7 as uuid } from 'uuid';
import { invalid } from '../errors.js';
import { readContext } from '../forms/context-fields.js';
import { describeFaults, readValues } from '../forms/field-values.js';
import type { LinkedForm } from '../forms/forms.service.js';
import { confirmationMessage, offeredLocales, submissionLocale } from '../forms/locales.js';
import { localizeForm } from '../forms/translate.js';
import { validationSummary } from '../forms/validation-messages.js';
import type { Clock } from '../lib/clock.js';
import { submissionsRecorded } from '../lib/metrics.js';
import type { Database } from '../lib/prisma.js';
import type { Notifications } from '../notifications/notifications.service.js';
import type { ServedWebsite } from '../websites/websites.service.js';
import { recordSubmission } from './record.js';
import { emailsOf, searchTextOf } from './search-text.js';

/** What came in, once it is known from whom and for which form. */
export type Submitted = Readonly<{
  website: ServedWebsite;
  form: LinkedForm;
  body: Readonly<Record<string, unknown>>;
  /** The integration token that sent it; null for a visitor's browser. */
  tokenId: number | null;
}>;

/** Interface 2.5. */
export type SubmissionResult = Readonly<{ success: true; message: string; lead_id: string }>;

type Services = {
  db: Database;
  notifications: Pick<Notifications, 'handOver'>;
  clock: Clock;
  locales: readonly string[];
};

export type Submissions = ReturnType<typeof createSubmissions>;

export function createSubmissions({ db, notifications, clock, locales }: Services) {
  return {
    /**
     * Validates a submission and records it with its notification (interface 4.7, rules 2 to 8). When
     * this resolves it has been committed; the e-mail is on its way, now or when the queue is back.
     *
     * @throws 422 with the messages of each field, in the language of the submission.
     */
    async submit({ website, form, body, tokenId }: Submitted): Promise<SubmissionResult> {
      const { definition } = form;
      const { context, faults } = readContext(body);
      const locale = submissionLocale(context.formLocale, context.pageLocale, {
        offered: offeredLocales(definition),
        source: definition.sourceLocale,
        websiteLocale: website.locale,
        platformLocales: locales,
      });
      const read = readValues(definition, body, locale);
      const contextErrors = describeFaults(faults, locale);
      if (!read.ok || Object.keys(contextErrors).length > 0) {
        throw invalid({ ...(!read.ok && read.errors), ...contextErrors }, validationSummary(locale));
      }

      const id = uuid();
      await recordSubmission(db, {
        id,
        teamId: website.teamId,
        websiteId: website.id,
        formId: form.id,
        formVersion: definition.version,
        locale,
        values: read.values,
        undeclared: read.undeclared,
        consents: read.consents,
        pageUrl: context.pageUrl,
        pageTitle: context.pageTitle,
        pageLocale: context.pageLocale,
        captchaKey: null,
        captchaGround: 'none',
        needsReview: false,
        tokenId,
        emails: emailsOf(definition, read.values),
        searchText: searchTextOf(read.values, read.undeclared),
        createdAt: clock(),
      });
      submissionsRecorded.inc();
      notifications.handOver(id);

      const translated = localizeForm(definition, locale).texts.confirmationMessage;
      return {
        success: true,
        message: confirmationMessage(locale, website.locale, form.messageOverride, translated),
        lead_id: id,
      };
    },
  };
}

import type { AttentionItem, AttentionKind, AttentionSource, Severity } from '../attention-item.js';
import { readStepFailures, type StepFailures } from './captcha.queries.js';

const HOUR_MS = 3_600_000;

/** A provider that fails now and then is no news; the chain goes on to its next step. */
const FAILING = {
  reasons: ['timeout', 'network_error', 'server_error', 'pass_through'],
  hours: 1,
  atLeast: 5,
};

/** Credentials that the provider refuses: every visitor is turned away until a person has changed them. */
const MISCONFIGURED = { reasons: ['secret_missing', 'secret_refused'], hours: 24, atLeast: 1 };

type Watched = Readonly<{ reasons: readonly string[]; hours: number; atLeast: number }>;

const sourceOf = (kind: AttentionKind, severity: Severity, watched: Watched): AttentionSource => ({
  kinds: [kind],
  async read(db, { teamIds, now }) {
    const { reasons, hours, atLeast } = watched;
    const since = new Date(now.getTime() - hours * HOUR_MS);
    const found = await readStepFailures(db, { teamIds }, { reasons, since, atLeast });
    return found.map(
      ({ websiteId, teamId, step, since: first, failures }: StepFailures): AttentionItem => ({
        ...{ kind, severity, action: 'OPEN_CAPTCHA', since: first },
        ...{ teamId, websiteId, formId: null, subject: step, facts: { step, failures } },
      }),
    );
  },
});

export const failingCaptchaSource = sourceOf('CAPTCHA_FAILING', 'WARNING', FAILING);

export const misconfiguredCaptchaSource = sourceOf('CAPTCHA_MISCONFIGURED', 'URGENT', MISCONFIGURED);

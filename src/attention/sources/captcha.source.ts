import { HOUR_MS } from '../../lib/durations.js';
import type { AttentionItem, AttentionKind, AttentionSource, Severity } from '../attention-item.js';
import { readStepFailures, type StepFailures } from './captcha.queries.js';

/**
 * A provider that fails now and then is no news; the chain goes on to its next step. A submission that passes through
 * after the last one is among its failures.
 */
const FAILING = {
  reasons: ['timeout', 'network_error', 'server_error'],
  hours: 1,
  atLeast: 5,
  endsWithSuccess: false,
};

/**
 * Credentials that the provider refuses: every visitor is turned away until a person has changed them here or at the
 * provider. A website with few visitors has long pauses between two that are turned away.
 */
const MISCONFIGURED = {
  reasons: ['secret_missing', 'secret_refused'],
  hours: 30 * 24,
  atLeast: 1,
  endsWithSuccess: true,
};

type Watched = Readonly<{
  reasons: readonly string[];
  hours: number;
  atLeast: number;
  endsWithSuccess: boolean;
}>;

const sourceOf = (kind: AttentionKind, severity: Severity, watched: Watched): AttentionSource => ({
  kinds: [kind],
  async read(db, { teamIds, now }) {
    const { hours, ...counted } = watched;
    const since = new Date(now.getTime() - hours * HOUR_MS);
    const found = await readStepFailures(db, { teamIds }, { ...counted, since });
    return found.map(
      ({ websiteId, teamId, step, since: first, failures }: StepFailures): AttentionItem => ({
        kind,
        severity,
        action: 'OPEN_CAPTCHA',
        since: first,
        teamId,
        websiteId,
        formId: null,
        subject: step,
        facts: { step, failures },
      }),
    );
  },
});

export const failingCaptchaSource = sourceOf('CAPTCHA_FAILING', 'WARNING', FAILING);

export const misconfiguredCaptchaSource = sourceOf('CAPTCHA_MISCONFIGURED', 'URGENT', MISCONFIGURED);

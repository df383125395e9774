import { lockRow } from '../db/row-lock.js';
import type { Outcome } from '../lib/changes.js';
import { countSpamRules, replaceSpamRules } from '../spam/rules/save-spam-rules.js';
import { MAX_SPAM_RULES } from '../spam/rules/spam-rule.schema.js';
import { saveSpamSettings } from '../spam/settings/save-spam-settings.js';
import type { Path } from './faults.js';
import type { Run } from './run.js';
import { SPAM_LISTS, type SpamEntry } from './spam.schema.js';

/** Applies what a team has decided about spam: omitted settings and lists stay, a list replaces the stored one. */
export async function applySpam(run: Run, path: Path, teamId: number, entry: SpamEntry): Promise<Outcome> {
  const { tx, actor } = run;
  // The panel adds rules under this lock.
  await lockRow(tx, 'teams', teamId, 'NO KEY UPDATE');
  const { filter, threshold, kept_days: keptDays } = entry;
  const outcomes = [await saveSpamSettings(tx, teamId, { filter, threshold, keptDays }, actor)];
  for (const [key, kind] of Object.entries(SPAM_LISTS)) {
    const listed = entry[key as keyof typeof SPAM_LISTS];
    if (!listed) continue;
    const values = [...new Set(listed)];
    outcomes.push(await replaceSpamRules(tx, { teamId, kind, values }, actor));
  }
  if ((await countSpamRules(tx, teamId)) > MAX_SPAM_RULES) {
    run.faults.push({ path, message: `has more than ${MAX_SPAM_RULES} rules, with those that stay` });
  }
  return outcomes.includes('updated') ? 'updated' : 'unchanged';
}

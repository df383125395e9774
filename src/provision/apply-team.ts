import { lockAccountOf } from '../accounts/accounts.queries.js';
import { formContent } from '../forms/definition/form.mapper.js';
import { formFaults } from '../forms/definition/form-faults.js';
import { readPatternsNow } from '../forms/definition/patterns.js';
import { lockForm } from '../forms/editing/forms.queries.js';
import { saveForm } from '../forms/editing/save-form.js';
import { saveFormFilter, saveFormRetention } from '../forms/editing/save-form-settings.js';
import { recipientRuleFaults } from '../forms/recipients/rule-faults.js';
import type { Team } from '../generated/prisma/client.js';
import { given } from '../lib/changes.js';
import { createTeam, updateTeam } from '../teams/save-team.js';
import { lockMemberships } from '../tokens/tokens.queries.js';
import { applySpam } from './apply-spam.js';
import { applyWebsite } from './apply-website.js';
import type { TeamEntry } from './document.schema.js';
import type { Path } from './faults.js';
import type { FormEntry } from './form.schema.js';
import { mergeForm, REQUIRED_OF_FORM } from './merge-form.js';
import { addToSummary, checkSettings, type Run } from './run.js';

/** The default plan of a new team. */
const DEFAULT_PLAN = 'default';

/** Applies a team with all that is inside it. */
export async function applyTeam(run: Run, path: Path, entry: TeamEntry): Promise<void> {
  const team = await saveTeam(run, path, entry);
  if (!team) return;
  if (entry.spam) {
    addToSummary(
      run,
      await applySpam(run, [...path, 'spam'], team.id, entry.spam),
      `spam settings ${team.slug}`,
    );
  }
  if (entry.members) await applyMembers(run, [...path, 'members'], team, entry.members);
  for (const [index, form] of (entry.forms ?? []).entries()) {
    await applyForm(run, [...path, 'forms', index], team, form);
  }
  if (!entry.websites) return;
  const forms = await run.tx.form.findMany({ where: { teamId: team.id }, select: { id: true, slug: true } });
  const formIds = new Map<string, number | null>((entry.forms ?? []).map(({ slug }) => [slug, null]));
  for (const { id, slug } of forms) formIds.set(slug, id);
  for (const [index, website] of entry.websites.entries()) {
    await applyWebsite(run, [...path, 'websites', index], { team, formIds }, website);
  }
}

async function saveTeam(run: Run, path: Path, entry: TeamEntry): Promise<Team | null> {
  const { tx, actor } = run;
  const { slug, name, active, retention_months: retentionMonths } = entry;
  const stored = await tx.team.findUnique({ where: { slug } });
  const code = entry.plan ?? (stored ? undefined : DEFAULT_PLAN);
  const plan = code === undefined ? undefined : await tx.plan.findUnique({ where: { code } });
  if (plan === null) run.faults.push({ path: [...path, 'plan'], message: `there is no plan ${code}` });
  if (stored) {
    const settings = given({ name, active, planId: plan?.id, retentionMonths });
    addToSummary(run, await updateTeam(tx, stored, settings, actor), `team ${slug}`);
    return stored;
  }
  if (!checkSettings(run, path, entry, ['name']) || !plan) return null;
  const team = await createTeam(
    tx,
    { slug, name: entry.name, active, planId: plan.id, retentionMonths },
    actor,
  );
  addToSummary(run, 'created', `team ${slug}`);
  return team;
}

/** Replaces the members of a team, and revokes the tokens of members who lose the right to hold them. */
async function applyMembers(
  run: Run,
  path: Path,
  team: Team,
  members: NonNullable<TeamEntry['members']>,
): Promise<void> {
  const { tx, teams, actor } = run;
  // Else the panel could demote one owner while the document, which has not seen it, removes the other.
  await lockMemberships(tx, team.id);
  const stored = await tx.membership.findMany({
    where: { teamId: team.id },
    include: { user: { select: { email: true } } },
  });
  for (const { userId, user } of stored) {
    if (members.some(({ email }) => email === user.email)) continue;
    await teams.setRole(tx, { teamId: team.id, userId }, null, actor);
    addToSummary(run, 'removed', `member ${team.slug}/${user.email}`);
  }
  for (const [index, { email, role }] of members.entries()) {
    const before = stored.find(({ user }) => user.email === email);
    if (before?.role === role) continue;
    // An account that is deleted meanwhile becomes no member.
    if (!before) await lockAccountOf(tx, email, 'KEY SHARE');
    const user = before ? { id: before.userId } : await tx.user.findUnique({ where: { email } });
    if (!user) {
      run.faults.push({ path: [...path, index, 'email'], message: `there is no user ${email}` });
      continue;
    }
    await teams.setRole(tx, { teamId: team.id, userId: user.id }, role, actor);
    addToSummary(run, before ? 'updated' : 'created', `member ${team.slug}/${email}`);
  }
}

async function applyForm(run: Run, path: Path, team: Team, entry: FormEntry): Promise<void> {
  const { tx, actor } = run;
  const stored = await lockForm(tx, { teamId: team.id, slug: entry.slug });
  if (!stored && !checkSettings(run, path, entry, REQUIRED_OF_FORM)) return;
  const { content, faults } = mergeForm(stored && formContent(stored), entry);
  const ofRules = recipientRuleFaults(content.recipientRules, content.fields).map((fault) => ({
    ...fault,
    path: ['recipient_rules', ...fault.path],
  }));
  const found = [...faults, ...formFaults(content, readPatternsNow(content.fields)), ...ofRules];
  run.faults.push(...found.map((fault) => ({ ...fault, path: [...path, ...fault.path] })));
  if (found.length > 0) return;
  const { id, outcome } = await saveForm(tx, { teamId: team.id, stored, content }, actor);
  const { retention_months: retentionMonths } = entry;
  const retention =
    retentionMonths === undefined
      ? 'unchanged'
      : await saveFormRetention(tx, team.id, { formId: id, retentionMonths }, actor);
  const { spam_filter: filter } = entry;
  const spam = filter === undefined ? 'unchanged' : await saveFormFilter(tx, { formId: id, filter }, actor);
  const changed = [outcome, retention, spam].find((each) => each !== 'unchanged');
  addToSummary(run, changed ?? 'unchanged', `form ${team.slug}/${entry.slug}`);
}

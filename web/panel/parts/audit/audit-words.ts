import type { TextId } from '../../texts/text-id.js';

/** The words of every action that the gateway records. */
const WORDS = [
  'audit.did.address.erased',
  'audit.did.attention.listed_again',
  'audit.did.attention.set_aside',
  'audit.did.captcha_chain.updated',
  'audit.did.demo.loaded',
  'audit.did.department.created',
  'audit.did.department.updated',
  'audit.did.export.downloaded',
  'audit.did.form.created',
  'audit.did.form.deleted',
  'audit.did.form.restored',
  'audit.did.form.spam_filter_changed',
  'audit.did.form.updated',
  'audit.did.form_link.created',
  'audit.did.form_link.removed',
  'audit.did.form_link.updated',
  'audit.did.installation.second_factor_set',
  'audit.did.legal_hold.released',
  'audit.did.legal_hold.set',
  'audit.did.member.added',
  'audit.did.member.invitation_revoked',
  'audit.did.member.invited',
  'audit.did.member.removed',
  'audit.did.member.role_changed',
  'audit.did.notification.asked_again',
  'audit.did.notification.sent_again',
  'audit.did.plan.created',
  'audit.did.plan.updated',
  'audit.did.retention.changed',
  'audit.did.session.ended',
  'audit.did.session.opened',
  'audit.did.spam_rule.added',
  'audit.did.spam_rule.deleted',
  'audit.did.submission.deleted',
  'audit.did.submission.forwarded',
  'audit.did.submission.state_changed',
  'audit.did.team.created',
  'audit.did.team.spam_settings_changed',
  'audit.did.team.updated',
  'audit.did.team.view_began',
  'audit.did.team.view_ended',
  'audit.did.token.all_revoked',
  'audit.did.token.created',
  'audit.did.token.revoked',
  'audit.did.user.created',
  'audit.did.user.deleted',
  'audit.did.user.disabled',
  'audit.did.user.email_change_requested',
  'audit.did.user.email_changed',
  'audit.did.user.enabled',
  'audit.did.user.invitation_accepted',
  'audit.did.user.invitation_declined',
  'audit.did.user.password_changed',
  'audit.did.user.password_reset',
  'audit.did.user.password_reset_requested',
  'audit.did.user.recovery_codes_renewed',
  'audit.did.user.second_factor_enabled',
  'audit.did.user.second_factor_removed',
  'audit.did.user.second_factor_reset',
  'audit.did.user.updated',
  'audit.did.webhook.created',
  'audit.did.webhook.deleted',
  'audit.did.webhook.disabled',
  'audit.did.webhook.redelivered',
  'audit.did.webhook.secret_rotated',
  'audit.did.webhook.tested',
  'audit.did.webhook.updated',
  'audit.did.website.created',
  'audit.did.website.deleted',
  'audit.did.website.probed',
  'audit.did.website.signature_key_regenerated',
  'audit.did.website.updated',
] as const satisfies readonly TextId[];

const PREFIX = 'audit.did.';

export type Translate = (id: TextId, values?: Record<string, string | number>) => string;

/** The actions that the gateway records, by their subjects. */
export const ACTIONS: readonly string[] = WORDS.map((id) => id.slice(PREFIX.length));

/** Puts an action into words; one of a later version is shown as it is recorded. */
export function auditWords(action: string, t: (id: TextId) => string): string {
  const known = WORDS.find((id) => id === `${PREFIX}${action}`);
  return known ? t(known) : action;
}

/** What an action can be about. */
const THINGS = [
  'audit.thing.department',
  'audit.thing.export',
  'audit.thing.form',
  'audit.thing.installation',
  'audit.thing.invitation',
  'audit.thing.plan',
  'audit.thing.spam_rule',
  'audit.thing.submission',
  'audit.thing.team',
  'audit.thing.token',
  'audit.thing.user',
  'audit.thing.webhook',
  'audit.thing.website',
] as const satisfies readonly TextId[];

type Subject = Readonly<{ subjectType: string; subjectId: string; subjectName: string | null }>;

const UUID_LENGTH = 36;

/** Shortens a UUID to its end, which differs also where two were made in the same second. */
const shortened = (id: string) => (id.length === UUID_LENGTH ? `…${id.slice(-8)}` : id);

/** Names what an action was about, by its name or else its id; a kind of a later version is shown as it is recorded. */
export function auditThing({ subjectType, subjectId, subjectName }: Subject, t: Translate): string {
  const id = subjectName ?? shortened(subjectId);
  const known = THINGS.find((text) => text === `audit.thing.${subjectType}`);
  return known ? t(known, { id }) : `${subjectType} ${id}`;
}

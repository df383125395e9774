import type { useText } from '../language.js';

/** The actions of the audit trail that have words of their own. */
export const ACTIONS = [
  'address.erased',
  'captcha_chain.updated',
  'export.downloaded',
  'form.created',
  'form.deleted',
  'form.restored',
  'form.updated',
  'form_link.created',
  'form_link.deleted',
  'form_link.updated',
  'member.added',
  'member.invitation_revoked',
  'member.invited',
  'member.removed',
  'member.role_changed',
  'notification.asked_again',
  'notification.sent_again',
  'plan.created',
  'plan.updated',
  'session.ended',
  'session.opened',
  'submission.deleted',
  'submission.forwarded',
  'submission.state_changed',
  'team.created',
  'team.updated',
  'token.all_revoked',
  'token.created',
  'token.revoked',
  'user.created',
  'user.email_change_requested',
  'user.email_changed',
  'user.invitation_accepted',
  'user.invitation_declined',
  'user.password_changed',
  'user.password_reset',
  'user.password_reset_requested',
  'user.updated',
  'website.created',
  'website.deleted',
  'website.probed',
  'website.signature_key_regenerated',
  'website.updated',
] as const;

export type Action = (typeof ACTIONS)[number];

const isKnown = (action: string): action is Action => (ACTIONS as readonly string[]).includes(action);

/** Says what an action is; one of a later version is named as the gateway has it. */
export const actionWords = (action: string, t: ReturnType<typeof useText>): string =>
  isKnown(action) ? t(`audit.action.${action}`) : action;

const ROLES = ['owner', 'admin', 'member'] as const;

const roleWords = (value: unknown, t: ReturnType<typeof useText>): string | null => {
  const role = ROLES.find((one) => one === value);
  return role ? t(`audit.role.${role}`) : null;
};

/** Details that name what an action was done to, the most telling first. */
const NAMES = ['name', 'email', 'slug', 'code', 'host', 'website', 'form'] as const;

type Event = Readonly<{ subjectType: string; subjectId: string; detail: Record<string, unknown> }>;

/** Says more about an event: what it was done to, and a role before and after. */
export function detailWords(
  { subjectType, subjectId, detail }: Event,
  t: ReturnType<typeof useText>,
): string {
  const name = NAMES.map((key) => detail[key]).find((value) => typeof value === 'string');
  const from = roleWords(detail.from, t);
  const to = roleWords(detail.to ?? detail.role, t);
  const roles = from && to ? t('audit.fromTo', { from, to }) : (to ?? from);
  const changed = typeof detail.changed === 'object' && detail.changed !== null ? detail.changed : {};
  const settings = Object.keys(changed);
  const said = [name, roles, ...(settings.length > 0 ? [settings.join(', ')] : [])].filter(Boolean);
  return said.length > 0 ? said.join(' · ') : `${subjectType} ${subjectId}`;
}

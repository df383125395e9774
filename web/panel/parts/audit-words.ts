import type { useText } from '../language.js';
import type { TextId } from '../texts/text-id.js';

/** The words of the actions of the audit trail. */
const ACTION_TEXTS: readonly TextId[] = [
  'audit.action.address.erased',
  'audit.action.captcha_chain.updated',
  'audit.action.export.downloaded',
  'audit.action.form.created',
  'audit.action.form.deleted',
  'audit.action.form.restored',
  'audit.action.form.updated',
  'audit.action.form_link.created',
  'audit.action.form_link.deleted',
  'audit.action.form_link.updated',
  'audit.action.member.added',
  'audit.action.member.invitation_revoked',
  'audit.action.member.invited',
  'audit.action.member.removed',
  'audit.action.member.role_changed',
  'audit.action.notification.asked_again',
  'audit.action.notification.sent_again',
  'audit.action.plan.created',
  'audit.action.plan.updated',
  'audit.action.session.ended',
  'audit.action.session.opened',
  'audit.action.submission.deleted',
  'audit.action.submission.forwarded',
  'audit.action.submission.state_changed',
  'audit.action.team.created',
  'audit.action.team.updated',
  'audit.action.token.all_revoked',
  'audit.action.token.created',
  'audit.action.token.revoked',
  'audit.action.user.created',
  'audit.action.user.email_change_requested',
  'audit.action.user.email_changed',
  'audit.action.user.invitation_accepted',
  'audit.action.user.invitation_declined',
  'audit.action.user.password_changed',
  'audit.action.user.password_reset',
  'audit.action.user.password_reset_requested',
  'audit.action.user.updated',
  'audit.action.website.created',
  'audit.action.website.deleted',
  'audit.action.website.probed',
  'audit.action.website.signature_key_regenerated',
  'audit.action.website.updated',
];

/** Says what an action is; one of a later version is named as the gateway has it. */
export function actionWords(action: string, t: ReturnType<typeof useText>): string {
  const text = ACTION_TEXTS.find((one) => one === `audit.action.${action}`);
  return text ? t(text) : action;
}

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

import type { TextId } from '../../texts/text-id.js';
import type { Translate } from './audit-words.js';

/** The settings of websites, accounts, teams and webhooks that a change names. */
const PROPERTIES = [
  'audit.property.active',
  'audit.property.address',
  'audit.property.city',
  'audit.property.company',
  'audit.property.country',
  'audit.property.departments',
  'audit.property.description',
  'audit.property.disabled',
  'audit.property.email',
  'audit.property.events',
  'audit.property.filter',
  'audit.property.formIds',
  'audit.property.host',
  'audit.property.keptDays',
  'audit.property.language',
  'audit.property.locale',
  'audit.property.logo',
  'audit.property.monthlyReport',
  'audit.property.name',
  'audit.property.phone',
  'audit.property.planId',
  'audit.property.reason',
  'audit.property.retentionMonths',
  'audit.property.staff',
  'audit.property.state',
  'audit.property.theme',
  'audit.property.threshold',
  'audit.property.timeZone',
  'audit.property.url',
  'audit.property.websiteIds',
  'audit.property.zipcode',
] as const satisfies readonly TextId[];

/** Puts the name of a setting into words; one of a later version is shown as it is recorded. */
function propertyWords(name: string, t: Translate): string {
  const known = PROPERTIES.find((id) => id === `audit.property.${name}`);
  return known ? t(known) : name;
}

/** The settings of a plan. */
const PLAN_SETTINGS = {
  name: 'plans.name',
  notificationsPerMonth: 'plans.perMonth',
  submissionsPerMinute: 'plans.perMinute',
  submissionsPerHour: 'plans.perHour',
} as const satisfies Record<string, TextId>;

/** Words that events record for what has a name in the panel. */
const WORDS: Readonly<Record<string, TextId>> = {
  owner: 'audit.value.owner',
  admin: 'audit.value.admin',
  member: 'audit.value.member',
  new: 'state.new',
  in_progress: 'state.in_progress',
  done: 'state.done',
  archived: 'state.archived',
  spam: 'state.spam',
  active: 'audit.value.enabled',
  paused: 'audit.value.disabled',
  failing: 'audit.value.disabled',
  gone: 'audit.value.disabled',
  'submission.created': 'audit.event.submissionCreated',
  'submission.state_changed': 'audit.event.submissionStateChanged',
  'submission.deleted': 'audit.event.submissionDeleted',
  'notification.failed': 'audit.event.notificationFailed',
  'form.changed': 'audit.event.formChanged',
  off: 'audit.value.spamOff',
  mark: 'audit.value.spamMark',
  quarantine: 'audit.value.spamQuarantine',
  blocked_sender: 'audit.value.blockedSender',
  blocked_domain: 'audit.value.blockedDomain',
  blocked_word: 'audit.value.blockedWord',
  trusted_sender: 'audit.value.trustedSender',
  CAPTCHA_FAILING: 'health.kind.CAPTCHA_FAILING',
  CAPTCHA_MISCONFIGURED: 'health.kind.CAPTCHA_MISCONFIGURED',
  CERTIFICATE_EXPIRING: 'health.kind.CERTIFICATE_EXPIRING',
  MAIL_FAILING: 'health.kind.MAIL_FAILING',
  MAIL_HELD: 'health.kind.MAIL_HELD',
  PAGE_WITHOUT_SCRIPT: 'health.kind.PAGE_WITHOUT_SCRIPT',
  PATTERN_NOT_ENFORCED: 'health.kind.PATTERN_NOT_ENFORCED',
  PROBE_FAILED: 'health.kind.PROBE_FAILED',
  QUOTA_NEAR: 'health.kind.QUOTA_NEAR',
  QUOTA_REACHED: 'health.kind.QUOTA_REACHED',
  RECIPIENT_BOUNCING: 'health.kind.RECIPIENT_BOUNCING',
  SENDER_DNS: 'health.kind.SENDER_DNS',
  SILENT_WEBSITE: 'health.kind.SILENT_WEBSITE',
  TRANSLATIONS_MISSING: 'health.kind.TRANSLATIONS_MISSING',
  UNCHECKED: 'health.kind.UNCHECKED',
  WEBHOOK_FAILING: 'health.kind.WEBHOOK_FAILING',
};

type Detail = Readonly<Record<string, unknown>>;

/** What puts values into words. */
type Words = Readonly<{ t: Translate; languageName(code: string): string }>;

const ARROW = ' → ';

/** Puts a recorded value into words; one of a later version is shown as it is recorded. */
function valueWords(value: unknown, t: Translate, ofNull: TextId): string {
  if (value === null || value === undefined || value === '') return t(ofNull);
  if (Array.isArray(value)) return value.map((one) => valueWords(one, t, ofNull)).join(', ') || t(ofNull);
  if (typeof value === 'boolean') return t(value ? 'audit.value.yes' : 'audit.value.no');
  const word = typeof value === 'string' && Object.hasOwn(WORDS, value) ? WORDS[value] : undefined;
  return word ? t(word) : String(value);
}

/** Puts the settings of a plan into words, where each was and is what it is now. */
function planSettings(values: Detail, before: Detail | null, t: Translate): string[] {
  return Object.entries(PLAN_SETTINGS)
    .filter(([key]) => key in values)
    .map(([key, id]) => {
      const change = [...(before ? [before[key]] : []), values[key]];
      const value = change.map((one) => valueWords(one, t, 'plans.unlimited')).join(ARROW);
      return t('labelled', { label: t(id), value });
    });
}

/** What a setting without a value means; none where it is not named. */
const UNSET: Readonly<Record<string, TextId>> = {
  retentionMonths: 'audit.value.forEver',
  websiteIds: 'audit.value.all',
  formIds: 'audit.value.all',
};

/** Settings whose values people have written, which are no words of the gateway. */
const WRITTEN = ['name', 'description', 'company', 'address', 'zipcode', 'city', 'websiteIds', 'formIds'];

/** Puts the value of a setting into words. */
function settingValue(key: string, value: unknown, { t, languageName }: Words): string {
  const text = [value].flat().map(String).join(', ');
  const isEmpty = value === null || value === undefined || text === '';
  if (!isEmpty && WRITTEN.includes(key)) return text;
  if (!isEmpty && key === 'locale') return languageName(text);
  return valueWords(value, t, UNSET[key] ?? 'audit.value.none');
}

/** Puts a changed setting into words: from what to what, as far as that is recorded. */
function settingWords(key: string, { before, changed, plan }: Detail, words: Words): string {
  const { t } = words;
  const value = (changed as Detail)[key];
  if (key === 'active') return t(value ? 'audit.value.resumed' : 'audit.value.suspended');
  const label = propertyWords(key, t);
  const { from, to } = (plan ?? {}) as Detail;
  if (key === 'planId') return plan ? t('labelled', { label, value: `${from}${ARROW}${to}` }) : label;
  const change = [...(before ? [(before as Detail)[key]] : []), value].map((one) =>
    settingValue(key, one, words),
  );
  // It differs in what is not recorded of it: the end of a long text, or the path of an address.
  if (change.length === 2 && change[0] === change[1]) return label;
  return t('labelled', { label, value: change.join(ARROW) });
}

/** Puts what has changed into words; an event of an older version has the names of the settings alone. */
function changedSettings(detail: Detail, words: Words): string[] {
  const { t } = words;
  const { changed, before, code } = detail;
  if (Array.isArray(changed))
    return changed
      .filter((name) => name !== 'staff' || !('staff' in detail))
      .map((name) => propertyWords(String(name), t));
  if (code !== undefined) return planSettings(changed as Detail, (before ?? null) as Detail | null, t);
  return Object.keys(changed as Detail).map((key) => settingWords(key, detail, words));
}

/** Puts a change from one value to another into words: a role, a state, or months for which leads are kept. */
function fromTo({ from, to }: Detail, t: Translate): string {
  const isPeriod = [from, to].some((value) => typeof value === 'number');
  return [from, to]
    .filter((value) => isPeriod || typeof value === 'string')
    .map((value) => valueWords(value, t, 'audit.value.asTeam'))
    .join(ARROW);
}

/** Puts it into words whether an account is of the staff: that it became or was made so, or no longer is. */
function staffWords({ staff, changed }: Detail, t: Translate): string {
  if (!changed) return staff ? t('audit.value.isStaff') : '';
  return t(staff ? 'audit.value.becameStaff' : 'audit.value.noLongerStaff');
}

/** Settings that an event records by their new values alone. */
const NEW_VALUES = ['filter', 'threshold', 'keptDays'] as const;

/**
 * Puts details that say more into words: addresses, names, reasons, and what changed from what to what.
 *
 * @param said What the line says already: the name of the thing.
 * @param languageName Names a language by its code.
 */
export function auditDetail(
  detail: Detail,
  t: Translate,
  said: string | null = null,
  languageName: Words['languageName'] = (code) => code,
): string {
  const text = (key: string) => (typeof detail[key] === 'string' ? detail[key] : '');
  if ('notificationsPerMonth' in detail) return planSettings(detail, null, t).join(' · ');
  const { changed, kind, until, staff, required } = detail;
  const parts = [
    text('name'),
    text('email'),
    fromTo(detail, t),
    ...(changed ? changedSettings(detail, { t, languageName }) : []),
    typeof staff === 'boolean' ? staffWords(detail, t) : '',
    typeof required === 'boolean' ? valueWords(required, t, 'audit.value.no') : '',
    typeof kind === 'string' ? valueWords(kind, t, 'audit.value.no') : '',
    detail.spam === true ? t('state.spam') : '',
    // The only other reasons are codes of ended sessions and disabled webhooks.
    ...(typeof until === 'string'
      ? [t('audit.value.expectedUntil', { until: Date.parse(until) }), text('reason')]
      : []),
    ...NEW_VALUES.filter((key) => key in detail).map((key) => {
      const value = valueWords(detail[key], t, key === 'filter' ? 'audit.value.asTeam' : 'audit.value.never');
      return t('labelled', { label: propertyWords(key, t), value });
    }),
  ];
  return parts.filter((part) => part !== '' && part !== said).join(' · ');
}

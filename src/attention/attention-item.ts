import type { Db } from '../db/client.js';

/** What can need attention. A word stays the same for good: pages, `set_asides` and integrations name it. */
export const ATTENTION_KINDS = [
  'SILENT_WEBSITE',
  'PROBE_FAILED',
  'PAGE_WITHOUT_SCRIPT',
  'CERTIFICATE_EXPIRING',
  'MAIL_HELD',
  'MAIL_FAILING',
  'RECIPIENT_BOUNCING',
  'CAPTCHA_FAILING',
  'CAPTCHA_MISCONFIGURED',
  'QUOTA_NEAR',
  'QUOTA_REACHED',
  'TRANSLATIONS_MISSING',
  'PATTERN_NOT_ENFORCED',
  'WEBHOOK_FAILING',
  'SENDER_DNS',
  'UNCHECKED',
] as const;

export type AttentionKind = (typeof ATTENTION_KINDS)[number];

/** The most urgent first. */
export const SEVERITIES = ['URGENT', 'WARNING', 'NOTICE'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Where an item is mended: each stands for one button of the panel. */
export const ATTENTION_ACTIONS = [
  'RUN_PROBE',
  'OPEN_INSTALL',
  'OPEN_WEBSITE',
  'OPEN_SETTINGS',
  'OPEN_UNSENT',
  'OPEN_WAITING',
  'OPEN_RECIPIENTS',
  'OPEN_FORM_RECIPIENTS',
  'OPEN_CAPTCHA',
  'OPEN_HELD',
  'OPEN_PLAN',
  'OPEN_TRANSLATIONS',
  'OPEN_FIELDS',
  'OPEN_WEBHOOKS',
  'OPEN_GUIDE',
] as const;

export type AttentionAction = (typeof ATTENTION_ACTIONS)[number];

/** The figures and names that an item is worded from. */
export type Facts = Readonly<Record<string, string | number | null>>;

/** Something that needs attention. */
export type AttentionItem = Readonly<{
  kind: AttentionKind;
  severity: Severity;
  /** When it began. */
  since: Date;
  /** Null: it concerns the whole installation, and only staff see it. */
  teamId: number | null;
  websiteId: string | null;
  formId: number | null;
  /** Tells items apart that agree in all else, such as the address of a recipient; null: there is one. */
  subject: string | null;
  facts: Facts;
  action: AttentionAction;
}>;

/**
 * An item as a check finds it. One with `onlyWhere` is listed only while items of that kind about its website are set
 * aside, or only while they are not: the check finds one for each case, since it knows of no set-asides.
 */
export type FoundItem = AttentionItem &
  Readonly<{ onlyWhere?: Readonly<{ kind: AttentionKind; isSetAside: boolean }> }>;

/** The teams whose items are read: of some, or of all with those of the installation. */
export type AttentionScope = Readonly<{ teamIds: readonly number[] | null }>;

/** Reads the items of some kinds: one check. Disabled websites and suspended teams have none. */
export type AttentionSource = Readonly<{
  kinds: readonly AttentionKind[];
  /** It concerns the whole installation, and is not read for some teams. */
  ofInstallation?: boolean;
  read(db: Db, scope: AttentionScope & Readonly<{ now: Date }>): Promise<FoundItem[]>;
}>;

/** Identifies an item for as long as it lasts. */
export const itemKey = ({ kind, teamId, websiteId, formId, subject }: AttentionItem): string =>
  JSON.stringify([kind, teamId, websiteId, formId, subject]);

/** Returns the kind in the key of an item. */
export const kindOfKey = (key: string): AttentionKind => JSON.parse(key)[0];

/** The position of an item in the list: the most urgent first, of equal ones the latest, then by key. */
export const sortKey = (item: AttentionItem): readonly [number, number, string] => [
  SEVERITIES.indexOf(item.severity),
  -item.since.getTime(),
  itemKey(item),
];

/** Compares two positions in the list. */
export function comparePositions(
  one: readonly (string | number)[],
  other: readonly (string | number)[],
): number {
  for (let index = 0; index < one.length; index += 1) {
    if (one[index] !== other[index]) return one[index]! < other[index]! ? -1 : 1;
  }
  return 0;
}

/**
 * Tells whether an item is about each website of its team: the quota holds back e-mails about their leads, or no worker
 * gets them to the mail server.
 */
export const stopsMailOfTeam = ({
  kind,
  severity,
  websiteId,
}: Pick<AttentionItem, 'kind' | 'severity' | 'websiteId'>): boolean =>
  websiteId === null && severity === 'URGENT' && (kind === 'QUOTA_REACHED' || kind === 'MAIL_HELD');

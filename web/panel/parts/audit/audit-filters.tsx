import { useText } from '../../language.js';
import { Select } from '../fields/select.js';
import { AuditDayInputs } from './audit-day-inputs.js';
import type { AuditDays } from './audit-days.js';
import styles from './audit-filters.module.css';

/** What the audit trail can be narrowed to, by prefixes of its actions. */
const SUBJECTS = [
  'member.',
  'token.',
  'team.',
  'website.',
  'form.',
  'form_link.',
  'captcha_chain.',
  'submission.',
  'notification.',
  'legal_hold.',
  'address.',
  'retention.',
  'spam_rule.',
  'attention.',
  'webhook.',
  'export.',
] as const;

/** What the audit trail is narrowed to; days by the clock of the browser. */
export type AuditFilter = AuditDays &
  Readonly<{
    action?: string | undefined;
    by?: string | undefined;
  }>;

type Props = {
  value: AuditFilter;
  /** The accounts that may have acted. */
  people: readonly Readonly<{ id: string; name: string }>[];
  onChange(changes: AuditFilter): void;
};

/** Narrows the audit trail to what was done, by whom and in which days. */
export function AuditFilters({ value, people, onChange }: Props) {
  const t = useText();
  const subject = SUBJECTS.find((one) => one === value.action) ?? 'all';
  return (
    <div className={styles.filters}>
      <Select
        label={t('audit.what')}
        value={subject}
        onChange={(action) => onChange({ action: action === 'all' ? undefined : action })}
        options={[
          { value: 'all' as const, text: t('audit.everything') },
          ...SUBJECTS.map((one) => ({ value: one, text: t(`audit.subject.${one}`) })),
        ]}
      />
      <Select
        label={t('audit.who')}
        value={value.by ?? 'all'}
        onChange={(by) => onChange({ by: by === 'all' ? undefined : by })}
        options={[
          { value: 'all', text: t('audit.everyone') },
          ...people.map(({ id, name }) => ({ value: id, text: name })),
        ]}
      />
      <AuditDayInputs value={value} onChange={onChange} />
    </div>
  );
}

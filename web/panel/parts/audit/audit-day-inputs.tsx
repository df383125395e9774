import { useText } from '../../language.js';
import { DayInput } from '../fields/day-input.js';
import { type AuditDays, withDay } from './audit-days.js';

const ENDS = [
  { end: 'from', label: 'audit.since' },
  { end: 'to', label: 'audit.until' },
] as const;

type Props = { value: AuditDays; onChange(days: AuditDays): void };

/** Narrows the audit trail to the days from one to another. */
export function AuditDayInputs({ value, onChange }: Props) {
  const t = useText();
  return ENDS.map(({ end, label }) => (
    <DayInput
      key={end}
      label={t(label)}
      value={value[end] ?? ''}
      onChange={(day) => onChange(withDay(value, end, day || undefined))}
    />
  ));
}

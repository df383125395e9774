import { useNavigate } from '@tanstack/react-router';
import { useText } from '../../language.js';
import { DayInput } from '../fields/day-input.js';
import { Select } from '../fields/select.js';
import { type Days, daysOfMonth, MONTHS, PERIODS, type PeriodSearch, withEnd } from './period.js';
import styles from './statistics.module.css';

type Props = { search: PeriodSearch; days: Days; today: string };

/** Chooses the days of the statistics: a usual period, a calendar month, or from one day to another. */
export function PeriodPicker({ search: { period, from, to }, days, today }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const isGiven = !period && Boolean(from || to);
  const month = MONTHS.find((one) => {
    const { from: first, to: last } = daysOfMonth(one, today);
    return isGiven && first === days.from && last === days.to;
  });
  const isOwn = isGiven && !month;
  const show = (changes: PeriodSearch) =>
    void navigate({ to: '.', search: (search) => ({ ...search, ...changes }) });
  return (
    <div className={styles.period}>
      <Select
        label={t('filter.period')}
        value={isOwn ? 'own' : (month ?? period ?? 'month')}
        options={[...PERIODS, ...MONTHS, 'own' as const].map((value) => ({
          value,
          text: t(value === 'own' ? 'stats.ownDays' : `period.${value}`),
        }))}
        onChange={(value) => {
          if (value === 'own') show({ period: undefined, ...days });
          else if (value === 'thisMonth' || value === 'lastMonth') {
            show({ period: undefined, ...daysOfMonth(value, today) });
          } else show({ period: value, from: undefined, to: undefined });
        }}
      />
      {isGiven &&
        (['from', 'to'] as const).map((end) => (
          <DayInput
            key={end}
            label={t(`period.${end}`)}
            value={days[end]}
            isRequired
            onChange={(day) => show({ period: undefined, ...withEnd(days, end, day) })}
          />
        ))}
    </div>
  );
}

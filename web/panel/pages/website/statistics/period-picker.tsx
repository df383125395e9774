import { useNavigate } from '@tanstack/react-router';
import { useText } from '../../../language.js';
import field from '../../../parts/field.module.css';
import { Select } from '../../../parts/select.js';
import { PERIODS, type WebsiteSearch } from '../search.js';
import { addDays, type Days, MOST_DAYS } from './period.js';
import styles from './statistics.module.css';

type Props = { search: WebsiteSearch; days: Days };

/** Chooses the days of the statistics: a usual period, or from one day to another. */
export function PeriodPicker({ search: { period, from, to }, days }: Props) {
  const t = useText();
  const navigate = useNavigate();
  const isOwn = !period && Boolean(from || to);
  const show = (changes: Pick<WebsiteSearch, 'period' | 'from' | 'to'>) =>
    void navigate({ to: '.', search: (search) => ({ ...search, ...changes }), replace: true });
  const options = [...PERIODS, 'own' as const];
  return (
    <div className={styles.period}>
      <Select
        label={t('filter.period')}
        value={isOwn ? 'own' : (period ?? 'month')}
        options={options.map((value) => ({
          value,
          text: t(value === 'own' ? 'stats.ownDays' : `period.${value}`),
        }))}
        onChange={(value) =>
          show(
            value === 'own'
              ? { period: undefined, ...days }
              : { period: value, from: undefined, to: undefined },
          )
        }
      />
      {isOwn &&
        (['from', 'to'] as const).map((end) => (
          <label key={end} className={field.field}>
            <span className={field.label}>{t(`period.${end}`)}</span>
            <input
              type="date"
              className={field.input}
              value={days[end]}
              min={end === 'to' ? days.from : undefined}
              max={end === 'from' ? days.to : addDays(days.from, MOST_DAYS - 1)}
              onChange={({ target }) => {
                if (target.value) show({ period: undefined, ...days, [end]: target.value });
              }}
            />
          </label>
        ))}
    </div>
  );
}

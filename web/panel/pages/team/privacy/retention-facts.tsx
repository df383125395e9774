import { useText } from '../../../language.js';
import { Fact, Facts } from '../../../parts/layout/facts.js';
import type { Retention } from './queries.js';

/** The periods of a team and of the forms that have one of their own. */
export function RetentionFacts({ retention }: { retention: Retention }) {
  const t = useText();
  const { retentionMonths, forms } = retention;
  const own = forms.filter((form) => form.retentionMonths !== null);
  return (
    <Facts>
      <Fact label={t('retention.ofTeam')}>
        {retentionMonths === null ? t('retention.forEver') : t('retention.count', { count: retentionMonths })}
      </Fact>
      {own.map(({ formId, name, retentionMonths: months }) => (
        <Fact key={formId} label={name}>
          {t('retention.count', { count: months! })}
        </Fact>
      ))}
    </Facts>
  );
}

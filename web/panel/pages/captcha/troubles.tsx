import { useQuery } from '@tanstack/react-query';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { AlertIcon } from '../../parts/icons/alert-icon.js';
import { CheckIcon } from '../../parts/icons/icons.js';
import { incidentWords } from '../../parts/incidents/incident-runs.js';
import styles from '../captcha.module.css';
import { type Narrowed, type Trouble, troublesQuery } from './queries.js';
import type { Provider } from './search.js';
import { TroubleSince } from './trouble-since.js';

/** The providers that fail now: since when, how, on how many websites, and what to do about it. */
export function Troubles({ narrowed, provider }: { narrowed: Narrowed; provider: Provider | undefined }) {
  const t = useText();
  const troubles = useQuery(troublesQuery(narrowed));
  return (
    <Loaded query={troubles}>
      {(all) => {
        const found = all.filter(({ type }) => provider === undefined || type === provider);
        if (found.length > 0) {
          return (
            <ul className={styles.troubles} aria-label={t('console.now')}>
              {found.map((trouble) => (
                <TroubleItem key={`${trouble.type} ${trouble.reason}`} trouble={trouble} />
              ))}
            </ul>
          );
        }
        return (
          <p className={styles.well}>
            <CheckIcon />
            {t('console.well')}
          </p>
        );
      }}
    </Loaded>
  );
}

function TroubleItem({ trouble: { type, reason, since, lastAt, websites, count } }: { trouble: Trouble }) {
  const t = useText();
  const { formatDate } = useIntl();
  const { cause, advice } = incidentWords({ reason, count }, t(`step.type.${type}`));
  return (
    <li>
      <AlertIcon />
      <div>
        <p>
          <strong>{t(cause.id, cause.values)}</strong>
        </p>
        <p>
          <TroubleSince at={since} text="console.since" />
          {' · '}
          {t('console.last', { time: formatDate(lastAt, { timeStyle: 'short' }) })}
          {' · '}
          {t('filter.websites', { count: websites })}
        </p>
        <p className={styles.hint}>{t(advice.id, advice.values)}</p>
      </div>
    </li>
  );
}

import { useQuery } from '@tanstack/react-query';
import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { incidentWords } from '../../parts/incidents/incident-runs.js';
import { Badge } from '../../parts/layout/badge.js';
import { Table } from '../../parts/layout/table.js';
import { addDays } from '../../parts/statistics/period.js';
import { Moment } from '../../parts/time/moment.js';
import styles from '../captcha.module.css';
import { type Narrowed, type ProviderState, providersQuery, type Trouble, troublesQuery } from './queries.js';
import type { Provider } from './search.js';
import { TroubleSince } from './trouble-since.js';

type Props = { narrowed: Narrowed; provider: Provider | undefined; today: string };

/** Each provider that chains ask: whether it answers or since when it fails, and its last incident. */
export function Providers({ narrowed, provider, today }: Props) {
  const t = useText();
  const providers = useQuery(providersQuery(narrowed));
  const { data: troubles, error } = useQuery(troublesQuery(narrowed));
  const { formatNumber } = useIntl();
  return (
    <Loaded query={providers}>
      {(all) => {
        const shown = all.filter(({ type }) => provider === undefined || type === provider);
        if (shown.length === 0) return <p>{t('console.noProvider')}</p>;
        return (
          <Table
            label={t('console.providers')}
            headings={[
              t('console.provider'),
              t('console.state'),
              t('console.websites'),
              t('console.lastIncident'),
            ]}
          >
            {shown.map((one) => (
              <tr key={one.type}>
                <th scope="row">{t(`step.type.${one.type}`)}</th>
                <td>
                  {troubles ? (
                    <State
                      provider={one}
                      troubles={troubles.filter(({ type }) => type === one.type)}
                      today={today}
                    />
                  ) : error ? (
                    t('console.unknown')
                  ) : (
                    <Skeleton lines={1} />
                  )}
                </td>
                <td>{formatNumber(one.websites)}</td>
                <td>
                  <LastIncident provider={one} />
                </td>
              </tr>
            ))}
          </Table>
        );
      }}
    </Loaded>
  );
}

type StateProps = { provider: ProviderState; troubles: readonly Trouble[]; today: string };

function State({ provider: { lastAnsweredOn }, troubles, today }: StateProps) {
  const t = useText();
  const { formatDate } = useIntl();
  // The longest comes first.
  const [trouble] = troubles;
  if (trouble) {
    return (
      <>
        <Badge tone="danger">{t('console.failing')}</Badge>{' '}
        <TroubleSince at={trouble.since} text="console.failingSince" />
      </>
    );
  }
  if (lastAnsweredOn === null) return t('console.notAsked');
  if (lastAnsweredOn >= addDays(today, -1)) return <Badge tone="good">{t('console.answering')}</Badge>;
  return t('console.lastAnswered', {
    day: formatDate(lastAnsweredOn, { dateStyle: 'medium', timeZone: 'UTC' }),
  });
}

function LastIncident({ provider: { type, lastIncidentAt, lastReason } }: { provider: ProviderState }) {
  const t = useText();
  if (lastIncidentAt === null) return t('console.noIncident');
  const { cause } = incidentWords({ reason: lastReason ?? '', count: 1 }, t(`step.type.${type}`));
  return (
    <>
      <Moment at={lastIncidentAt} />
      <span className={styles.cause}>{t(cause.id, cause.values)}</span>
    </>
  );
}

import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Sparkline } from '../../parts/charts/sparkline.js';
import type { Today } from '../../today.js';
import styles from './today-panel.module.css';

/** How the day goes: leads against what is usual, e-mails, quotas. */
export function TodayPanel({ today }: { today: Today }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const { leads, usualLeads, leadsPerDay, emails, quotas } = today;
  return (
    <div className={styles.panel}>
      <section aria-labelledby="today-leads">
        <h2 id="today-leads">{t('today.title')}</h2>
        <p className={styles.figure}>
          <strong>{t('today.leads', { count: leads })}</strong>
          {usualLeads !== null && (
            <span className={styles.usual}>{t('today.usual', { count: usualLeads })}</span>
          )}
        </p>
        <Sparkline
          label={t('today.curve', { days: leadsPerDay.map((count) => formatNumber(count)).join(' ') })}
          counts={leadsPerDay}
        />
      </section>
      <section aria-labelledby="today-emails">
        <h2 id="today-emails">{t('today.emails')}</h2>
        <p>
          {t('today.sent', { count: emails.sent })} · {t('today.pending', { count: emails.pending })}
          {emails.unsent > 0 && <> · {t('today.unsent', { count: emails.unsent })}</>}
        </p>
      </section>
      {quotas.length > 0 && (
        <section aria-labelledby="today-quota">
          <h2 id="today-quota">{t('today.quota')}</h2>
          <ul className={styles.quotas}>
            {quotas.map(({ teamId, teamName, used, limit }) => (
              <li key={teamId}>
                <span className={styles.team} dir="auto">
                  {teamName}
                </span>
                <progress
                  value={Math.min(used, limit)}
                  max={limit}
                  aria-label={t('today.quotaOf', { team: teamName })}
                />
                <span className={styles.used}>
                  {t('today.used', { used: formatNumber(used), limit: formatNumber(limit) })}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

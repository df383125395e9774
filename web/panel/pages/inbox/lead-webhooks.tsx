import { useText } from '../../language.js';
import { Badge } from '../../parts/badge.js';
import { Moment } from '../../parts/moment.js';
import styles from './lead-email.module.css';
import type { Lead } from './lead-queries.js';
import { Part } from './part.js';

const TONES = { delivered: 'good', pending: 'neutral', failed: 'danger' } as const;

/** Which webhooks were told of a lead, folded away; nothing where none was. */
export function LeadWebhooks({ lead: { toldWebhooks, website } }: { lead: Lead }) {
  const t = useText();
  if (toldWebhooks.length === 0) return null;
  return (
    <Part title={t('lead.webhooks')}>
      <details className={styles.attempts}>
        <summary>{t('lead.messages', { count: toldWebhooks.length })}</summary>
        <ol>
          {toldWebhooks.map(({ id, type, host, state, status, attemptedAt, createdAt }) => (
            <li key={id}>
              <Moment at={attemptedAt ?? createdAt} timeZone={website.timeZone} />{' '}
              <bdi>{host ?? t('lead.webhookGone')}</bdi> <code>{type}</code>{' '}
              <Badge tone={TONES[state]}>
                {t(`lead.told.${state}`)}
                {status !== null && ` · ${status}`}
              </Badge>
            </li>
          ))}
        </ol>
      </details>
    </Part>
  );
}

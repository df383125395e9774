import { useText } from '../../../language.js';
import { ToldWebhook } from '../../../parts/webhook/told-webhook.js';
import { Part } from '../part.js';
import styles from './lead-email.module.css';
import type { Lead } from './lead-queries.js';

/** Which webhooks were told of a lead, folded away; nothing where none was. */
export function LeadWebhooks({ lead: { toldWebhooks, website } }: { lead: Lead }) {
  const t = useText();
  if (toldWebhooks.length === 0) return null;
  return (
    <Part title={t('lead.webhooks')}>
      <details className={styles.attempts}>
        <summary>{t('lead.messages', { count: toldWebhooks.length })}</summary>
        <ol>
          {toldWebhooks.map((told) => (
            <li key={told.id}>
              <ToldWebhook told={told} timeZone={website.timeZone} />
            </li>
          ))}
        </ol>
      </details>
    </Part>
  );
}

import { useText } from '../../language.js';
import { Moment } from '../../parts/moment.js';
import type { Lead } from './lead-queries.js';
import styles from './lead-view.module.css';
import { Part } from './part.js';

/** When the lead came and who gave it which state, the latest first. */
export function LeadHistory({ lead }: { lead: Lead }) {
  const t = useText();
  const { createdAt, stateHistory, website } = lead;
  return (
    <Part title={t('history.title')}>
      <ol className={styles.history}>
        {stateHistory.toReversed().map(({ changedAt, changedByName, channel, from, to }) => (
          <li key={`${changedAt} ${to}`}>
            <Moment at={changedAt} timeZone={website.timeZone} />
            <span>
              {t('history.change', {
                name:
                  changedByName ?? t(channel === 'system' ? 'history.spamFilter' : 'history.deletedAccount'),
                from: t(`state.${from}`),
                to: t(`state.${to}`),
              })}
            </span>
          </li>
        ))}
        <li>
          <Moment at={createdAt} timeZone={website.timeZone} />
          <span>{t('history.recorded')}</span>
        </li>
      </ol>
    </Part>
  );
}

import { useText } from '../../../language.js';
import { Moment } from '../../../parts/time/moment.js';
import { Part } from '../part.js';
import type { Lead } from './lead-queries.js';
import styles from './lead-view.module.css';

/** When the lead came and who gave it which state or a legal hold, the latest first. */
export function LeadHistory({ lead }: { lead: Lead }) {
  const t = useText();
  const { createdAt, stateHistory, legalHoldHistory, website } = lead;
  const changes = [...stateHistory, ...legalHoldHistory]
    .reverse()
    .sort((one, other) => other.changedAt.localeCompare(one.changedAt));
  const wordsOf = (change: (typeof changes)[number]): string => {
    if (!('to' in change)) {
      return t('history.hold', {
        name: change.changedByName ?? t('history.deletedAccount'),
        step: change.step,
      });
    }
    const { changedByName, channel, from, to } = change;
    return t('history.change', {
      name: changedByName ?? t(channel === 'system' ? 'history.spamFilter' : 'history.deletedAccount'),
      from: t(`state.${from}`),
      to: t(`state.${to}`),
    });
  };
  return (
    <Part title={t('history.title')}>
      <ol className={styles.history}>
        {changes.map((change) => (
          <li key={`${change.changedAt} ${'to' in change ? change.to : change.step}`}>
            <Moment at={change.changedAt} timeZone={website.timeZone} />
            <span>{wordsOf(change)}</span>
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

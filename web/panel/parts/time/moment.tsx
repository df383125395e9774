import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import styles from './moment.module.css';

type Props = {
  /** The instant, in ISO 8601. */
  at: string;
  /** IANA zone of the website that it is about; the viewer's time is then shown beside it where it differs. */
  timeZone?: string;
  /** Whether the zone is named behind the time, as in a document. */
  isZoneNamed?: boolean;
};

/** An instant in the zone that it is about: day and time. Its title has seconds and zone. */
export function Moment({ at, timeZone, isZoneNamed }: Props) {
  const t = useText();
  const { formatDate } = useIntl();
  const shown = formatDate(at, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  const here = formatDate(at, { dateStyle: 'medium', timeStyle: 'short' });
  const isOtherDay =
    formatDate(at, { dateStyle: 'short', timeZone }) !== formatDate(at, { dateStyle: 'short' });
  const title = formatDate(at, { dateStyle: 'full', timeStyle: 'long', timeZone });
  return (
    <time dateTime={at} title={title}>
      {shown}
      {isZoneNamed && ` ${timeZone}`}
      {here !== shown && (
        <span className={styles.here}>
          {' '}
          {t('moment.here', { moment: isOtherDay ? here : formatDate(at, { timeStyle: 'short' }) })}
        </span>
      )}
    </time>
  );
}

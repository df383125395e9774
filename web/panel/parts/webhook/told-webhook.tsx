import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Badge } from '../layout/badge.js';
import { Moment } from '../time/moment.js';
import { DELIVERY_TONES, eventTextOf } from './webhook-event.js';

type Props = {
  told: Readonly<{
    type: string;
    /** Null: the webhook is deleted. */
    host: string | null;
    state: keyof typeof DELIVERY_TONES;
    status: number | null;
    attemptedAt: string | null;
    createdAt: string;
  }>;
  timeZone: string;
};

/** Which webhook was told of a lead, of what, how it answered and when. */
export function ToldWebhook({
  told: { type, host, state, status, attemptedAt, createdAt },
  timeZone,
}: Props) {
  const t = useText();
  const { formatMessage } = useIntl();
  const text = eventTextOf(type);
  return (
    <>
      {formatMessage(
        { id: 'labelled' },
        {
          label: <bdi key="host">{host ?? t('webhookEvent.gone')}</bdi>,
          value: (
            <span key="event" title={type}>
              {text ? t(text) : type}
            </span>
          ),
        },
      )}{' '}
      <Badge tone={DELIVERY_TONES[state]}>
        {t(`webhookEvent.state.${state}`)}
        {status !== null && ` · ${status}`}
      </Badge>{' '}
      <Moment at={attemptedAt ?? createdAt} timeZone={timeZone} />
    </>
  );
}

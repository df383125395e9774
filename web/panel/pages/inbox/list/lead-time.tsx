import { type IntlShape, useIntl } from 'react-intl';
import { useClock } from '../../../parts/time/clock.js';

/** Names the month of an instant, as quotas count it. */
export const monthName = (formatDate: IntlShape['formatDate'], at: string): string =>
  formatDate(at, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** When a lead came, as short as it can be understood: the time today, else the day. In the zone of the viewer. */
export function LeadTime({ at }: { at: string }) {
  const { formatDate } = useIntl();
  const came = new Date(at);
  const today = useClock(() => new Date().toDateString());
  const shown =
    came.toDateString() === today
      ? formatDate(came, { timeStyle: 'short' })
      : formatDate(came, {
          day: 'numeric',
          month: 'short',
          ...(came.getFullYear() !== new Date(today).getFullYear() && { year: '2-digit' }),
        });
  return (
    <time dateTime={at} title={formatDate(at, { dateStyle: 'full', timeStyle: 'long' })}>
      {shown}
    </time>
  );
}

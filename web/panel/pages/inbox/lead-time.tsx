import { type IntlShape, useIntl } from 'react-intl';

/** Names the month of an instant, as quotas count it. */
export const monthName = (formatDate: IntlShape['formatDate'], at: string): string =>
  formatDate(at, { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** When a lead came, as short as it can be understood: the time today, else the day. In the zone of the viewer. */
export function LeadTime({ at }: { at: string }) {
  const { formatDate } = useIntl();
  const dayOf = (date: string | Date) => formatDate(date, { dateStyle: 'short' });
  const yearOf = (date: string | Date) => formatDate(date, { year: 'numeric' });
  const now = new Date();
  const shown =
    dayOf(at) === dayOf(now)
      ? formatDate(at, { timeStyle: 'short' })
      : formatDate(at, {
          day: 'numeric',
          month: 'short',
          ...(yearOf(at) !== yearOf(now) && { year: '2-digit' }),
        });
  return (
    <time dateTime={at} title={formatDate(at, { dateStyle: 'full', timeStyle: 'long' })}>
      {shown}
    </time>
  );
}

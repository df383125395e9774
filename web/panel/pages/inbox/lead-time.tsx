import { useIntl } from 'react-intl';

/** When a lead came, as short as it can be understood: the time today, else the day. In the zone of its website. */
export function LeadTime({ at, timeZone }: { at: string; timeZone: string }) {
  const { formatDate } = useIntl();
  const dayOf = (date: string | Date) => formatDate(date, { dateStyle: 'short', timeZone });
  const yearOf = (date: string | Date) => formatDate(date, { year: 'numeric', timeZone });
  const now = new Date();
  const shown =
    dayOf(at) === dayOf(now)
      ? formatDate(at, { timeStyle: 'short', timeZone })
      : formatDate(at, {
          day: 'numeric',
          month: 'short',
          timeZone,
          ...(yearOf(at) !== yearOf(now) && { year: '2-digit' }),
        });
  return (
    <time dateTime={at} title={formatDate(at, { dateStyle: 'full', timeStyle: 'long', timeZone })}>
      {shown}
    </time>
  );
}

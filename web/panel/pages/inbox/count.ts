import { useIntl } from 'react-intl';
import { useText } from '../../language.js';

/** How many leads there are: exactly, or at least so many. */
export type Count = Readonly<{ count: number; isExact: boolean }>;

/** Formats a count; one that is a lower bound says so. */
export function useCountText() {
  const { formatNumber } = useIntl();
  const t = useText();
  return ({ count, isExact }: Count): string =>
    isExact ? formatNumber(count) : t('count.moreThan', { count: formatNumber(count) });
}

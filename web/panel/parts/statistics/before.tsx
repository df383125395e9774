import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import styles from './statistics.module.css';

type Props = {
  now: number;
  /** Null: it is not known. */
  before: number | null;
};

/** A count of the days before, and by how much the present one differs. */
export function Before({ now, before }: Props) {
  const t = useText();
  const { formatNumber } = useIntl();
  if (before === null) return '–';
  const change =
    before === 0
      ? now > 0
        ? t('stats.new')
        : ''
      : formatNumber(now / before - 1, {
          style: 'percent',
          maximumFractionDigits: 0,
          signDisplay: 'exceptZero',
        });
  return (
    <>
      {formatNumber(before)} <span className={styles.change}>{change}</span>
    </>
  );
}

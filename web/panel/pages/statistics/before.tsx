import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import styles from '../statistics.module.css';

/** `Intl` signs numbers with a hyphen, which is too short beside its plus. */
const MINUS = '\u2212';

type Props = {
  now: number;
  /** Null: it is not known. */
  before: number | null;
};

/** A count of the days before, and by how much the present one differs. */
export function Before({ now, before }: Props) {
  const t = useText();
  const { formatNumber } = useIntl();
  const change =
    before === null || (before === 0 && now === 0)
      ? ''
      : before === 0
        ? t('stats.new')
        : formatNumber(now / before - 1, {
            style: 'percent',
            maximumFractionDigits: 0,
            signDisplay: 'exceptZero',
          }).replace('-', MINUS);
  return (
    <>
      {before === null ? '–' : formatNumber(before)} <span className={styles.change}>{change}</span>
    </>
  );
}

import { useIntl } from 'react-intl';
import { useText } from '../../language.js';
import { Sparkline } from '../charts/sparkline.js';
import { type Steps, wholeSteps } from './steps.js';

type Props = {
  /** What is counted. */
  what: string;
  counts: readonly number[];
  steps: Steps;
  /** The last day of the period. */
  to: string;
};

/** The course of a count over a period as a small curve, without weeks and months that the period cuts short. */
export function Course({ what, counts, steps, to }: Props) {
  const t = useText();
  const { formatNumber } = useIntl();
  const drawn = wholeSteps(counts, steps, to);
  const texts = drawn.map((count) => formatNumber(count)).join(' · ');
  return <Sparkline label={t('stats.course', { what, unit: steps.unit, counts: texts })} counts={drawn} />;
}

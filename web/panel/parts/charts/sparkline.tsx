import styles from './sparkline.module.css';

type Props = {
  /** Says what is counted, with the counts. */
  label: string;
  counts: readonly number[];
};

const WIDTH = 90;
const HEIGHT = 20;

/** Counts over time as a small curve, whose figures are its label. */
export function Sparkline({ label, counts }: Props) {
  const highest = Math.max(1, ...counts);
  const step = WIDTH / Math.max(1, counts.length - 1);
  const points = counts.map(
    (count, index) =>
      `${(index * step).toFixed(1)},${(HEIGHT - 1 - (count / highest) * (HEIGHT - 3)).toFixed(1)}`,
  );
  return (
    <svg
      className={styles.curve}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={label}
    >
      <polyline points={points.join(' ')} />
    </svg>
  );
}

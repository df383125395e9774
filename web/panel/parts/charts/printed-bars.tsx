import styles from './printed-bars.module.css';

const HEIGHT = 60;
const WIDTH_EACH = 10;

/** Counts by day as bars on paper, where a canvas would have the size and the colours of the screen. */
export function PrintedBars({ values }: { values: readonly number[] }) {
  const most = Math.max(1, ...values);
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${values.length * WIDTH_EACH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {values.map((value, index) => {
        const height = (value / most) * HEIGHT;
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its day.
            key={index}
            x={index * WIDTH_EACH + 1}
            y={HEIGHT - height}
            width={WIDTH_EACH - 2}
            height={height}
          />
        );
      })}
    </svg>
  );
}

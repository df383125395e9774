import { useEffect, useRef, useState } from 'react';
import { useIntl } from 'react-intl';
import Plot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useText } from '../../language.js';
import styles from './curve.module.css';

type Props = {
  /** What it shows, in a sentence. */
  label: string;
  /** As in `2026-11-21`, one after the other. */
  days: readonly string[];
  /** One for each day. */
  values: readonly number[];
};

const HEIGHT = 160;

/** How many pixels the date below needs. */
const DATE_WIDTH = 72;

/** Pixels right of the last day, below which half of its date stands. */
const PADDING_RIGHT = DATE_WIDTH / 2;

/** Counts changes of the colours, which a canvas does not follow by itself. */
function useColourChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const change = () => setChanges((count) => count + 1);
    const preference = matchMedia('(prefers-color-scheme: dark)');
    const chosen = new MutationObserver(change);
    preference.addEventListener('change', change);
    chosen.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      preference.removeEventListener('change', change);
      chosen.disconnect();
    };
  }, []);
  return changes;
}

/** A curve of a figure by day. Its page shows the figures as a table, too. */
export default function Curve({ label, days, values }: Props) {
  const t = useText();
  const { formatDate, formatNumber } = useIntl();
  const box = useRef<HTMLDivElement>(null);
  const colours = useRef<HTMLSpanElement>(null);
  const changes = useColourChanges();
  const [shown, setShown] = useState<number | null>(null);
  const short = (at: number) => formatDate(at * 1000, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const formats = useRef({ short, formatNumber });
  formats.current = { short, formatNumber };

  // biome-ignore lint/correctness/useExhaustiveDependencies: drawn anew for other figures or colours only
  useEffect(() => {
    const place = box.current!;
    // `light-dark()` is resolved in properties of an element alone.
    const { color, backgroundColor, borderTopColor, caretColor } = getComputedStyle(colours.current!);
    const axis = {
      stroke: caretColor,
      font: `12px ${getComputedStyle(place).fontFamily}`,
      grid: { stroke: borderTopColor, width: 1 },
      ticks: { show: false },
    };
    const plot = new Plot(
      {
        width: place.clientWidth,
        height: HEIGHT,
        padding: [12, PADDING_RIGHT, 0, 0],
        legend: { show: false },
        cursor: { y: false, drag: { setScale: false } },
        scales: { x: { time: false }, y: { range: (_plot, _least, most) => [0, Math.max(most * 1.1, 1)] } },
        series: [{}, { stroke: color, fill: backgroundColor, width: 1.5, points: { show: false } }],
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 28,
            incrs: [1, 2, 7, 14, 30, 60].map((count) => count * 86_400),
            space: DATE_WIDTH,
            values: (_plot, at) => at.map(formats.current.short),
          },
          {
            ...axis,
            size: 44,
            space: 28,
            incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000],
            values: (_plot, at) => at.map((value) => formats.current.formatNumber(value)),
          },
        ],
        hooks: { setCursor: [({ cursor }) => setShown(cursor.idx ?? null)] },
      },
      [days.map((day) => Date.parse(day) / 1000), [...values]],
      place,
    );
    const size = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT }));
    size.observe(place);
    return () => {
      size.disconnect();
      plot.destroy();
    };
  }, [days.join(), values.join(), changes]);

  const day = shown === null ? undefined : days[shown];
  return (
    <div className={styles.curve}>
      <span ref={colours} hidden className={styles.colours} />
      <p className={styles.shown} aria-hidden="true">
        {day &&
          t('labelled', { label: short(Date.parse(day) / 1000), value: formatNumber(values[shown!] ?? 0) })}
      </p>
      <div ref={box} role="img" aria-label={label} />
    </div>
  );
}

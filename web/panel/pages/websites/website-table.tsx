import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../../language.js';
import type { ListedWebsite } from './queries.js';
import type { Selection } from './selection.js';
import { WebsiteRow } from './website-row.js';
import styles from './website-table.module.css';

type Props = {
  websites: readonly ListedWebsite[];
  selection: Selection;
  hasTeam: boolean;
  /** Whether the gateway has more than these. */
  hasMore: boolean;
  isBusy: boolean;
  onMore(): void;
};

/** Rows that exist or do not exist together. */
const GROUP = 50;

/** Number of rows up to which all are always rendered. */
const ALWAYS_RENDERED = 200;

/** How far from the window a group of rows still exists. */
const MARGIN = '1200px';

/** Calls back when an element comes near the window or leaves it. */
function useNearness<E extends Element>(onChange: (isNear: boolean) => void) {
  const element = useRef<E>(null);
  const current = useRef(onChange);
  current.current = onChange;
  useEffect(() => {
    const observer = new IntersectionObserver((entries) => current.current(entries.at(-1)!.isIntersecting), {
      rootMargin: MARGIN,
    });
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, []);
  return element;
}

/** Rows that are replaced by a gap of their height while they are far from the window. */
function Group({ isLong, children }: { isLong: boolean; children: ReactNode }) {
  const [gap, setGap] = useState<number | null>(null);
  const body = useNearness<HTMLTableSectionElement>((isNear) => {
    setGap(isNear ? null : (body.current?.offsetHeight ?? null));
  });
  return (
    <tbody ref={body}>
      {isLong && gap !== null ? (
        <tr>
          <td className={styles.gap} style={{ height: gap }} />
        </tr>
      ) : (
        children
      )}
    </tbody>
  );
}

/** The list of websites, which reads on as it is scrolled. */
export function WebsiteTable({ websites, selection, hasTeam, hasMore, isBusy, onMore }: Props) {
  const t = useText();
  const [isNearEnd, setNearEnd] = useState(false);
  const end = useNearness<HTMLDivElement>(setNearEnd);
  useEffect(() => {
    if (isNearEnd && hasMore && !isBusy) onMore();
  }, [isNearEnd, hasMore, isBusy, onMore]);
  const columns = ['name', 'health', 'leads', 'language', 'captcha', 'team'] as const;
  const groups = Array.from({ length: Math.ceil(websites.length / GROUP) }, (_, group) => group * GROUP);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
    <section className={styles.scroll} aria-label={t('websites.title')} tabIndex={0}>
      <table
        className={styles.table}
        aria-label={t('websites.title')}
        aria-rowcount={hasMore ? -1 : websites.length + 1}
        aria-busy={isBusy}
      >
        <thead>
          <tr aria-rowindex={1}>
            <td className={styles.check} />
            {columns
              .filter((column) => column !== 'team' || hasTeam)
              .map((column, index) => (
                <th key={column} scope="col" className={index > 2 ? styles.minor : undefined}>
                  {t(`websites.column.${column}`)}
                </th>
              ))}
          </tr>
        </thead>
        {groups.map((from) => (
          <Group key={from} isLong={websites.length > ALWAYS_RENDERED}>
            {websites.slice(from, from + GROUP).map((website, offset) => (
              <WebsiteRow
                key={website.id}
                website={website}
                index={from + offset}
                isSelected={selection.has(website.id)}
                isSelectable={selection.isSelectable(website)}
                hasTeam={hasTeam}
                onSelect={selection.toggle}
              />
            ))}
          </Group>
        ))}
      </table>
      <div ref={end} />
    </section>
  );
}

import type { ReactNode } from 'react';
import { useIntl } from 'react-intl';
import { Table } from '../table.js';
import styles from './statistics.module.css';

type Row = Readonly<{
  id: string;
  name: ReactNode;
  /** What else is said of it, before its counts. */
  texts?: readonly string[];
  counts: readonly number[];
}>;

type Props = {
  title: string;
  /** Whether the title already stands above, as that of a section. */
  isUntitled?: boolean;
  /** Headings of the columns: what is counted, then each count. */
  headings: readonly string[];
  rows: readonly Row[];
  /** Said where nothing was counted. */
  none: string;
  /** What the table is narrowed or grouped by. */
  children?: ReactNode;
};

/** Counts by one thing, the most first. */
export function Breakdown({ title, isUntitled, headings, rows, none, children }: Props) {
  const { formatNumber } = useIntl();
  return (
    <section className={styles.breakdown}>
      {!isUntitled && <h2>{title}</h2>}
      {children}
      {rows.length === 0 ? (
        <p className={styles.hint}>{none}</p>
      ) : (
        <Table label={title} headings={headings} hasNumbers>
          {rows.map(({ id, name, texts = [], counts }) => (
            <tr key={id}>
              <th scope="row" className={styles.name}>
                {name}
              </th>
              {[...texts, ...counts.map((count) => formatNumber(count))].map((cell, column) => (
                <td key={headings[column + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}

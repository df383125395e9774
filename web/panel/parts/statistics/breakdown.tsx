import { Fragment, type ReactNode } from 'react';
import { useIntl } from 'react-intl';
import { classes } from '../classes.js';
import { Table } from '../layout/table.js';
import styles from './statistics.module.css';

type Row = Readonly<{
  id: string;
  name: ReactNode;
  /** What else is said of it, before its counts. */
  texts?: readonly string[];
  /** Its course over the period, before its counts. */
  course?: ReactNode;
  counts: readonly number[];
  /** What each count was in the days before, beside it. */
  before?: readonly ReactNode[];
}>;

type Props = {
  title: string;
  /** Whether the title already stands above, as that of a section. */
  isUntitled?: boolean;
  /** Headings of the columns: what is counted, its course, then each count and that of the days before. */
  headings: readonly string[];
  rows: readonly Row[];
  /** Said where nothing was counted. */
  none: string;
  /** Whether it takes the whole width, as one with long names and many columns does. */
  isWide?: boolean;
  /** Said below, as that there are more. */
  note?: string | undefined;
  /** What the table is narrowed or grouped by. */
  children?: ReactNode;
};

/** Counts by one thing, the most first. */
export function Breakdown({ title, isUntitled, headings, rows, none, isWide, note, children }: Props) {
  return (
    <section className={classes(styles.breakdown, isWide && styles.wide)}>
      {!isUntitled && <h2>{title}</h2>}
      {children}
      {rows.length === 0 ? (
        <p className={styles.hint}>{none}</p>
      ) : (
        <Table label={title} headings={headings} hasNumbers>
          {rows.map((row) => (
            <Cells key={row.id} row={row} headings={headings} />
          ))}
        </Table>
      )}
      {note && <p className={styles.hint}>{note}</p>}
    </section>
  );
}

function Cells({ row, headings }: { row: Row; headings: readonly string[] }) {
  const { formatNumber } = useIntl();
  const { name, texts = [], course, counts, before } = row;
  const first = 1 + texts.length + (course ? 1 : 0);
  return (
    <tr>
      <th scope="row" className={styles.name}>
        {course ? <span className={styles.long}>{name}</span> : name}
      </th>
      {texts.map((text, index) => (
        <td key={headings[1 + index]}>{text}</td>
      ))}
      {course && <td className={styles.course}>{course}</td>}
      {counts.map((count, index) => (
        <Fragment key={headings[first + index * (before ? 2 : 1)]}>
          <td>{formatNumber(count)}</td>
          {before && <td>{before[index]}</td>}
        </Fragment>
      ))}
    </tr>
  );
}

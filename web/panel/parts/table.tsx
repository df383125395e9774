import type { ReactNode } from 'react';
import { classes } from './classes.js';
import styles from './table.module.css';

type Props = {
  /** Says what the table lists. */
  label: string;
  /** The heading of each column; an empty one has buttons. */
  headings: readonly string[];
  /** Whether every column but the first has numbers. */
  hasNumbers?: boolean;
  /** The rows, `tr` with a `td` for each column. */
  children: ReactNode;
};

/** A table to be read. One that is wider than the page is scrolled by itself. */
export const Table = ({ label, headings, hasNumbers, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
  <section className={styles.scroll} aria-label={label} tabIndex={0}>
    <table className={classes(styles.table, hasNumbers && styles.numbers)}>
      <thead>
        <tr>{headings.map((heading) => (heading ? <th key={heading}>{heading}</th> : <td key="" />))}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

import type { CSSProperties, ReactNode } from 'react';
import { classes } from '../classes.js';
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

/** The headings as strings of the style sheet, which names with them the lines that a narrow window makes of a row. */
const namesOf = (headings: readonly string[]) =>
  Object.fromEntries(
    headings.flatMap((heading, index) =>
      heading ? [[`--heading-${index + 1}`, JSON.stringify(heading)]] : [],
    ),
  ) as CSSProperties;

/**
 * A table to be read. In a narrow window each row becomes a block of lines; numbers stay in their columns. One that is
 * wider than the page all the same is scrolled by itself.
 */
export const Table = ({ label, headings, hasNumbers, children }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard.
  <section className={styles.scroll} aria-label={label} tabIndex={0}>
    <table
      className={classes(styles.table, hasNumbers ? styles.numbers : styles.lines)}
      style={hasNumbers ? undefined : namesOf(headings)}
    >
      <thead>
        <tr>
          {headings.map((heading, index) => {
            // Two columns may have the same heading, as each count has that of the days before.
            const key = `${index} ${heading}`;
            return heading ? <th key={key}>{heading}</th> : <td key={key} />;
          })}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);

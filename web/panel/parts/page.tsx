import type { ReactNode } from 'react';
import styles from './page.module.css';

type Props = { title: string; actions?: ReactNode; children: ReactNode };

/** A page of the shell: its heading, what can be done with all of it, and its content. */
export const Page = ({ title, actions, children }: Props) => (
  <div className={styles.page}>
    <title>{`${title} · Formgate`}</title>
    <header className={styles.header}>
      <h1>{title}</h1>
      {actions}
    </header>
    {children}
  </div>
);

/** A part of a page under a heading of its own. */
export const Section = ({ title, actions, children }: Props) => (
  <section className={styles.section}>
    <header className={styles.header}>
      <h2>{title}</h2>
      {actions}
    </header>
    {children}
  </section>
);

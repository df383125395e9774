import type { ReactNode } from 'react';
import styles from './lead/lead-view.module.css';

/** A part of a lead under its heading. */
export const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className={styles.part}>
    <h3>{title}</h3>
    {children}
  </section>
);

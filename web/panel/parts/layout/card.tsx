import type { ReactNode } from 'react';
import styles from './card.module.css';

/** A page without a login: a narrow column under the name of the product. */
export const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className={styles.place} tabIndex={-1}>
    <title>{`${title} · Formgate`}</title>
    <div className={styles.card}>
      <p className={styles.brand}>Formgate</p>
      <h1>{title}</h1>
      {children}
    </div>
  </main>
);

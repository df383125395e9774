import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

/** Says that there is nothing, and what the next step is. */
export const EmptyState = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className={styles.empty}>
    <p className={styles.title}>{title}</p>
    {children}
  </div>
);

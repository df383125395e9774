import type { ReactNode } from 'react';
import styles from './outcome.module.css';

/** Holds what something has come to. It stands in the page before that does, so that screen readers say what comes. */
export const Outcome = ({ children }: { children: ReactNode }) => (
  <div role="status" className={styles.outcome}>
    {children}
  </div>
);

import type { ReactNode } from 'react';
import styles from './note.module.css';

/** A sentence that is to be noticed, which screen readers say at once. */
export const Note = ({ children }: { children: ReactNode }) => (
  <p role="status" className={styles.note}>
    {children}
  </p>
);

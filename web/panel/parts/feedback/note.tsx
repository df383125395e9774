import type { ReactNode } from 'react';
import styles from './note.module.css';

/** A sentence that is to be noticed. What comes later stands in an `Outcome`, or, as a refusal, in an alert. */
export const Note = ({ children }: { children: ReactNode }) => <p className={styles.note}>{children}</p>;

import type { ReactNode } from 'react';
import styles from './note.module.css';

/**
 * A sentence that is to be noticed. An outcome stands in a `role="status"` that is there before it, so that screen
 * readers say it; a refusal in an alert.
 */
export const Note = ({ children }: { children: ReactNode }) => <p className={styles.note}>{children}</p>;

import type { ReactNode } from 'react';
import styles from './badge.module.css';

type Props = { tone?: 'good' | 'neutral' | 'warning' | 'danger'; children: ReactNode };

/** A state in a word or two; its colour says no more than the word. */
export const Badge = ({ tone = 'neutral', children }: Props) => (
  <span className={styles.badge} data-tone={tone}>
    {children}
  </span>
);

import styles from './skeleton.module.css';

/** Stands where text is to come: lines of different lengths. */
export const Skeleton = ({ lines = 3 }: { lines?: number }) => (
  <div className={styles.skeleton} aria-hidden="true">
    {Array.from({ length: lines }, (_, line) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the lines are nothing but their number.
      <span key={line} />
    ))}
  </div>
);

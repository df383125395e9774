import styles from './statistics.module.css';

/** The address of a page: its host small and on one line, so that the path, by which pages differ, is read. */
export function PageName({ url }: { url: string }) {
  const [, host, path] = /^(?:https:\/\/)?((?:http:\/\/)?[^/?#]+)(.*)$/.exec(url) ?? [];
  if (!path) return url;
  return (
    <span title={url}>
      <span className={styles.host}>{host}</span>
      {path}
    </span>
  );
}

import encodeQR from 'qr';
import { useMemo } from 'react';
import styles from './second-factor.module.css';

/** Modules of white around the code, without which cameras do not find it. */
const MARGIN = 4;

/** A text as a QR code, dark on light whatever the colours of the page are. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [size, path] = useMemo(() => {
    const rows = encodeQR(text, 'raw', { ecc: 'medium', border: MARGIN });
    const dark = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return [rows.length, dark.join('')];
  }, [text]);
  return (
    <svg className={styles.code} viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={path} />
    </svg>
  );
}

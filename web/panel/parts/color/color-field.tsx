import { TextField } from '../fields/text-field.js';
import styles from './color-field.module.css';

type Props = {
  label: string;
  name: string;
  /** Any colour of CSS; empty: none of its own. */
  value: string;
  /** The same as `#rrggbb`, or what stands in its place while there is none. */
  swatch: string;
  /** Names the colour picker. */
  pickLabel: string;
  hint: string;
  onChange(value: string): void;
};

/** A colour of CSS as text, with the browser's own picker beside it. */
export const ColorField = ({ swatch, pickLabel, onChange, ...field }: Props) => (
  <div className={styles.color}>
    <input
      type="color"
      className={styles.swatch}
      aria-label={pickLabel}
      value={swatch}
      onChange={({ target }) => onChange(target.value)}
    />
    <TextField {...field} onChange={onChange} />
  </div>
);

import { Checkbox as AriaCheckbox, type CheckboxProps } from 'react-aria-components';
import { CheckIcon } from '../icons/icons.js';
import styles from './checkbox.module.css';

type Props = Omit<CheckboxProps, 'className' | 'children'> & { label: string };

/** A box to tick, with its label. */
export const Checkbox = ({ label, ...props }: Props) => (
  <AriaCheckbox {...props} className={styles.checkbox!}>
    {({ isSelected }) => (
      <>
        <span className={styles.box}>{isSelected && <CheckIcon />}</span>
        {label}
      </>
    )}
  </AriaCheckbox>
);

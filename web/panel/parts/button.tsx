import { Button as AriaButton, type ButtonProps } from 'react-aria-components';
import styles from './button.module.css';
import { classes } from './classes.js';

type Props = Omit<ButtonProps, 'className'> & {
  /** `primary`: what the page or dialog is for, once in each; `quiet`: among text; `danger`: destroys. */
  variant?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** For a button with an icon alone, which then needs an `aria-label`. */
  isSquare?: boolean;
};

/** A button. While `isPending` it keeps its place and the focus, and does nothing. */
export function Button({ variant = 'plain', isSquare, isPending, type, onPress, ...props }: Props) {
  return (
    <AriaButton
      {...props}
      // React Aria's own pending state announces itself by an image without a name.
      {...(isPending ? { type: 'button', 'aria-disabled': true } : { type, onPress })}
      className={classes(styles.button, styles[variant], isSquare && styles.square)}
    />
  );
}

import { type Ref, useState } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components';
import { classes } from '../classes.js';
import styles from './button.module.css';

type Props = Omit<ButtonProps, 'className'> & {
  ref?: Ref<HTMLButtonElement>;
  /** `primary`: what the page or dialog is for, once in each; `quiet`: among text; `danger`: destroys. */
  variant?: 'primary' | 'plain' | 'quiet' | 'danger';
  /** For a button with an icon alone, which then needs an `aria-label`. */
  isSquare?: boolean;
};

/**
 * A button. While it does nothing it keeps its place, and the focus if it has it: a browser takes it from a disabled
 * one.
 */
export function Button({
  variant = 'plain',
  isSquare,
  isPending,
  isDisabled,
  type,
  onPress,
  ...props
}: Props) {
  const [hasFocus, setFocus] = useState(false);
  const isIdle = isDisabled && hasFocus;
  return (
    <AriaButton
      {...props}
      onFocusChange={setFocus}
      data-idle={isIdle || undefined}
      // React Aria's own pending state announces itself by an image without a name.
      {...(isPending || isIdle ? { type: 'button', 'aria-disabled': true } : { type, onPress, isDisabled })}
      className={classes(styles.button, styles[variant], isSquare && styles.square)}
    />
  );
}

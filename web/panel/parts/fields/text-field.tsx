import { useContext, useEffect, useRef } from 'react';
import {
  TextField as AriaTextField,
  FieldError,
  Input,
  type InputProps,
  Label,
  Text,
  type TextFieldProps,
} from 'react-aria-components';
import { isLongerThan } from '../../../../src/lib/text/characters.js';
import { isEmailAddress } from '../../../../src/lib/text/email-address.js';
import { useText } from '../../language.js';
import { FormState } from '../form/form-state.js';
import styles from './field.module.css';

type Props = Omit<TextFieldProps, 'className' | 'children' | 'name' | 'value' | 'validate'> &
  Pick<InputProps, 'placeholder'> & {
    label: string;
    /** Under which a form has messages about it. */
    name: string;
    value: string;
    hint?: string;
    /** Returns what is wrong with a value that is not empty. */
    validate?(value: string): string | null;
  };

/**
 * A line of text with its label, a hint and, after an attempt to send it, what is wrong with it. That it is too long is
 * said at once: the browser is given no limit, since it would cut what is pasted without a word.
 */
export function TextField({
  label,
  hint,
  placeholder,
  validate,
  maxLength = Number.POSITIVE_INFINITY,
  ...props
}: Props) {
  const t = useText();
  const { name, value, isRequired, type } = props;
  const { isTried, messages } = useContext(FormState);
  const input = useRef<HTMLInputElement>(null);

  function findFault(): string | null {
    // Spaces alone are no text, but may be a password.
    if (isRequired && !(type === 'password' ? value : value.trim())) return t('field.missing');
    if (value === '') return null;
    if (type === 'email' && !isEmailAddress(value)) return t('field.email');
    return validate?.(value) ?? null;
  }

  const tooLong = isLongerThan(value, maxLength) ? t('field.tooLong', { a: maxLength }) : null;
  const fault = tooLong ?? findFault();
  // So the form finds it, as it would one of the browser's own.
  useEffect(() => input.current?.setCustomValidity(fault ?? ''), [fault]);
  const message = messages[name] ?? (isTried ? fault : tooLong);
  return (
    <AriaTextField
      {...props}
      className={styles.field!}
      validationBehavior="aria"
      isInvalid={Boolean(message)}
    >
      <Label className={styles.label}>{label}</Label>
      <Input ref={input} className={styles.input!} placeholder={placeholder} dir="auto" />
      {hint && (
        <Text slot="description" className={styles.hint!}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error!}>{message}</FieldError>
    </AriaTextField>
  );
}

/** A password that exists. */
export const PasswordField = (props: Omit<Props, 'type' | 'autoComplete'>) => (
  <TextField isRequired {...props} type="password" autoComplete="current-password" />
);

import { useContext } from 'react';
import {
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  FieldError,
  Label,
  Text,
  type TextFieldProps,
} from 'react-aria-components';
import styles from './field.module.css';
import { FormState } from './form-state.js';

type Props = Omit<TextFieldProps, 'className' | 'children'> & { label: string; hint?: string };

/** Several lines of text with their label; it grows with what is typed. */
export function TextArea({ label, hint, ...props }: Props) {
  const { messages } = useContext(FormState);
  const message = props.name === undefined ? undefined : messages[props.name];
  return (
    <AriaTextField
      {...props}
      className={styles.field!}
      validationBehavior="aria"
      isInvalid={Boolean(message)}
    >
      <Label className={styles.label}>{label}</Label>
      <AriaTextArea className={`${styles.input} ${styles.area}`} rows={2} dir="auto" />
      {hint && (
        <Text slot="description" className={styles.hint!}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error!}>{message}</FieldError>
    </AriaTextField>
  );
}

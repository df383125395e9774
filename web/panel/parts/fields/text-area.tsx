import { useContext, useEffect, useRef } from 'react';
import {
  TextArea as AriaTextArea,
  TextField as AriaTextField,
  FieldError,
  Label,
  Text,
  type TextFieldProps,
} from 'react-aria-components';
import { isLongerThan } from '../../../../src/lib/text/characters.js';
import { useText } from '../../language.js';
import { FormState } from '../form/form-state.js';
import styles from './field.module.css';

type Props = Omit<TextFieldProps, 'className' | 'children' | 'value'> & {
  label: string;
  value: string;
  hint?: string;
};

/** Several lines of text with their label; it grows with what is typed, and says at once when that is too long. */
export function TextArea({ label, hint, maxLength = Number.POSITIVE_INFINITY, ...props }: Props) {
  const t = useText();
  const { messages } = useContext(FormState);
  const area = useRef<HTMLTextAreaElement>(null);
  const fault = isLongerThan(props.value, maxLength) ? t('field.tooLong', { a: maxLength }) : null;
  // So the form finds it, as it would one of the browser's own.
  useEffect(() => area.current?.setCustomValidity(fault ?? ''), [fault]);
  const message = (props.name === undefined ? undefined : messages[props.name]) ?? fault;
  return (
    <AriaTextField
      {...props}
      className={styles.field!}
      validationBehavior="aria"
      isInvalid={Boolean(message)}
    >
      <Label className={styles.label}>{label}</Label>
      <AriaTextArea ref={area} className={`${styles.input} ${styles.area}`} rows={2} dir="auto" />
      {hint && (
        <Text slot="description" className={styles.hint!}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error!}>{message}</FieldError>
    </AriaTextField>
  );
}

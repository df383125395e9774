import { type ReactNode, useContext, useEffect, useState } from 'react';
import { TextField as AriaTextField, FieldError, Input, Label, Text } from 'react-aria-components';
import field from '../../../../parts/fields/field.module.css';
import { FormState } from '../../../../parts/form/form-state.js';
import type { Hold } from '../../use-draft.js';

type Props = {
  label: ReactNode;
  'aria-label'?: string;
  'aria-describedby'?: string | undefined;
  /** Under which the form has messages about it. */
  name: string;
  value: string;
  hint?: string;
  /** Returns what is wrong with a text, which then stays here. */
  fault(text: string): string | null;
  /** Called while a text is not taken over yet, so that it can be saved before the cursor leaves; returns its end. */
  hold: Hold;
  onCommit(text: string): void;
};

/** A text that others refer to: it is taken over when the cursor leaves it, and only when it is right. */
export function CommittedField({ label, name, value, hint, fault, hold, onCommit, ...props }: Props) {
  const { messages } = useContext(FormState);
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const isHeld = text !== value;
  useEffect(() => (isHeld ? hold() : undefined), [isHeld, hold]);
  const found = isHeld ? fault(text) : null;
  const message = found ?? (isHeld ? undefined : messages[name]);
  const commit = () => {
    if (isHeld && !found) onCommit(text);
  };
  return (
    <AriaTextField
      {...props}
      className={field.field!}
      name={name}
      value={text}
      onChange={setText}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        else if (event.key === 'Escape') setText(value);
        // The page has keys of its own, and an event of React Aria ends here unless told otherwise.
        else event.continuePropagation();
      }}
      validationBehavior="aria"
      isInvalid={Boolean(message)}
      autoComplete="off"
      spellCheck="false"
    >
      {label && <Label className={field.label}>{label}</Label>}
      <Input className={field.input!} />
      {hint && (
        <Text slot="description" className={field.hint!}>
          {hint}
        </Text>
      )}
      <FieldError className={field.error!}>{message}</FieldError>
    </AriaTextField>
  );
}

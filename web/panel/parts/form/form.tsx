import { type ReactNode, useEffect, useRef, useState } from 'react';
import { GatewayError } from '../../graphql.js';
import { ErrorBox } from '../feedback/error-box.js';
import styles from './form.module.css';
import { FormState } from './form-state.js';

type Props = {
  onSubmit(): void;
  /** Why the last submission failed. */
  error?: Error | null;
  /** Returns messages by the name of a field that the error is about; one about no field stands above them all. */
  fieldErrors?(error: GatewayError): Readonly<Record<string, string | false | undefined>>;
  children: ReactNode;
};

/**
 * Focuses a field at fault. One that has the focus already is not scrolled by that, and its message may be out of
 * sight.
 */
function focusInSight(field: HTMLElement | null): void {
  field?.focus();
  field?.scrollIntoView({ block: 'nearest' });
}

/**
 * A form: fields in a column, checked before they are sent. The first field at fault gets the focus; what is wrong with
 * a field is said from the first attempt on, and no longer once it is mended.
 */
export function Form({ onSubmit, error = null, fieldErrors, children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const [isTried, setTried] = useState(false);
  const [mended, setMended] = useState<Readonly<{ error: Error | null; names: readonly string[] }>>({
    error,
    names: [],
  });
  const names = mended.error === error ? mended.names : [];
  const refused = error instanceof GatewayError ? (fieldErrors?.(error) ?? {}) : {};
  const messages = Object.fromEntries(
    Object.entries(refused).filter(([name, text]) => text && !names.includes(name)),
  ) as Record<string, string>;
  const isAboutField = Object.values(refused).some(Boolean);

  // With each new error, not with each message that is mended.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as said.
  useEffect(() => {
    const [first] = Object.keys(messages);
    const field = first && form.current?.elements.namedItem(first);
    if (field instanceof HTMLElement) focusInSight(field);
    // The button that was pressed may be a screen below.
    else if (error && !isAboutField) form.current?.scrollIntoView({ block: 'start' });
  }, [error]);

  return (
    <form
      ref={form}
      className={styles.form}
      noValidate
      onInput={({ target }) => {
        if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) {
          setMended({ error, names: [...names, target.name] });
        }
      }}
      onSubmit={(event) => {
        event.preventDefault();
        const isRight = event.currentTarget.checkValidity();
        setTried(!isRight);
        if (isRight) onSubmit();
        else focusInSight(event.currentTarget.querySelector<HTMLElement>('input:invalid, textarea:invalid'));
      }}
    >
      {error && !isAboutField && <ErrorBox error={error} />}
      <FormState value={{ isTried, messages }}>{children}</FormState>
    </form>
  );
}

/** The buttons of a form that fills no dialog. */
export const FormActions = ({ children }: { children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);

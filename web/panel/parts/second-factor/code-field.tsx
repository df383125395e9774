import { useText } from '../../language.js';
import { TextField } from '../fields/text-field.js';

type Props = { value: string; onChange(value: string): void; hint?: string; inputMode?: 'numeric' };

/**
 * A code of the authenticator app, which telephones and password managers fill in. Where a recovery code is taken too,
 * the keyboard has letters.
 */
export function CodeField(props: Props) {
  const t = useText();
  return (
    <TextField
      {...props}
      name="code"
      label={t('login.code')}
      autoComplete="one-time-code"
      autoCorrect="off"
      spellCheck="false"
      isRequired
      autoFocus
      maxLength={40}
    />
  );
}

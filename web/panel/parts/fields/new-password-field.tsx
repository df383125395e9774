import type { ComponentProps } from 'react';
import { isLongerThan } from '../../../../src/lib/text/characters.js';
import { useText } from '../../language.js';
import { TextField } from './text-field.js';

type Props = Omit<ComponentProps<typeof TextField>, 'type' | 'autoComplete' | 'hint' | 'label' | 'validate'>;

const isLongEnough = (password: string) => isLongerThan(password, 11) && !isLongerThan(password, 200);

/** A field for a new password, with the rule that the gateway has for it. */
export function NewPasswordField(props: Props) {
  const t = useText();
  return (
    <TextField
      {...props}
      label={t('password.new')}
      type="password"
      autoComplete="new-password"
      isRequired
      hint={t('password.hint')}
      validate={(password) => (isLongEnough(password) ? null : t('password.fault'))}
    />
  );
}

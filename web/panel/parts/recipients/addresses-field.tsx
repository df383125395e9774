import { useState } from 'react';
import { useText } from '../../language.js';
import { TextArea } from '../fields/text-area.js';
import { FormState } from '../form/form-state.js';
import { addressesOf } from './addresses.js';

type Props = Readonly<{
  label: string;
  addresses: readonly string[];
  /** Messages by the position of an address; one about the list as a whole has an empty key. */
  faults: Readonly<Record<string, string>>;
  onChange(addresses: string[]): void;
}>;

const NAME = 'addresses';

/** A list of e-mail addresses, each on a line. */
export function AddressesField({ label, addresses, faults, onChange }: Props) {
  const t = useText();
  const [typed, setTyped] = useState('');
  const written = addresses.join('\n');
  // What is typed stays as it is while it says the same, so that a new line is not taken away.
  const isTyped = addressesOf(typed).join('\n') === written;
  const messages = Object.entries(faults).map(([position, message]) => {
    const address = addresses[Number(position)];
    return position !== '' && address ? t('addresses.fault', { address, message }) : message;
  });
  return (
    <FormState value={{ isTried: false, messages: { [NAME]: messages.join(' ') } }}>
      <TextArea
        label={label}
        name={NAME}
        hint={t('addresses.hint')}
        autoComplete="off"
        spellCheck="false"
        value={isTyped ? typed : written}
        onChange={(text) => {
          setTyped(text);
          onChange(addressesOf(text));
        }}
      />
    </FormState>
  );
}

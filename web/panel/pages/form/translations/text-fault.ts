import {
  maxLengthOf,
  type TextFault,
  type TextName,
} from '../../../../../src/forms/definition/form-texts.js';
import type { useText } from '../../../language.js';
import type { TextId } from '../../../texts/text-id.js';

const SENTENCES: Readonly<Record<TextFault, TextId>> = {
  too_long: 'field.tooLong',
  no_address: 'fault.address',
  not_storable: 'fault.character',
};

/** Says what is wrong with a text, in the words that the gateway's refusal has in the panel. */
export const sayTextFault = (t: ReturnType<typeof useText>, name: TextName, fault: TextFault): string =>
  t(SENTENCES[fault], { a: maxLengthOf(name) });

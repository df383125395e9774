import { useText } from '../language.js';
import type { TextId } from '../texts/text-id.js';

/** The gateway's messages by the path of what they are about. */
type Faults = Readonly<Record<string, readonly string[]>>;

/** The gateway's sentences, and the text that says the same in the viewer's language; groups fill in `a` and `b`. */
const SENTENCES: readonly (readonly [RegExp, TextId])[] = [
  [/^must not be empty$/, 'fault.empty'],
  [/^Too big: expected string to have <=(\d+) characters$/, 'fault.tooLong'],
  [/^Too big: expected array to have <=(\d+) items$/, 'fault.tooMany'],
  [/^must be at most (\d+) entries$/, 'fault.tooMany'],
  [/^holds a character that cannot be stored$/, 'fault.character'],
  [/^must be at least 1 entries$/, 'fault.recipients'],
  [/^must be an e-mail address$/, 'field.email'],
  [/^must be an http or https address$/, 'fault.address'],
  [/^must be one of (.*)$/, 'fault.oneOf'],
  [/^is the same as in entry \d+$/, 'fault.twice'],
  [/^must be letters, digits,/, 'fault.name.form'],
  [/^is reserved for what accompanies/, 'fault.name.reserved'],
  [/^is required for \w+$/, 'fault.options'],
  [/^is not for \w+$/, 'fault.noOptions'],
  [/^cannot be set here$/, 'fault.attribute'],
  [/^must be a whole number$/, 'fault.wholeNumber'],
  [/^must be the lower-case name/, 'fault.attributeName'],
  [/^is the source language/, 'fault.sourceLanguage'],
  [/^is not among the translations of the form$/, 'fault.strayLanguage'],
  [/^The form has no field "(.*)"\.$/, 'fault.noField'],
  [/^"\w+" compares numbers, dates and times only\.$/, 'fault.operator'],
  [/^"contains" does not apply/, 'fault.operator'],
  [/^"(.*)" is no (?:number|date|time)\.$/, 'fault.value'],
  [/^"(.*)" is not among the options of "(.*)"\.$/, 'fault.noOption'],
  [/^Display conditions run in a circle: (.*)\.$/, 'fault.circle'],
  [/^The conditions of a form compare/, 'fault.comparisons'],
  [/^Conditions may be nested (\d+) deep at most\.$/, 'fault.depth'],
  [/^Expected (\d+) rules at most\.$/, 'fault.rules'],
  [/^A value has (\d+) characters at most\.$/, 'fault.tooLong'],
];

/** Returns the function that says faults in the viewer's language; a sentence without a text stays as it is. */
export function useFaultWords(): (faults: Faults) => Record<string, string> {
  const t = useText();
  const say = (message: string): string => {
    for (const [sentence, id] of SENTENCES) {
      const found = sentence.exec(message);
      if (found) return t(id, { a: found[1] ?? '', b: found[2] ?? '' });
    }
    return message;
  };
  return (faults) =>
    Object.fromEntries(Object.entries(faults).map(([path, messages]) => [path, messages.map(say).join(' ')]));
}

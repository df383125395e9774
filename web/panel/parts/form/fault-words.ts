import { useText } from '../../language.js';
import { textOfFault } from './fault-sentences.js';

/** The gateway's messages by the path of what they are about. */
type Faults = Readonly<Record<string, readonly string[]>>;

/** Returns the function that says faults in the viewer's language; a sentence without a text stays as it is. */
export function useFaultWords(): (faults: Faults) => Record<string, string> {
  const t = useText();
  const say = (message: string): string => {
    const said = textOfFault(message);
    return said ? t(said.id, { a: said.a, b: said.b }) : message;
  };
  return (faults) =>
    Object.fromEntries(Object.entries(faults).map(([path, messages]) => [path, messages.map(say).join(' ')]));
}

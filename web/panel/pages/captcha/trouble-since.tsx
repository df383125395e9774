import { DAY_MS } from '../../../../src/lib/durations.js';
import { useText } from '../../language.js';
import { Moment } from '../../parts/time/moment.js';

/** The answer looks back over seven days, and takes what pauses for a quarter of an hour for one trouble. */
const LOOKED_BACK_MS = 7 * DAY_MS - 900_000;

type Props = Readonly<{
  /** When a trouble began, as far as the answer looks back. */
  at: string;
  /** What stands before the moment. */
  text: 'console.since' | 'console.failingSince';
}>;

/** Since when a provider fails, or that it was failing already where the answer begins. */
export function TroubleSince({ at, text }: Props) {
  const t = useText();
  if (Date.now() - Date.parse(at) > LOOKED_BACK_MS) return t(`${text}.long`);
  return (
    <>
      {t(text)} <Moment at={at} />
    </>
  );
}

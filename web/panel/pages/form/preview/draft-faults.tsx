import { FaultList } from '../../../form-preview/fault-list.js';
import { useFaultWords } from '../../../parts/form/fault-words.js';
import { type Faults, namedSteps } from '../faults.js';
import { usePlaceWords } from '../place-words.js';
import type { FormDraft } from '../queries.js';

/** Says why the draft cannot be shown, each fault with its place in the form. */
export function DraftFaults({ faults, draft }: { faults: Faults; draft: FormDraft }) {
  const placeWords = usePlaceWords(draft);
  const found = Object.entries(useFaultWords()(faults)).map(([path, words]) => ({
    path,
    words,
    place: placeWords(namedSteps(path, draft)),
  }));
  return <FaultList faults={found} />;
}

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formFieldsQuery } from '../../../form-fields.js';
import { FaultList } from '../../../form-preview/fault-list.js';
import { TriedForm } from '../../../form-preview/tried-form.js';
import { usePreview } from '../../../form-preview/use-preview.js';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { ErrorBox } from '../../../parts/feedback/error-box.js';
import { Loaded } from '../../../parts/feedback/loaded.js';
import { Skeleton } from '../../../parts/feedback/skeleton.js';
import { useFaultWords } from '../../../parts/form/fault-words.js';
import { useSettled } from '../../../parts/search/use-settled.js';
import type { Website } from '../queries.js';
import { inputOf, type PlacementDraft, placementFaults } from './draft.js';

type Props = Readonly<{
  website: Pick<Website, 'id' | 'locale'>;
  formId: string;
  draft: PlacementDraft;
}>;

/** A path to something of a rule, with the position of the rule. */
const OF_RULE = /^placement\.recipientRules\.(\d+)/;

/** The form as it would stand on the website with the edited settings, which can be submitted. */
export function PlacementTest({ website, formId, draft }: Props) {
  const t = useText();
  const faultWords = useFaultWords();
  const fields = useQuery(formFieldsQuery(formId));
  const settled = useSettled(draft);
  const previewed = { id: formId, input: null, websiteId: website.id, placement: inputOf(settled) };
  const { shown, faults, error, retry } = usePreview(previewed, website.locale);
  /** Counts the frames; another one has an empty form. */
  const [round, setRound] = useState(0);
  const ofRules = Object.entries(faults ?? {}).filter(([path]) => OF_RULE.test(path));
  const found = faults && {
    ...placementFaults({ fields: faults }, t),
    ...faultWords(Object.fromEntries(ofRules)),
  };
  return (
    <>
      <p>{t('placement.testText')}</p>
      {found && (
        <FaultList
          faults={Object.entries(found).map(([path, words]) => {
            const rule = OF_RULE.exec(path)?.[1];
            return { path, words, ...(rule && { place: t('rules.rule', { number: Number(rule) + 1 }) }) };
          })}
        />
      )}
      {error && <ErrorBox error={error} onRetry={retry} />}
      {shown ? (
        <Loaded query={fields}>{(read) => <TriedForm key={round} preview={shown} fields={read} />}</Loaded>
      ) : (
        !error && !faults && <Skeleton lines={8} />
      )}
      <div>
        <Button variant="quiet" onPress={() => setRound(round + 1)}>
          {t('preview.again')}
        </Button>
      </div>
    </>
  );
}

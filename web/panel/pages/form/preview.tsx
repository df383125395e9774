import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { TriedForm } from '../../form-preview/tried-form.js';
import { usePreview } from '../../form-preview/use-preview.js';
import { ErrorBox } from '../../parts/feedback/error-box.js';
import { Loaded } from '../../parts/feedback/loaded.js';
import { Skeleton } from '../../parts/feedback/skeleton.js';
import { useSettled } from '../../parts/search/use-settled.js';
import { faultsOf } from './faults.js';
import { PreviewControls } from './preview/controls.js';
import { DraftFaults } from './preview/draft-faults.js';
import styles from './preview/preview.module.css';
import { inLanguages, readWebsites } from './preview/queries.js';
import { inputOf } from './queries.js';
import { NO_WEBSITE } from './search.js';
import type { TabProps } from './use-draft.js';

const route = getRouteApi('/shell/forms/$formId');

type Website = Awaited<ReturnType<typeof readWebsites>>[number];

/** The draft as visitors would see it, and could submit it, without anything being recorded. */
export function Preview({ form, draft }: Pick<TabProps, 'form' | 'draft'>) {
  const { id } = form;
  const websites = useQuery({
    queryKey: ['form', id, 'preview', 'websites'],
    queryFn: ({ signal }) => readWebsites(id, signal),
  });
  return <Loaded query={websites}>{(list) => <Shown form={form} draft={draft} websites={list} />}</Loaded>;
}

type ShownProps = Pick<TabProps, 'form' | 'draft'> & { websites: readonly Website[] };

function Shown({ form: { id }, draft, websites }: ShownProps) {
  const { previewIn, previewOn, narrow, dark } = route.useSearch();
  const website =
    previewOn === NO_WEBSITE ? null : (websites.find((one) => one.id === previewOn) ?? websites[0] ?? null);
  const websiteId = website?.id ?? null;
  const languages = [draft.sourceLocale, ...draft.translations.map(({ locale }) => locale)];
  const language =
    [previewIn, website?.locale].find((one) => one && languages.includes(one)) ?? draft.sourceLocale;

  const settled = useSettled(draft);
  // The e-mail is in the language of the website.
  const spoken = useMemo(
    () => inLanguages(settled, [language, website?.locale ?? '']),
    [settled, language, website?.locale],
  );
  const { shown, faults, error, retry } = usePreview(
    { id, input: inputOf(spoken), websiteId, placement: null },
    language,
  );
  /** Counts the frames; another one has an empty form. */
  const [round, setRound] = useState(0);
  return (
    <div className={styles.preview}>
      <PreviewControls
        language={language}
        languages={languages}
        websiteId={websiteId}
        websites={websites}
        onStartAgain={() => setRound(round + 1)}
      />
      {faults && <DraftFaults faults={faultsOf(faults)} draft={spoken} />}
      {error && <ErrorBox error={error} onRetry={retry} />}
      {shown ? (
        <TriedForm
          key={round}
          preview={shown}
          fields={draft.fields}
          isDark={dark === '1'}
          isNarrow={narrow === '1'}
        />
      ) : (
        !error && <Skeleton lines={8} />
      )}
    </div>
  );
}

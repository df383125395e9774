import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { GatewayError } from '../../graphql.js';
import { useText } from '../../language.js';
import { ErrorBox } from '../../parts/error-box.js';
import { Loaded } from '../../parts/loaded.js';
import { Skeleton } from '../../parts/skeleton.js';
import type { TabProps } from './draft.js';
import { faultsOf } from './faults.js';
import { PreviewControls } from './preview/controls.js';
import { DraftFaults } from './preview/draft-faults.js';
import { type Answer, PreviewFrame } from './preview/frame.js';
import styles from './preview/preview.module.css';
import {
  inLanguages,
  type Preview as Previewed,
  readPreview,
  readWebsites,
  submitTest,
} from './preview/queries.js';
import { NO_WEBSITE } from './search.js';

const TestResult = lazy(async () => ({ default: (await import('./preview/test-result.js')).TestResult }));

const route = getRouteApi('/shell/forms/$formId');

type Website = Awaited<ReturnType<typeof readWebsites>>[number];

/** How long the draft must stay the same before it is shown, in milliseconds. */
const PAUSE_MS = 300;

/** Returns a value once it has stayed the same for a while; the first one at once. */
function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

/** The draft as visitors would see it, and could submit it, without anything being recorded. */
export function Preview({ form, draft }: Pick<TabProps, 'form' | 'draft'>) {
  const { id } = form;
  const websites = useQuery({
    queryKey: ['form', id, 'preview', 'websites'],
    queryFn: ({ signal }) => readWebsites(id, signal),
  });
  return <Loaded query={websites}>{(list) => <Shown {...{ form, draft }} websites={list} />}</Loaded>;
}

type ShownProps = Pick<TabProps, 'form' | 'draft'> & { websites: readonly Website[] };

function Shown({ form: { id }, draft, websites }: ShownProps) {
  const t = useText();
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
  const preview = useQuery({
    queryKey: ['form', id, 'preview', language, websiteId, spoken],
    queryFn: ({ signal }) => readPreview({ id, draft: spoken, websiteId }, language, signal),
    placeholderData: keepPreviousData,
    // Each draft is another key, and none of them comes back.
    gcTime: 0,
  });
  /** What is in the frame: the last draft without a fault. */
  const [shown, setShown] = useState<Previewed>();
  useEffect(() => {
    if (preview.data) setShown(preview.data);
  }, [preview.data]);

  const [link, setLink] = useState<string>();
  /** Counts the frames; another one has an empty form. */
  const [round, setRound] = useState(0);
  const test = useMutation({ mutationFn: (body: Answer['body']) => submitTest(shown!, body) });

  async function answer(body: Answer['body']): Promise<Answer> {
    try {
      const { errors, message } = await test.mutateAsync(body);
      return Object.keys(errors).length > 0
        ? { status: 422, body: { errors, message } }
        : { status: 200, body: { message } };
    } catch {
      return { status: 0, body: {} };
    }
  }

  function startAgain(): void {
    setRound(round + 1);
    setLink(undefined);
    test.reset();
  }

  const { error } = preview;
  const isFaulty = error instanceof GatewayError && Object.keys(error.fields).length > 0;
  const isAccepted = test.data && Object.keys(test.data.errors).length === 0;
  return (
    <div className={styles.preview}>
      <PreviewControls {...{ language, languages, websiteId, websites }} onStartAgain={startAgain} />
      {isFaulty && <DraftFaults faults={faultsOf(error.fields)} draft={spoken} />}
      {error && !isFaulty && <ErrorBox error={error} onRetry={() => void preview.refetch()} />}
      {shown ? (
        <PreviewFrame
          key={round}
          label={t('form.preview.frame')}
          definition={shown.definition}
          isDark={dark === '1'}
          isNarrow={narrow === '1'}
          onSubmit={answer}
          onLink={setLink}
        />
      ) : (
        !error && <Skeleton lines={8} />
      )}
      {link !== undefined && (
        <p role="status" className={styles.link}>
          {t('form.preview.link', { url: link })}
        </p>
      )}
      {test.error && <ErrorBox error={test.error} />}
      {isAccepted && (
        <Suspense>
          <TestResult result={test.data} fields={draft.fields} hasWebsite={website !== null} />
        </Suspense>
      )}
    </div>
  );
}

import { useMutation } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import type { SubmissionAnswer } from '../../script/preview-messages.js';
import { GatewayError } from '../graphql.js';
import { useText } from '../language.js';
import type { Driver } from '../parts/condition/rules.js';
import { ErrorBox } from '../parts/feedback/error-box.js';
import { Note } from '../parts/feedback/note.js';
import { refusedFields } from '../parts/form/refused-fields.js';
import styles from './form-preview.module.css';
import { PreviewFrame } from './frame.js';
import { type Preview, submitTest } from './queries.js';

const TestResult = lazyRouteComponent(() => import('./test-result.js'), 'TestResult');

type Props = Readonly<{
  preview: Preview;
  /** The fields of the form, by which a rule is put into words. */
  fields: readonly Driver[];
  isDark?: boolean;
  isNarrow?: boolean;
}>;

/** A test: the values that were entered, and the preview in which they were. */
type Submitted = Readonly<{ preview: Preview; body: SubmissionAnswer['body'] }>;

/** Converts the failure of a test to an answer of the gateway; the script repeats a submission that has none. */
function answerTo(error: unknown): SubmissionAnswer {
  const refused = { status: 403, body: {}, waitS: null };
  if (!(error instanceof GatewayError)) return refused;
  if (error.isPassing) return { ...refused, status: 0 };
  if (error.code === 'RATE_LIMITED') return { ...refused, status: 429, waitS: error.retryAfterS };
  const errors = refusedFields(error);
  return errors ? { ...refused, status: 422, body: { errors } } : refused;
}

/** A previewed form that can be submitted, without anything being recorded, and what would come of it. */
export function TriedForm({ preview, fields, isDark = false, isNarrow = false }: Props) {
  const t = useText();
  const [link, setLink] = useState<string>();
  const test = useMutation({
    mutationFn: ({ preview, body }: Submitted) => submitTest(preview, body),
  });

  async function answer(body: SubmissionAnswer['body']): Promise<SubmissionAnswer> {
    try {
      const { errors, message } = await test.mutateAsync({ preview, body });
      const isAccepted = Object.keys(errors).length === 0;
      return { status: isAccepted ? 200 : 422, body: { errors, message }, waitS: null };
    } catch (error) {
      return answerTo(error);
    }
  }

  // What came of another draft says nothing about this one.
  const isCurrent = test.variables?.preview === preview;
  const isAccepted = test.data && Object.keys(test.data.errors).length === 0;
  return (
    <div className={styles.tried}>
      <PreviewFrame
        label={t('preview.frame')}
        definition={preview.definition}
        isDark={isDark}
        isNarrow={isNarrow}
        onSubmit={answer}
        onLink={setLink}
      />
      {link !== undefined && (
        <p role="status" className={styles.link}>
          {t('preview.link', { url: link })}
        </p>
      )}
      {isCurrent && test.error && <ErrorBox error={test.error} />}
      <div role="status">{isCurrent && isAccepted && <Note>{t('preview.accepted')}</Note>}</div>
      {isCurrent && isAccepted && (
        <Suspense>
          <TestResult result={test.data} fields={fields} hasWebsite={preview.websiteId !== null} />
        </Suspense>
      )}
    </div>
  );
}

import { useMutation } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useText } from '../language.js';
import type { Driver } from '../parts/condition/rules.js';
import { ErrorBox } from '../parts/error-box.js';
import styles from './form-preview.module.css';
import { type Answer, PreviewFrame } from './frame.js';
import { type Preview, submitTest } from './queries.js';

const TestResult = lazyRouteComponent(() => import('./test-result.js'), 'TestResult');

type Props = Readonly<{
  preview: Preview;
  /** The fields of the form, by which a rule is put into words. */
  fields: readonly Driver[];
  isDark?: boolean;
  isNarrow?: boolean;
}>;

/** A previewed form that can be submitted, without anything being recorded, and what would come of it. */
export function TriedForm({ preview, fields, isDark = false, isNarrow = false }: Props) {
  const t = useText();
  const [link, setLink] = useState<string>();
  const test = useMutation({ mutationFn: (body: Answer['body']) => submitTest(preview, body) });

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
      {test.error && <ErrorBox error={test.error} />}
      {isAccepted && (
        <Suspense>
          <TestResult result={test.data} fields={fields} hasWebsite={preview.websiteId !== null} />
        </Suspense>
      )}
    </div>
  );
}

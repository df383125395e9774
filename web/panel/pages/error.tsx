import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useText } from '../language.js';
import { ErrorBox } from '../parts/feedback/error-box.js';
import { Page } from '../parts/layout/page.js';

/** Stands where a page has failed as a whole. */
export function RouteError({ error }: ErrorComponentProps) {
  const t = useText();
  const router = useRouter();
  return (
    <Page title={t('error.title')}>
      <ErrorBox error={error as Error} onRetry={() => void router.invalidate()} />
    </Page>
  );
}

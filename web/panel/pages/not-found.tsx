import { Link } from '@tanstack/react-router';
import { useText } from '../language.js';
import { EmptyState } from '../parts/feedback/empty-state.js';
import { Page } from '../parts/layout/page.js';

/** Stands where the address leads to no page. */
export function NotFound() {
  const t = useText();
  return (
    <Page title={t('notFound.title')}>
      <EmptyState title={t('notFound.text')}>
        <Link to="/">{t('notFound.home')}</Link>
      </EmptyState>
    </Page>
  );
}

import type { UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { GatewayError } from '../../graphql.js';
import { useText } from '../../language.js';
import { Button } from '../buttons/button.js';
import { ErrorBox } from './error-box.js';
import styles from './loaded.module.css';
import { Skeleton } from './skeleton.js';

type Props<Data> = {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'isRefetchError' | 'refetch'>;
  skeleton?: ReactNode;
  children(data: Data): ReactNode;
};

/**
 * Shows what a query has read; a skeleton before, or its error with *Try again*, or with a link to the first page if
 * there is no such thing. What could not be read again stays, and a line says so.
 */
export function Loaded<Data>({ query, skeleton = <Skeleton />, children }: Props<Data>) {
  const t = useText();
  const { data, error, isRefetchError, refetch } = query;
  if (data === undefined) {
    if (!error) return skeleton;
    const isGone = error instanceof GatewayError && error.code === 'NOT_FOUND';
    if (!isGone) return <ErrorBox error={error} onRetry={() => void refetch()} />;
    return (
      <>
        <ErrorBox error={error} />
        <p className={styles.onward}>
          {/* Without the team, which may be what there is not. */}
          <Link to="/" search={{ team: undefined }}>
            {t('notFound.home')}
          </Link>
        </p>
      </>
    );
  }
  return (
    <>
      {isRefetchError && (
        <div role="status" className={styles.old}>
          {t('error.refresh')}
          <Button variant="quiet" onPress={() => void refetch()}>
            {t('action.retry')}
          </Button>
        </div>
      )}
      {children(data)}
    </>
  );
}

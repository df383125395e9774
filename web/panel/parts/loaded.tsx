import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorBox } from './error-box.js';
import { Skeleton } from './skeleton.js';

type Props<Data> = {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  skeleton?: ReactNode;
  children(data: Data): ReactNode;
};

/** Shows what a query has read; a skeleton before, or its error with *Try again*. */
export function Loaded<Data>({ query, skeleton = <Skeleton />, children }: Props<Data>) {
  const { data, error, refetch } = query;
  if (data !== undefined) return children(data);
  return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : skeleton;
}

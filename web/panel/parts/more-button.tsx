import type { ReactNode } from 'react';
import { Button } from './button.js';
import { ErrorBox } from './error-box.js';

type Props = {
  /** The list, which is read page by page. */
  query: Readonly<{
    error: Error | null;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    isFetchNextPageError: boolean;
    fetchNextPage(): Promise<unknown>;
  }>;
  children: ReactNode;
};

/** Reads the next page of a list, as long as there is one; after a failure, its error with *Try again*. */
export function MoreButton({ query, children }: Props) {
  const { error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  if (!hasNextPage) return null;
  if (isFetchNextPageError) return <ErrorBox error={error!} onRetry={() => void fetchNextPage()} />;
  return (
    <Button onPress={() => void fetchNextPage()} isPending={isFetchingNextPage}>
      {children}
    </Button>
  );
}

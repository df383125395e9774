import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../language.js';
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

/**
 * Reads the next page of a list, as long as there is one; after a failure, says its error and tries again. The focus
 * stays at the end of the list after the last page, too.
 */
export function MoreButton({ query, children }: Props) {
  const t = useText();
  const { error, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  const [hasFocus, setFocus] = useState(false);
  const end = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (!hasNextPage && hasFocus) end.current?.focus();
  }, [hasNextPage, hasFocus]);
  if (!hasNextPage) {
    return (
      hasFocus && (
        <p ref={end} tabIndex={-1} onBlur={() => setFocus(false)}>
          {t('list.end')}
        </p>
      )
    );
  }
  return (
    <>
      {isFetchNextPageError && <ErrorBox error={error!} />}
      <Button
        onFocus={() => setFocus(true)}
        onBlur={() => setFocus(false)}
        onPress={() => void fetchNextPage()}
        isPending={isFetchingNextPage}
      >
        {isFetchNextPageError ? t('action.retry') : children}
      </Button>
    </>
  );
}

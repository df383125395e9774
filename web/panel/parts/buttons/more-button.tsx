import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useText } from '../../language.js';
import { ErrorBox } from '../feedback/error-box.js';
import { Button } from './button.js';

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
    if (hasNextPage || !hasFocus) return;
    end.current?.focus();
    // When there is a further page again, its button has no focus.
    return () => setFocus(false);
  }, [hasNextPage, hasFocus]);
  if (!hasNextPage) {
    return (
      hasFocus && (
        // It stays when it has lost the focus: what stands below must not move under a pointer that is pressed.
        <p ref={end} tabIndex={-1}>
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

import { type QueryKey, useQueryClient } from '@tanstack/react-query';

/**
 * Returns what closes the dialog of a row. After a failure the list is read again, since another may have deleted the
 * row: not before the dialog is closed, for it goes with its row before its words are read.
 *
 * @param change what the dialog does.
 * @param queryKey of the list.
 */
export function useCloseDialog(
  change: Readonly<{ error: Error | null }>,
  queryKey: QueryKey,
  onClose: () => void,
): () => void {
  const client = useQueryClient();
  return () => {
    if (change.error) void client.invalidateQueries({ queryKey });
    onClose();
  };
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { memo, useEffect } from 'react';
import { useText } from '../../../language.js';
import { Button } from '../../../parts/buttons/button.js';
import { describeError } from '../../../parts/feedback/error-words.js';
import { say } from '../../../parts/overlays/toasts.js';
import { leadsQuery, newLeadsQuery, readNewer } from '../queries.js';
import type { Filter } from '../search.js';
import styles from './new-leads.module.css';
import { focusList } from './use-cursor.js';

type Props = Readonly<{ filter: Filter; since: string | null; isListEmpty: boolean }>;

/**
 * Tells that leads have come since the list was read; they join it when they are asked for, so that nothing moves. An
 * empty list, in which nothing can, is read at once.
 */
export const NewLeads = memo(function NewLeads({ filter, since, isListEmpty }: Props) {
  const t = useText();
  const client = useQueryClient();
  const { data } = useQuery(newLeadsQuery(filter, since));
  const count = data?.count ?? 0;

  // Folders and navigation count them at once.
  useEffect(() => {
    if (count === 0) return;
    void client.invalidateQueries({ queryKey: ['leadCounts'] });
    if (isListEmpty) void client.invalidateQueries({ queryKey: leadsQuery(filter).queryKey });
  }, [count, isListEmpty, filter, client]);

  const read = async () => {
    const { queryKey } = leadsQuery(filter);
    const newer = since !== null && data?.isExact ? await readNewer(filter, since) : null;
    if (!newer || newer.edges.length === 0) return client.resetQueries({ queryKey });
    client.setQueryData(queryKey, (read) => {
      const [first, ...others] = read?.pages ?? [];
      if (!read || !first) return read;
      const known = new Set(first.edges.map(({ node }) => node.id));
      const edges = [...newer.edges.filter(({ node }) => !known.has(node.id)), ...first.edges];
      const startCursor = newer.pageInfo.startCursor;
      return { ...read, pages: [{ edges, pageInfo: { ...first.pageInfo, startCursor } }, ...others] };
    });
  };
  const show = useMutation({
    mutationFn: read,
    // The button, which had the focus, goes.
    onSuccess: () => requestAnimationFrame(focusList),
    onError: (error) => say(describeError(error, t).text),
  });

  return (
    <div role="status" className={styles.place}>
      {count > 0 && !isListEmpty && (
        <Button variant="quiet" isPending={show.isPending} onPress={() => show.mutate()}>
          {t('inbox.newLeads', { count, more: String(!data?.isExact) })}
        </Button>
      )}
    </div>
  );
});

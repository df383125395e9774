import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { refusedFields } from '../parts/form/refused-fields.js';
import { type Previewed, readPreview } from './queries.js';

/** Reads what visitors would get of a settled draft: the last one without a fault, and what is wrong with this one. */
export function usePreview(previewed: Previewed, language: string) {
  const { id, ...draft } = previewed;
  const { data, error, refetch } = useQuery({
    queryKey: ['form', id, 'preview', language, draft],
    queryFn: ({ signal }) => readPreview(previewed, language, signal),
    placeholderData: keepPreviousData,
    // Each draft is another key, and none of them comes back.
    gcTime: 0,
  });
  const [last, setLast] = useState(data);
  if (data && data !== last) setLast(data);
  const faults = refusedFields(error);
  return { shown: data ?? last, faults, error: faults ? null : error, retry: () => void refetch() };
}

import { z } from 'zod';
import { isUuid } from './text/uuid.js';

/** Largest integer id that the database can hold. */
export const MAX_INT_ID = 2 ** 31 - 1;

/** An integer id, which a query parameter has as text. */
export const intId = z.coerce.number({ error: 'must be an id' }).int().min(1).max(MAX_INT_ID);

/** A UUID, in letters of either case. */
export const uuid = z.string().toLowerCase().refine(isUuid, { error: 'must be an id' });

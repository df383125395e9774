import { z } from 'zod';
import { MAX_INT } from './max-int.js';
import { isUuid } from './text/uuid.js';

/** An integer id, which a query parameter has as text. */
export const intId = z.coerce.number({ error: 'must be an id' }).int().min(1).max(MAX_INT);

/** A UUID, in letters of either case. */
export const uuid = z.string().toLowerCase().refine(isUuid, { error: 'must be an id' });

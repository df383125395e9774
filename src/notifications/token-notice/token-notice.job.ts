import { z } from 'zod';
import { TokenNoticeReason } from '../../generated/prisma/enums.js';
import { defineJob, defineKeyedJob } from '../../queue/define-job.js';

const tokenNoticeKey = z.object({ tokenId: z.int(), reason: z.enum(TokenNoticeReason) });

/** The key of a notice to a token's bearer: there is one notice for each reason. */
export type TokenNoticeKey = z.infer<typeof tokenNoticeKey>;

/** Returns the id of a notice, as a job and as a message. */
export const tokenNoticeId = ({ tokenId, reason }: TokenNoticeKey): string => `token-${tokenId}-${reason}`;

/** The job that sends the notice that a token is not used or ends soon. */
export const tokenNoticeJob = defineKeyedJob('token-notice', tokenNoticeKey, { idOf: tokenNoticeId });

/** The job that records, once a day, the notices that have become due. */
export const findTokenNoticesJob = defineJob('token-notice-search', z.object({}));

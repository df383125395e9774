import { z } from 'zod';
import { isEmailAddress } from '../../lib/text/email-address.js';

/** The address that a person is identified by. */
export const emailAddress = z.string().trim().refine(isEmailAddress, { error: 'must be an e-mail address' });

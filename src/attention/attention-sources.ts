import type { AttentionSource } from './attention-item.js';
import { failingCaptchaSource, misconfiguredCaptchaSource } from './sources/captcha.source.js';
import { formsSource } from './sources/forms.source.js';
import { failingMailSource, heldMailSource } from './sources/mail.source.js';
import { certificatesSource, failingProbesSource } from './sources/probes.source.js';
import { quotaSource } from './sources/quota.source.js';
import { senderSource } from './sources/sender.source.js';
import { silenceSource } from './sources/silence.source.js';
import { webhooksSource } from './sources/webhooks.source.js';

/**
 * Every source of items. A new kind is a word of `ATTENTION_KINDS`, its words, and a source here; `UNCHECKED` alone has
 * none, since it tells that one of these failed.
 */
export const ATTENTION_SOURCES: readonly AttentionSource[] = [
  silenceSource,
  heldMailSource,
  failingMailSource,
  failingCaptchaSource,
  misconfiguredCaptchaSource,
  quotaSource,
  formsSource,
  failingProbesSource,
  certificatesSource,
  senderSource,
  webhooksSource,
];

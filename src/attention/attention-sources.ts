import type { AttentionSource } from './attention-item.js';

/** Every source of items. A new kind is a word of `ATTENTION_KINDS`, its words, and a source here. */
export const ATTENTION_SOURCES: readonly AttentionSource[] = [];

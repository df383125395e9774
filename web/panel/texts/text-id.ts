import type english from './en.json';

/** Names a text of the catalogues, which are in the message format of ICU. */
export type TextId = keyof typeof english;

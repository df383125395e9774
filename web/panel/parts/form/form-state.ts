import { createContext } from 'react';

/** What a form knows about its fields. */
export const FormState = createContext<
  Readonly<{
    /** Whether it was to be sent while a field was at fault, so that faults are shown. */
    isTried: boolean;
    /** What the gateway has refused, by the names of the fields. */
    messages: Readonly<Record<string, string>>;
  }>
>({ isTried: false, messages: {} });

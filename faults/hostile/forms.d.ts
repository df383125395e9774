export declare const FORMS: readonly {
  name: string;
  input: object;
  refusal?: string;
  values?: Record<string, unknown>;
}[];

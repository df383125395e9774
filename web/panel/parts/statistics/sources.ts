/** What visits and leads can be grouped by, and its name in the gateway's schema. */
export const ATTRIBUTES = {
  campaign: 'UTM_CAMPAIGN',
  source: 'UTM_SOURCE',
  medium: 'UTM_MEDIUM',
  referrer: 'REFERRER_HOST',
} as const;

export type Source = keyof typeof ATTRIBUTES;

export const SOURCES = Object.keys(ATTRIBUTES) as readonly Source[];

/** Reads the attribute from an address. */
export const readSource = (value: unknown): Source | undefined => SOURCES.find((one) => one === value);

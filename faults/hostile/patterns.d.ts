export declare const TEXTS: readonly string[];
export declare const PATTERNS: readonly { pattern: string; refusal?: string }[];

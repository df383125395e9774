export declare function ideographs(length: number): string;

export declare function marks(length: number): string;

export declare const REQUESTS: readonly {
  name: string;
  path: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
  status: number;
}[];

type Request = { query: string; variables?: object; operationName?: string };
export declare const DOCUMENTS: readonly { name: string; refused: boolean; request: Request }[];
export declare function bodyOf(request: Request): string;

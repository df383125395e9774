import { GATEWAY } from './address.js';
import { failureOf, GatewayError, withLogin } from './graphql.js';
import { saveFile } from './parts/save-file.js';
import { createRecordCounter } from './record-counter.js';

/** What has come is handed to the browser, which may keep it on disk, whenever it is so many bytes. */
const PORTION_BYTES = 8_000_000;

const CODES: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  422: 'BAD_USER_INPUT',
  429: 'RATE_LIMITED',
};

async function open(path: string, signal: AbortSignal | undefined): Promise<Response> {
  const response = await fetch(`${GATEWAY}${path}`, signal && { signal });
  if (response.ok && response.body) return response;
  const code = CODES[response.status] ?? failureOf(response.status);
  throw new GatewayError(`HTTP ${response.status}`, code, response.headers.get('X-Request-Id'));
}

/**
 * Downloads a file of the gateway, and saves it only when all of it has come.
 *
 * @param path below the gateway's address.
 * @param onProgress is told the records of a CSV file that have come, without the header.
 * @throws GatewayError when the gateway refuses or breaks off; an AbortError after `signal`.
 */
export async function download(
  path: string,
  signal?: AbortSignal,
  onProgress?: (records: number) => void,
): Promise<void> {
  try {
    const response = await withLogin(() => open(path, signal));
    const count = createRecordCounter();
    let file = new Blob([], { type: response.headers.get('Content-Type') ?? '' });
    let portion: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    const reader = response.body!.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      portion.push(read.value);
      bytes += read.value.length;
      onProgress?.(Math.max(0, count(read.value) - 1));
      if (bytes < PORTION_BYTES) continue;
      file = new Blob([file, ...portion], { type: file.type });
      [portion, bytes] = [[], 0];
    }
    const named = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '');
    saveFile(new Blob([file, ...portion], { type: file.type }), named?.[1] ?? 'formgate');
  } catch (error) {
    if (signal?.aborted || error instanceof GatewayError) throw error;
    throw new GatewayError('The file did not come whole.', 'UNREACHABLE', null);
  }
}

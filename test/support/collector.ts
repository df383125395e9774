import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

type Value = { stringValue?: string; intValue?: number | string; boolValue?: boolean };
type Attribute = { key: string; value: Value };

/** A span as it came over OTLP, with its attributes by key and the name of its service. */
type ReceivedSpan = Readonly<{
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  /** 1: internal, 2: server, 3: client, 4: producer, 5: consumer. */
  kind: number;
  status: { code?: number };
  attributes: Record<string, unknown>;
}>;

type Export = {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'service' | 'attributes'> & { attributes: Attribute[] })[] }[];
  }[];
};

const byKey = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A receiver of OTLP/HTTP on 127.0.0.1, which reads what is sent as JSON. */
export async function startCollector() {
  const spans: ReceivedSpan[] = [];
  const requests: { path: string; type: string; authorization: string | undefined; body: Buffer }[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const type = request.headers['content-type'] ?? '';
    requests.push({ path: request.url ?? '', type, authorization: request.headers.authorization, body });
    if (type === 'application/json') {
      for (const { resource, scopeSpans } of (JSON.parse(body.toString()) as Export).resourceSpans) {
        const service = String(byKey(resource.attributes)['service.name']);
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({ ...span, service, attributes: byKey(span.attributes) });
      }
    }
    response.setHeader('content-type', type).end(type === 'application/json' ? '{}' : '');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** In the order of their arrival. */
    spans: spans as readonly ReceivedSpan[],
    requests,
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

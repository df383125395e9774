/** What a page of a website sends besides its fields: its Origin and a signature it has just asked for. */
export async function visitorHeaders(url: string, websiteId: string, host: string) {
  const origin = `https://${host}`;
  const response = await fetch(`${url}/api/websites/${websiteId}/signature`, { headers: { origin } });
  if (!response.ok) throw new Error(`No signature: ${response.status} ${await response.text()}`);
  const { signature, timestamp } = (await response.json()) as { signature: string; timestamp: number };
  return {
    origin,
    'x-website-signature': signature,
    'x-website-timestamp': String(timestamp),
  };
}

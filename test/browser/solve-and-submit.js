/* global document, performance */

/**
 * Runs in a page of the website: solves a challenge with the widget that the gateway names, and submits
 * twice with the one solution.
 *
 * @param {string} base address of the website's endpoints
 */
window.solveAndSubmit = async (base) => {
  const read = async (path) => (await fetch(`${base}/${path}`)).json();
  const { chain, altcha_script } = await read('captcha');
  await new Promise((resolve, reject) => {
    const script = Object.assign(document.createElement('script'), { src: altcha_script });
    script.onload = resolve;
    script.onerror = () => reject(new Error('The widget did not load.'));
    document.head.append(script);
  });

  const widget = document.createElement('altcha-widget');
  const configuration = {
    challenge: `${base}/captcha/altcha/challenge`,
    display: 'invisible',
    auto: 'off',
    minDuration: 0,
    hideFooter: true,
    humanInteractionSignature: false,
  };
  widget.setAttribute('configuration', JSON.stringify(configuration));
  const loaded = new Promise((resolve) => widget.addEventListener('load', resolve, { once: true }));
  document.body.append(widget);
  await loaded;
  const startedAt = performance.now();
  const { payload } = await widget.verify();
  const solvedMs = performance.now() - startedAt;

  const { signature, timestamp } = await read('signature');
  const submit = async () => {
    const response = await fetch(`${base}/forms/contact/submit`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Website-Signature': signature,
        'X-Website-Timestamp': String(timestamp),
        'X-Captcha-Provider': chain[0].key,
        'X-Captcha-Token': payload,
      },
      body: JSON.stringify({ email: 'v@x.test' }),
    });
    return { status: response.status, body: await response.json() };
  };
  return { solvedMs, first: await submit(), again: await submit() };
};

// Trains the model that is shipped, from all messages of test/spam-corpus/ but its holdout, and writes it to
// src/spam/model/weights.ts: `npm run build && node scripts/train-spam.js`, then build again.
import { writeFileSync } from 'node:fs';
import { readCorpus, readTraining } from './spam-corpus.js';
import { trainModel } from './spam-training.js';

/** The highest value of a weight that is stored in a byte. */
const HIGHEST = 127;

const { bias, weights, signals } = trainModel([...readTraining(), ...readCorpus()]);
const rounded = Object.entries(signals)
  .sort()
  .map(([signal, weight]) => `    '${signal}': ${Number(weight.toFixed(4))},\n`)
  .join('');
const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / HIGHEST;
const quantized = Buffer.from(Int8Array.from(weights, (weight) => Math.round(weight / scale)).buffer);
writeFileSync(
  new URL('../src/spam/model/weights.ts', import.meta.url),
  `/** The model that \`node scripts/train-spam.js\` has written: not to be edited. */
export const WEIGHTS = {
  bias: ${bias.toFixed(6)},
  scale: ${scale.toFixed(8)},
  signals: {
${rounded}  } as Readonly<Record<string, number>>,
  quantized:
    '${quantized.toString('base64')}',
};
`,
);

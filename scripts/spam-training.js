// Trains the model of spam: logistic regression over hashed features and signals, the same result in each run.
import { MODEL_SIZE, modelFeatures, modelSignals } from '../dist/modules/spam/model/model.js';
import { isForeignScript } from '../dist/modules/spam/signals/languages.js';
import { SIGNALS } from '../dist/modules/spam/signals/signals.js';

const EPOCHS = 24;
const STEP = 0.5;

/** Strength of the pull to zero (L2). */
const REGULARIZATION = 1e-4;

/** Draws numbers between 0 and 1, the same ones in each run. */
function createRandom() {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x80000000;
  };
}

function shuffle(list, random) {
  for (let index = list.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [list[index], list[other]] = [list[other], list[index]];
  }
}

/** Weights by key that learn with a step of their own each (AdaGrad). */
function createWeights() {
  const weights = new Map();
  const squares = new Map();
  return {
    weights,
    of: (key) => weights.get(key) ?? 0,
    learn(key, error) {
      const gradient = error + REGULARIZATION * this.of(key);
      const square = (squares.get(key) ?? 1e-6) + gradient * gradient;
      squares.set(key, square);
      weights.set(key, this.of(key) - (STEP * gradient) / Math.sqrt(square));
    },
  };
}

/**
 * Tells whether the model learns from a message. A list catches the campaign that asks for prices, from which the model
 * would learn that a question for a price is spam, and on other scripts it has no say.
 */
const isRead = ({ message }) => SIGNALS.price_probe.test(message) === null && !isForeignScript(message);

/** Trains a model from messages (`message`, `isSpam`). Both kinds weigh the same, however many there are of each. */
export function trainModel(messages) {
  const samples = messages.filter(isRead).map(({ message, isSpam }) => ({
    isSpam,
    features: modelFeatures(message),
    signals: modelSignals(message),
  }));
  const ofSpam = samples.filter(({ isSpam }) => isSpam).length;
  const weights = new Float64Array(MODEL_SIZE);
  const squares = new Float64Array(MODEL_SIZE).fill(1e-6);
  const signalWeights = createWeights();
  let bias = 0;
  let biasSquares = 1e-6;
  const random = createRandom();
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(samples, random);
    for (const { isSpam, features, signals } of samples) {
      const scale = 1 / Math.sqrt(features.length);
      const ofSignals = signals.reduce((sum, signal) => sum + signalWeights.of(signal), bias);
      const odds = features.reduce((sum, feature) => sum + weights[feature] * scale, ofSignals);
      const balance = samples.length / (2 * (isSpam ? ofSpam : samples.length - ofSpam));
      const error = (1 / (1 + Math.exp(-odds)) - (isSpam ? 1 : 0)) * balance;
      for (const feature of features) {
        const gradient = error * scale + REGULARIZATION * weights[feature];
        squares[feature] += gradient * gradient;
        weights[feature] -= (STEP * gradient) / Math.sqrt(squares[feature]);
      }
      for (const signal of signals) signalWeights.learn(signal, error);
      biasSquares += error * error;
      bias -= (STEP * error) / Math.sqrt(biasSquares);
    }
  }
  return { bias, weights, signals: Object.fromEntries(signalWeights.weights) };
}

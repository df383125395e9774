import { readLines } from '../processes.js';

/**
 * Reads what visitors were answered: a refusal (503, or its code over GraphQL) is told from a failure.
 *
 * @param file Where `visitors.js` has written the answers.
 */
export function readAnswers(file) {
  const answers = readLines(file);
  const isRefused = ({ status, code }) => status === 503 || code === 'SERVICE_UNAVAILABLE';
  return {
    answers,
    refused: answers.filter(isRefused).length,
    failed: answers.filter(
      (answer) => (answer.error || answer.code || answer.status >= 400) && !isRefused(answer),
    ),
    slowestMs: Math.max(...answers.map(({ ms }) => ms)),
  };
}

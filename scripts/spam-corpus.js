// Reads the messages of test/spam-corpus/ as judging does.
import { readdirSync, readFileSync } from 'node:fs';
import { readMessage } from '../dist/modules/spam/message.js';

const CORPUS = new URL('../test/spam-corpus/', import.meta.url);
const LANGUAGES = ['fr', 'en', 'de', 'es', 'it', 'nl', 'pt'];

/** Free mail, which spam and leads come from alike, so that no address gives its kind away. */
const MAILBOXES = ['gmail.com', 'outlook.com', 'yahoo.com', 'hotmail.com', 'icloud.com'];

const FIELDS = [
  { name: 'email', type: 'email' },
  { name: 'message', type: 'textarea' },
];

/** Reads a file of messages, a line each, below headings. */
function linesOf(file) {
  let heading = '';
  return readFileSync(new URL(file, CORPUS), 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('# ')) heading = line.slice(2);
      // A reserved domain stands for a real one, and is no sign of spam.
      const text = line.replaceAll('.example', '.com');
      return line === '' || line.startsWith('# ') ? [] : [{ heading, text }];
    });
}

function asMessage(each, index) {
  // English and what no form of the corpus is written in comes to forms of every language, from guests as well.
  const isEverywhere = each.language === 'en' || !LANGUAGES.includes(each.language);
  const email = `sender${index}@${MAILBOXES[index % MAILBOXES.length]}`;
  const submission = {
    values: { email, message: each.text },
    undeclared: {},
    emails: [email],
    host: 'www.client.example',
    locale: isEverywhere ? LANGUAGES[index % LANGUAGES.length] : each.language,
  };
  return { ...each, message: readMessage(submission, FIELDS), isOdd: index % 2 === 1 };
}

/** Reads the messages that the judging is tuned with and, in halves, measured by. */
export function readCorpus() {
  const leads = readdirSync(CORPUS)
    .filter((file) => file.startsWith('leads.'))
    .flatMap((file) =>
      linesOf(file).map(({ heading, text }) => ({
        isSpam: false,
        kind: heading,
        language: file.split('.')[1],
        text,
      })),
    );
  const spam = linesOf('spam.txt').map(({ heading, text }) => {
    const [language, kind] = heading.split(' ');
    return { isSpam: true, kind, language, text };
  });
  return [...leads, ...spam].map(asMessage);
}

/** Reads messages under headings that say kind and language, as in `spam fr`. */
const readMixed = (file) =>
  linesOf(file).map(({ heading, text }) => {
    const [kind, language] = heading.split(' ');
    return { isSpam: kind === 'spam', kind, language, text };
  });

/** Reads further messages, which only train the model. */
export const readTraining = () =>
  readdirSync(CORPUS)
    .filter((file) => file.startsWith('training.'))
    .flatMap(readMixed)
    .map(asMessage);

/** Reads the messages that nothing was tuned or trained with. */
export const readHoldout = () => readMixed('holdout.txt').map(asMessage);

// Measures the judging of spam against the corpus of test/spam-corpus/, with and without teaching, and writes the
// result into docs/spam.md: `node scripts/measure-spam.js`. With `--check` it only compares; with `--list` it prints
// what is judged wrongly, taught and untaught.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { featuresOf, logOddsOf } from '../dist/spam/classifier.js';
import { readMessage } from '../dist/spam/message.js';
import { judge } from '../dist/spam/verdict.js';

const CORPUS = new URL('../test/spam-corpus/', import.meta.url);
const DOCUMENT = fileURLToPath(new URL('../docs/spam.md', import.meta.url));
const THRESHOLD = 100;
const LANGUAGES = ['fr', 'en', 'de', 'es', 'it', 'nl', 'pt'];

/** Free mail, which spam and leads come from alike, so that no address gives its kind away. */
const MAILBOXES = ['gmail.com', 'outlook.com', 'yahoo.com', 'hotmail.com', 'icloud.com'];

/** Websites that a campaign comes to within a day, each with the same text from another address. */
const CAMPAIGN = 20;

/** Websites of an agency that somebody asks for the same thing. */
const ASKED = 3;

const FIELDS = [
  { name: 'email', type: 'email' },
  { name: 'message', type: 'textarea' },
];

const NOTHING = { sender: null, domain: null, word: null };
const NOWHERE = { text: 0, email: 0, phone: 0, link: 0 };

/** Reads a file of messages, a line each, below headings. */
function linesOf(file) {
  let heading = '';
  return readFileSync(new URL(file, CORPUS), 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('# ')) heading = line.slice(2);
      return line === '' || line.startsWith('# ') ? [] : [{ heading, text: line }];
    });
}

function readCorpus() {
  const leads = readdirSync(CORPUS)
    .filter((file) => file.startsWith('leads.'))
    .flatMap((file) =>
      linesOf(file).map(({ heading, text }) => ({
        ...{ isSpam: false, kind: heading, language: file.split('.')[1], text },
      })),
    );
  const spam = linesOf('spam.txt').map(({ heading, text }) => {
    const [language, kind] = heading.split(' ');
    return { isSpam: true, kind, language, text };
  });
  return [...leads, ...spam].map((each, index) => {
    // English and what no form of the corpus is written in comes to forms of every language.
    const isEverywhere = each.isSpam && (each.language === 'en' || !LANGUAGES.includes(each.language));
    const email = `sender${index}@${MAILBOXES[index % MAILBOXES.length]}`;
    const submission = {
      values: { email, message: each.text },
      ...{ undeclared: {}, emails: [email], host: 'www.client.example' },
      locale: isEverywhere ? LANGUAGES[index % LANGUAGES.length] : each.language,
    };
    const message = readMessage(submission, FIELDS);
    return { ...each, message, features: featuresOf(message), isOdd: index % 2 === 1 };
  });
}

/** Counts the features of messages, as the triggers of PostgreSQL do. */
function teach(messages) {
  const counts = new Map();
  for (const { isSpam, features } of messages) {
    for (const feature of features) {
      const count = counts.get(feature) ?? { feature, spam: 0, leads: 0 };
      count[isSpam ? 'spam' : 'leads'] += 1;
      counts.set(feature, count);
    }
  }
  const spam = messages.filter(({ isSpam }) => isSpam).length;
  return { counts, samples: { spam, leads: messages.length - spam } };
}

/** Judges a message; `taught` null: without the classifier. `websites`: how many others it came to before. */
function judged({ message, features }, taught, websites = 0) {
  const logOdds = taught
    ? logOddsOf(
        features.flatMap((feature) => taught.counts.get(feature) ?? []),
        taught.samples,
      )
    : null;
  return judge(message, { seenElsewhere: { ...NOWHERE, text: websites }, blocked: NOTHING, logOdds });
}

/** Judges every message twice: untaught, and by what the half teaches that it is not in. */
function measure() {
  const corpus = readCorpus();
  const odd = teach(corpus.filter(({ isOdd }) => isOdd));
  const even = teach(corpus.filter(({ isOdd }) => !isOdd));
  return corpus.map((each) => ({
    ...each,
    untaught: judged(each, null),
    taught: judged(each, each.isOdd ? even : odd),
    campaign: Array.from({ length: each.isSpam ? CAMPAIGN : ASKED }, (_, websites) =>
      judged(each, each.isOdd ? even : odd, websites),
    ),
  }));
}

const isWithheld = ({ score }) => score >= THRESHOLD;
const share = (part, all) => `${part} of ${all} (${((100 * part) / all).toFixed(1)} %)`;

function row(name, results) {
  const untaught = results.filter((each) => isWithheld(each.untaught)).length;
  const taught = results.filter((each) => isWithheld(each.taught)).length;
  const arrivals = results.flatMap(({ campaign }) => campaign);
  const ofCampaign = share(arrivals.filter(isWithheld).length, arrivals.length);
  return `| ${name} | ${share(untaught, results.length)} | ${share(taught, results.length)} | ${ofCampaign} |`;
}

function tableOf(title, results, keyOf) {
  const many = results[0].isSpam ? `to ${CAMPAIGN} websites` : `to ${ASKED} websites`;
  const keys = [...new Set(results.map(keyOf))].sort();
  return [
    `| ${title} | withheld untaught | withheld taught | taught, ${many} a day |`,
    '|---|---|---|---|',
    ...keys.map((key) =>
      row(
        key,
        results.filter((each) => keyOf(each) === key),
      ),
    ),
    row('**all**', results),
  ].join('\n');
}

const results = measure();
const spam = results.filter(({ isSpam }) => isSpam);
const leads = results.filter(({ isSpam }) => !isSpam);

if (process.argv.includes('--list')) {
  for (const how of ['untaught', 'taught']) {
    for (const each of results.filter((one) => isWithheld(one[how]) !== one.isSpam)) {
      const { score, reasons } = each[how];
      const why = reasons.map(({ signal, points }) => `${signal} ${points}`).join(', ');
      console.log(
        `${how} ${each.isSpam ? 'MISSED' : 'LOST'} ${score} [${why}] ${each.kind} ${each.text.slice(0, 110)}`,
      );
    }
  }
}

const section = [
  '<!-- measured -->',
  tableOf('spam by kind', spam, ({ kind }) => kind),
  tableOf('spam by language', spam, ({ language }) => language),
  tableOf('leads by language of their form', leads, ({ language }) => language),
  '<!-- /measured -->',
].join('\n\n');
const before = readFileSync(DOCUMENT, 'utf8');
const after = before.replace(/<!-- measured -->[\s\S]*<!-- \/measured -->/, () => section);
console.log(section);
if (!process.argv.includes('--check')) writeFileSync(DOCUMENT, after);
else if (before !== after) {
  console.error('docs/spam.md does not say what was measured: node scripts/measure-spam.js');
  process.exitCode = 1;
}

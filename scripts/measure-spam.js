// Measures the judging of spam against the corpus of test/spam-corpus/, with and without teaching, and writes the
// result into docs/spam.md: `node scripts/measure-spam.js`. With `--check` it only compares; with `--list` it prints
// what is judged wrongly, taught and untaught.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { featuresOf, logOddsOf } from '../dist/modules/spam/classifier.js';
import { modelOdds } from '../dist/modules/spam/model/model.js';
import { judge } from '../dist/modules/spam/verdict.js';
import { readCorpus, readHoldout, readTraining } from './spam-corpus.js';
import { trainModel } from './spam-training.js';

const DOCUMENT = fileURLToPath(new URL('../docs/spam.md', import.meta.url));
const THRESHOLD = 100;

/** Websites that a campaign comes to within a day, each with the same text from another address. */
const CAMPAIGN = 20;

/** Websites of an agency that somebody asks for the same thing. */
const ASKED = 3;

const NOTHING = { sender: null, domain: null, word: null };
const NOWHERE = { text: 0, email: 0, phone: 0, link: 0 };

/** Counts the features of messages, as the triggers of PostgreSQL do. */
function teach(messages) {
  const counts = new Map();
  for (const { isSpam, message } of messages) {
    for (const feature of featuresOf(message)) {
      const count = counts.get(feature) ?? { feature, spam: 0, leads: 0 };
      count[isSpam ? 'spam' : 'leads'] += 1;
      counts.set(feature, count);
    }
  }
  const spam = messages.filter(({ isSpam }) => isSpam).length;
  return { counts, samples: { spam, leads: messages.length - spam } };
}

/**
 * Judges a message. `taught` null: without the classifier. `model` undefined: that which is shipped. `websites`: how
 * many others it came to before.
 */
function judged({ message }, { taught = null, model, websites = 0 }) {
  const logOdds = taught
    ? logOddsOf(
        featuresOf(message).flatMap((feature) => taught.counts.get(feature) ?? []),
        taught.samples,
      )
    : null;
  const seenElsewhere = { ...NOWHERE, text: websites };
  return judge(message, {
    seenElsewhere,
    blocked: NOTHING,
    logOdds,
    signatureAgeS: null,
    modelOdds: modelOdds(message, model),
  });
}

/** Judges every message twice, by the half that it is not in: untaught by its model, taught by its verdicts as well. */
function measure() {
  const corpus = readCorpus();
  const training = readTraining();
  const learn = (half) => ({ taught: teach(half), model: trainModel([...training, ...half]) });
  const odd = learn(corpus.filter(({ isOdd }) => isOdd));
  const even = learn(corpus.filter(({ isOdd }) => !isOdd));
  return corpus.map((each) => {
    const { taught, model } = each.isOdd ? even : odd;
    return {
      ...each,
      untaught: judged(each, { model }),
      taught: judged(each, { taught, model }),
      campaign: Array.from({ length: each.isSpam ? CAMPAIGN : ASKED }, (_, websites) =>
        judged(each, { taught, model, websites }),
      ),
    };
  });
}

/** Judges the holdout as an installation does that has been given the corpus' verdicts, or none. */
function measureHoldout() {
  const taught = teach(readCorpus());
  return readHoldout().map((each) => ({
    ...each,
    untaught: judged(each, {}),
    taught: judged(each, { taught }),
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

/** Writes how the holdout was judged, by kind of message and language. */
function holdoutTable(results) {
  const row = (name, some) => {
    const withheld = (how) => share(some.filter((each) => isWithheld(each[how])).length, some.length);
    return `| ${name} | ${withheld('untaught')} | ${withheld('taught')} |`;
  };
  const languages = [...new Set(results.map(({ kind, language }) => `${kind} ${language}`))].sort();
  const ofLanguage = (name) => results.filter(({ kind, language }) => `${kind} ${language}` === name);
  return [
    '| holdout | withheld untaught | withheld taught |',
    '|---|---|---|',
    ...languages.map((name) => row(name, ofLanguage(name))),
    ...['spam', 'leads'].map((kind) =>
      row(
        `all ${kind}`,
        results.filter((each) => each.kind === kind),
      ),
    ),
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
  holdoutTable(measureHoldout()),
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

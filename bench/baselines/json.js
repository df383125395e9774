// Bare Express: one route that answers one object. Arguments: port, route, file with the object.
import { readFileSync } from 'node:fs';
import express from 'express';

const [port, route, file] = process.argv.slice(2);
const object = JSON.parse(readFileSync(file, 'utf8'));

const app = express();
app.get(route, (_request, response) => {
  response.json(object);
});
app.listen(Number(port), '127.0.0.1');

// Bare Apollo Server behind Express: the panel's schema without its resolvers, and the data of one answer from
// memory. Arguments: port, file with the schema, file with the data.
import { readFileSync } from 'node:fs';
import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express from 'express';

const [port, schemaFile, dataFile] = process.argv.slice(2);
const server = new ApolloServer({
  typeDefs: readFileSync(schemaFile, 'utf8'),
  rootValue: JSON.parse(readFileSync(dataFile, 'utf8')),
});
await server.start();

const app = express();
app.use('/graphql', express.json(), expressMiddleware(server));
app.listen(Number(port), '127.0.0.1');

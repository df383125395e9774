// Bare Express with a pool of `pg`: parses the body, inserts one row into a table that has nothing but its
// primary key, answers. Argument: port. The database is at DATABASE_URL.
import { randomUUID } from 'node:crypto';
import express from 'express';
import pg from 'pg';

// Its connections stay between the rounds, so that each of them begins with as many.
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, idleTimeoutMillis: 0 });
await pool.query(
  `CREATE TABLE IF NOT EXISTS bare_leads (id uuid PRIMARY KEY, website_id uuid NOT NULL, form text NOT NULL,
     body jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now())`,
);

const app = express();
app.use(express.json());
app.post('/api/websites/:website/forms/:slug/submit', async (request, response) => {
  const id = randomUUID();
  const { website, slug } = request.params;
  await pool.query('INSERT INTO bare_leads (id, website_id, form, body) VALUES ($1, $2, $3, $4)', [
    id,
    website,
    slug,
    JSON.stringify(request.body),
  ]);
  response.json({ success: true, message: 'Thank you.', lead_id: id });
});
app.listen(Number(process.argv[2]), '127.0.0.1');
